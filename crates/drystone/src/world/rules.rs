//! Rules of a world: which pairs of boxes that are near each other become edges (S3-08).

use super::World;
use crate::WorldError;
use drystone_collision::broad::Pair;
use drystone_contact::{BodyIndex, Rule, RuleAction, RuleHandle, RulePair, RuleSide, Rules};
use std::collections::BTreeMap;

/// Rules, and the pairs that are near each other and must not meet.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    rules: Rules,
    /// Sorted.
    kept_out: Vec<Pair>,
    /// Bodies (slots, ascending) that joints keep from meeting, and how many do.
    joined: BTreeMap<[u32; 2], u32>,
    /// All pairs are to be screened anew in the next step.
    is_stale: bool,
}

impl drystone_math::Carried for Screen {
    fn copy_from(&mut self, source: &Self) {
        let Self { rules, kept_out, joined, is_stale } = source;
        self.rules.copy_from(rules);
        self.kept_out.copy_from(kept_out);
        if self.joined != *joined {
            self.joined.clone_from(joined);
        }
        self.is_stale = *is_stale;
    }

    fn heap_bytes(&self) -> usize {
        self.rules.heap_bytes()
            + self.kept_out.heap_bytes()
            + self.joined.len() * size_of::<([u32; 2], u32)>()
    }
}

impl Screen {
    /// True with rules or joints, and until what they kept out is let in again.
    #[inline]
    pub(crate) fn is_in_use(&self) -> bool {
        !self.rules.is_empty() || !self.kept_out.is_empty() || !self.joined.is_empty()
    }

    /// True with rules, which may let meet what filters keep apart.
    pub(crate) fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// Two bodies (slots) do not meet from now on, because of a joint.
    pub(crate) fn join(&mut self, bodies: [u32; 2]) {
        *self.joined.entry(ascending(bodies)).or_insert(0) += 1;
        self.is_stale = true;
    }

    /// That joint is no more.
    pub(crate) fn part(&mut self, bodies: [u32; 2]) {
        let key = ascending(bodies);
        if let Some(count) = self.joined.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                self.joined.remove(&key);
                self.is_stale = true;
            }
        }
    }

    fn are_joined(&self, bodies: [u32; 2]) -> bool {
        !self.joined.is_empty() && self.joined.contains_key(&ascending(bodies))
    }

    /// All rules, in the order in which they were added.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (RuleHandle, &Rule)> + '_ {
        self.rules.iter()
    }

    /// True once after a change.
    #[inline]
    pub(crate) fn take_stale(&mut self) -> bool {
        std::mem::take(&mut self.is_stale)
    }

    /// True when all pairs are to be screened anew in the next step.
    pub(crate) fn is_stale(&self) -> bool {
        self.is_stale
    }

    pub(crate) fn keep_out(&mut self, pair: Pair) {
        if let Err(at) = self.kept_out.binary_search(&pair) {
            self.kept_out.insert(at, pair);
        }
    }

    pub(crate) fn forget(&mut self, pair: Pair) {
        if let Ok(at) = self.kept_out.binary_search(&pair) {
            self.kept_out.remove(at);
        }
    }

    pub(crate) fn take_kept_out(&mut self) -> Vec<Pair> {
        std::mem::take(&mut self.kept_out)
    }
}

fn ascending([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl World {
    /// Adds a rule (S3-01): pairs between its two sides do not meet, or meet whatever their filters say. Of several rules
    /// that apply, the newest decides. It takes effect with the next step for pairs that touch already, too: touches end or begin
    /// with their events, triggers lose or find what is inside, what lost its support wakes, and what may meet now wakes.
    ///
    /// ```
    /// use drystone::math::{Pose, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, Rule, RuleSide, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let cube = || ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.1)).expect("positive"));
    /// let shelf = world.add_body(BodySpec::fixed().collider(cube()))?;
    /// let book = world.add_body(BodySpec::dynamic().pose(Pose::at(0.0, 0.2, 0.0)).collider(cube()))?;
    /// world.step(1.0 / 60.0)?;
    /// world.add_rule(Rule::ignore(RuleSide::Body(shelf), RuleSide::Body(book)))?;
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!(world.pose(book)?.translation.y < -4.0, "it fell through the shelf");
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// A side that is an unknown body, or the body of a composite: rules are about its members.
    pub fn add_rule(&mut self, rule: Rule) -> Result<RuleHandle, WorldError> {
        for side in rule.sides() {
            if let RuleSide::Body(body) = side {
                self.refuse_carrier(body)?;
            }
        }
        let is_forcing = rule.action() == RuleAction::Force;
        let handle = self.logic.screen.rules.add(rule)?;
        self.rules_changed(is_forcing);
        Ok(handle)
    }

    /// Removes a rule, with effect from the next step on.
    ///
    /// # Errors
    /// An unknown rule.
    pub fn remove_rule(&mut self, handle: RuleHandle) -> Result<(), WorldError> {
        let rule = self.logic.screen.rules.remove(handle)?;
        self.rules_changed(rule.action() == RuleAction::Force);
        Ok(())
    }

    /// A collider's groups changed: rules may apply to it that did not, and others no more.
    pub(super) fn rules_or_groups_changed(&mut self) {
        if self.logic.screen.is_in_use() {
            self.rules_changed(true);
        }
    }

    /// The broad phase is told to pair a new body with whatever rules may force it to meet.
    pub(super) fn widen_filters_of(&mut self, body: BodyIndex) {
        if !self.logic.screen.rules.is_empty() {
            let slots: Vec<u32> = self.colliders.of(body).collect();
            slots.into_iter().for_each(|slot| self.widen_filter(slot));
        }
    }

    /// True when rules, or else joints and filters, let two colliders meet.
    pub(crate) fn is_allowed(&self, pair: Pair) -> bool {
        let slots = [pair.a, pair.b];
        let bodies = slots.map(|c| self.colliders.owner(c));
        let handles = (slots.map(|c| self.colliders.handle(c)), bodies.map(|b| self.bodies.handle(b)));
        let ([Some(a), Some(b)], [Some(body_a), Some(body_b)]) = handles else {
            debug_assert!(false, "pairs of removed colliders are ended before: {pair:?}");
            return false;
        };
        let pair = RulePair {
            colliders: [a, b],
            bodies: [body_a, body_b],
            kinds: bodies.map(|body| self.bodies.hot(body).kind()),
            member_of: slots.map(|c| self.colliders.filter(c).0),
            user_data: bodies.map(|body| self.bodies.user_data(body)),
        };
        match self.logic.screen.rules.decide(&pair) {
            Some(action) => action == RuleAction::Force,
            None => {
                !self.logic.screen.are_joined(bodies.map(|body| body.0))
                    && self.colliders.filters_allow(a.index, b.index)
            }
        }
    }

    fn rules_changed(&mut self, is_forcing: bool) {
        self.logic.screen.is_stale = true;
        if is_forcing {
            let slots: Vec<u32> = self.colliders.all().collect();
            slots.into_iter().for_each(|slot| self.widen_filter(slot));
        }
    }

    fn widen_filter(&mut self, slot: u32) {
        let Some(body) = self.bodies.handle(self.colliders.owner(slot)) else { return };
        let is_wide = self.logic.screen.rules.may_force(body, self.colliders.filter(slot).0);
        self.colliders.set_wide(slot, is_wide);
    }
}
