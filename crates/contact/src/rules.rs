//! Rules (S3-01 A, S3-08): who must not meet, and who must, whatever their filters say.
//!
//! A rule stands between two sides; its logical edges A–R, A–F and A–S lead to the bodies of both. Where several rules apply
//! to a pair, the newest decides; where none does, filters do.

use crate::error::ContactError;
use crate::handle::{RuleHandle, Slots};
use crate::{BodyHandle, BodyKind, ColliderHandle};
use std::fmt;
use std::sync::Arc;

/// One side of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSide {
    /// All colliders.
    Anything,
    /// The colliders of a body.
    Body(BodyHandle),
    /// Colliders that belong to one of these groups (bits).
    Groups(u32),
}

/// What a rule does to the pairs between its sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleAction {
    /// They do not meet.
    Ignore,
    /// They meet, also where their filters forbid it.
    Force,
}

/// Two colliders that a rule is asked about, the smaller slot first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RulePair {
    /// The colliders.
    pub colliders: [ColliderHandle; 2],
    /// Their bodies.
    pub bodies: [BodyHandle; 2],
    /// How the bodies move.
    pub kinds: [BodyKind; 2],
    /// Groups that the colliders belong to.
    pub member_of: [u32; 2],
    /// What the user attached to the bodies.
    pub user_data: [u64; 2],
}

/// A user's condition on a pair.
type Predicate = Arc<dyn Fn(&RulePair) -> bool + Send + Sync>;

/// What happens between two sides.
#[derive(Clone)]
pub struct Rule {
    sides: [RuleSide; 2],
    action: RuleAction,
    when: Option<Predicate>,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_predicate = self.when.is_some();
        write!(f, "Rule {{ {:?} {:?}, has_predicate: {has_predicate} }}", self.action, self.sides)
    }
}

impl Rule {
    /// Pairs between the two sides do not meet.
    pub fn ignore(a: RuleSide, b: RuleSide) -> Self {
        Self { sides: [a, b], action: RuleAction::Ignore, when: None }
    }

    /// Pairs between the two sides meet, also where their filters forbid it; fixed and kinematic bodies never meet each
    /// other (S3-02).
    pub fn force(a: RuleSide, b: RuleSide) -> Self {
        Self { sides: [a, b], action: RuleAction::Force, when: None }
    }

    /// Only pairs for which `predicate` is true. It is asked when two boxes come near each other and when rules change, not in
    /// every step: its answer must follow from the pair.
    pub fn when(self, predicate: impl Fn(&RulePair) -> bool + Send + Sync + 'static) -> Self {
        Self { when: Some(Arc::new(predicate)), ..self }
    }

    /// The two sides.
    pub fn sides(&self) -> [RuleSide; 2] {
        self.sides
    }

    /// What it does.
    pub fn action(&self) -> RuleAction {
        self.action
    }

    fn applies(&self, pair: &RulePair) -> bool {
        let is_on = |side: usize, end: usize| self.sides[side].has(pair.bodies[end], pair.member_of[end]);
        let is_between = (is_on(0, 0) && is_on(1, 1)) || (is_on(0, 1) && is_on(1, 0));
        is_between && self.when.as_ref().is_none_or(|when| when(pair))
    }
}

impl RuleSide {
    fn has(self, body: BodyHandle, member_of: u32) -> bool {
        match self {
            Self::Anything => true,
            Self::Body(own) => own == body,
            Self::Groups(groups) => groups & member_of != 0,
        }
    }
}

/// All rules of a world.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    slots: Slots,
    /// In the order in which they were added.
    list: Vec<(RuleHandle, Rule)>,
}

drystone_math::carried!(Rules { part: [slots, list] });

impl Rules {
    /// True without rules.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All rules, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (RuleHandle, &Rule)> + '_ {
        self.list.iter().map(|(handle, rule)| (*handle, rule))
    }

    /// Adds a rule.
    ///
    /// # Errors
    /// [`ContactError::Full`] when the index width is exhausted.
    pub fn add(&mut self, rule: Rule) -> Result<RuleHandle, ContactError> {
        let (index, generation) = self.slots.take().ok_or(ContactError::Full("rules"))?;
        let handle = RuleHandle { index, generation };
        self.list.push((handle, rule));
        Ok(handle)
    }

    /// Removes a rule.
    ///
    /// # Errors
    /// An unknown rule.
    pub fn remove(&mut self, handle: RuleHandle) -> Result<Rule, ContactError> {
        let at = self.list.iter().position(|(own, _)| *own == handle);
        let at = at.ok_or(ContactError::UnknownRule(handle))?;
        self.slots.release(handle.index, handle.generation);
        Ok(self.list.remove(at).1)
    }

    /// What the newest rule that applies says; `None` where filters decide.
    pub fn decide(&self, pair: &RulePair) -> Option<RuleAction> {
        self.list.iter().rev().find(|(_, rule)| rule.applies(pair)).map(|(_, rule)| rule.action)
    }

    /// True when a rule may force a collider to meet what its filter forbids.
    pub fn may_force(&self, body: BodyHandle, member_of: u32) -> bool {
        let forces = |rule: &Rule| {
            rule.action == RuleAction::Force && rule.sides.iter().any(|side| side.has(body, member_of))
        };
        self.list.iter().any(|(_, rule)| forces(rule))
    }
}
