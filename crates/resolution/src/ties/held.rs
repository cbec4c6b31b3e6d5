//! What holds the turns and free places of a tie in its set ([`super::direct`]): locks, limits that are met, and drives that are stiff.

use super::algebra::get;
use super::block::{ROWS, TieBlock};
use drystone_contact::{SPAN, TIE_AXES, TWIST};
use drystone_math::{Real, Vector3, bits};

/// Share of the softness of a drive that its bodies have to yield to an impulse, for the drive to be solved with what is locked: weaker ones are the sweeps'.
const STIFF_DRIVE: Real = 0.25;

/// What one of the three turns of a tie is in its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Nothing holds it.
    Free,
    /// Locked about this axis of A's frame.
    Locked(u8),
    /// Held at the lower or the upper limit of this row.
    Limit { row: u8, is_lower: bool },
    /// Held by the drive of this row, which yields by its softness.
    Drive(u8),
}

impl Turn {
    /// Which of the impulses of its row it gives ([`super::block::Row::given`]).
    pub(super) fn given(self) -> usize {
        if matches!(self, Self::Drive(_)) { 0 } else { 2 }
    }
}

/// The three turns of a tie, as they are in the factors: what holds them first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    pub(super) kinds: [Turn; 3],
    /// Axes, world; zero where a turn is free. That of a limit is the torque of its row: what its force does, places do too.
    pub(super) axes: [Vector3; 3],
    /// How far each yields to its own impulse, rad/s per N m s: 0 but for drives.
    softness: [Real; 3],
    /// Free places that drives hold, and how far these yield, m/s per N s.
    pub(super) driven: u8,
    soft_places: [Real; 3],
    pub(super) gone: Gone,
}

/// Rows of a tie that its set has let go of in this solve.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gone {
    /// Those whose limits would pull.
    pub(super) limits: u8,
    /// Those whose drives give the most that they may, forward and backward.
    pub(super) forward: u8,
    pub(super) backward: u8,
}

impl Gone {
    /// Whether the drive of a row gives the most that it may.
    fn is_full(self, row: usize) -> bool {
        (self.forward | self.backward) >> row & 1 == 1
    }

    /// Rows whose drives do, with the sign of it.
    pub(super) fn full(self) -> impl Iterator<Item = (usize, Real)> {
        let sign = move |k: usize| if self.forward >> k & 1 == 1 { 1.0 } else { -1.0 };
        bits(u64::from(self.forward | self.backward)).map(move |k| (k as usize, sign(k as usize)))
    }
}

impl Turns {
    /// True where the factors are of these turns: those of a row are the same at either limit.
    fn are(&self, kinds: &[Turn; 3]) -> bool {
        self.kinds.iter().zip(kinds).all(|pair| match pair {
            (Turn::Limit { row, .. }, Turn::Limit { row: other, .. }) => row == other,
            (own, other) => own == other,
        })
    }

    /// Number of those that are locked or at a limit.
    pub(super) fn held(&self) -> usize {
        self.kinds.iter().filter(|turn| **turn != Turn::Free).count()
    }

    /// Whether one of them is.
    #[inline(always)]
    pub(super) fn holds_any(&self) -> bool {
        self.kinds[0] != Turn::Free
    }

    /// Axis of a turn, zero where it is free.
    pub(super) fn axis(&self, turn: usize) -> nalgebra::Vector3<f64> {
        self.axes[turn].cast()
    }

    /// Whether a turn is locked: not free, and no limit.
    pub(super) fn is_locked(&self, turn: usize) -> bool {
        matches!(self.kinds[turn], Turn::Locked(_))
    }

    /// How far a turn yields to its own impulse, rad/s per N m s.
    pub(super) fn softness(&self, turn: usize) -> f64 {
        f64::from(self.softness[turn])
    }

    /// How far a free place yields to its own impulse, m/s per N s; none where nothing holds it.
    pub(super) fn softness_of_place(&self, place: usize) -> Option<f64> {
        (self.driven >> place & 1 == 1).then(|| f64::from(self.soft_places[place]))
    }

    /// A solve begins, in which nothing was let go yet.
    pub(super) fn begin(&mut self) {
        self.gone = Gone::default();
    }

    /// The parts of a vector along the axes.
    pub(super) fn along(&self, v: &Vector3) -> Vector3 {
        Vector3::new(self.axes[0].dot(v), self.axes[1].dot(v), self.axes[2].dot(v))
    }

    /// The sum of turns about the axes.
    pub(super) fn sum(&self, by_turn: &Vector3) -> Vector3 {
        self.axes[0] * by_turn.x + self.axes[1] * by_turn.y + self.axes[2] * by_turn.z
    }
}

impl TieBlock {
    /// True where the turn about an axis of A's frame is locked.
    pub(super) fn locks_turn(&self, lane: usize, axis: usize) -> bool {
        self.locked[3 + axis] >> lane & 1 == 1
    }

    /// True where one of the turns is.
    pub(super) fn locks_turns(&self, lane: usize) -> bool {
        (0..3).any(|axis| self.locks_turn(lane, axis))
    }

    /// True where a turn has limits.
    pub(super) fn limits_turns(&self, lane: usize) -> bool {
        self.limited >> lane & 1 == 1
    }

    /// Rows of places and turns that are driven; couplings are the sweeps', and so are drives of what is coupled.
    pub(super) fn drives_of(&self, lane: usize) -> impl Iterator<Item = usize> + '_ {
        let own = move |k: usize| (self.row[k].driven & !self.coupled) >> lane & 1 == 1;
        (0..TIE_AXES).filter(move |&k| k != SPAN && self.rows >> k & 1 == 1 && own(k))
    }

    /// Whether drives of it have a largest force.
    pub(super) fn bounds_drives(&self, lane: usize) -> bool {
        self.drives_of(lane).any(|k| self.row[k].most[lane] < Real::MAX)
    }

    /// Whether the drive of a row is stiffer than what its two bodies resist in a sub-step, and has force left; with `keeps_speed`, also where nothing but a speed is kept.
    pub(super) fn is_held_by_drive(&self, lane: usize, row: usize, keeps_speed: bool) -> bool {
        let row = &self.row[row];
        let is_within = row.given[0][lane].abs() < row.most[lane];
        let response = row.response[lane];
        let is_stiff = response > 0.0 && response >= STIFF_DRIVE * row.softness[lane];
        is_stiff && is_within && (keeps_speed || row.stiffness[lane] > 0.0)
    }

    /// Its three turns; with the limits that pushed last and are not `gone`, as many as there are turns that are not locked, and drives that are stiff and not at their largest force.
    pub(super) fn turns(&self, lane: usize, with_limits: bool, gone: Gone) -> Turns {
        let kinds = self.kinds_of_turns(lane, with_limits, gone);
        let driven = self.driven_places(lane, with_limits, gone);
        let axes = kinds.map(|turn| match turn {
            Turn::Free => Vector3::zeros(),
            Turn::Locked(0) => get(&self.twist, lane),
            Turn::Locked(axis) => get(&self.frame[usize::from(axis)], lane),
            Turn::Limit { row, .. } | Turn::Drive(row) => get(&self.row[usize::from(row)].torque, lane),
        });
        let softness = kinds.map(|turn| match turn {
            Turn::Drive(row) => self.row[usize::from(row)].softness[lane],
            _ => 0.0,
        });
        let of_place = |k: usize| if driven >> k & 1 == 1 { self.row[k].softness[lane] } else { 0.0 };
        Turns { kinds, axes, softness, driven, soft_places: [0, 1, 2].map(of_place), gone }
    }

    /// True where these are its turns, with the limits that pushed last, but for the sides of limits, which are brought up to date.
    pub(super) fn keeps_turns(&self, lane: usize, turns: &mut Turns) -> bool {
        let kinds = self.kinds_of_turns(lane, true, turns.gone);
        let are_same = turns.are(&kinds) && turns.driven == self.driven_places(lane, true, turns.gone);
        if are_same {
            turns.kinds = kinds;
        }
        are_same
    }

    /// Free places that drives hold.
    fn driven_places(&self, lane: usize, keeps_speed: bool, gone: Gone) -> u8 {
        if self.rows & 0b111 == 0 {
            return 0;
        }
        let is_held = |k: &usize| {
            let is_free = self.locked[*k] >> lane & 1 == 0 && !gone.is_full(*k);
            is_free && self.row[*k].given[2][lane] == 0.0 && self.is_held_by_drive(lane, *k, keeps_speed)
        };
        self.drives_of(lane).take_while(|&k| k < TWIST).filter(is_held).fold(0, |bits, k| bits | 1 << k)
    }

    fn kinds_of_turns(&self, lane: usize, with_limits: bool, gone: Gone) -> [Turn; 3] {
        let mut kinds = [Turn::Free; 3];
        let (mut held, mut row) = (0, 3);
        for axis in 0..3 {
            let turn = if self.locks_turn(lane, axis) {
                Turn::Locked(axis as u8)
            } else {
                let met = if with_limits { self.met_limit(lane, &mut row, gone.limits) } else { None };
                let Some(turn) = met else { continue };
                turn
            };
            kinds[held] = turn;
            held += 1;
        }
        if self.rows >> TWIST == 0 {
            return kinds;
        }
        let is_left = |k: usize| !gone.is_full(k) && !self.locks_turn(lane, k - TWIST);
        for k in self.drives_of(lane).filter(|&k| k >= TWIST && is_left(k)) {
            let is_at_limit =
                kinds.iter().any(|turn| matches!(turn, Turn::Limit { row, .. } if usize::from(*row) == k));
            if held < 3 && !is_at_limit && self.is_held_by_drive(lane, k, with_limits) {
                kinds[held] = Turn::Drive(k as u8);
                held += 1;
            }
        }
        kinds
    }

    /// The next limit of a turn from this row on that pushed last and was not let go.
    fn met_limit(&self, lane: usize, row: &mut usize, gone: u8) -> Option<Turn> {
        if self.rows >> 3 == 0 {
            return None;
        }
        while *row < ROWS {
            let k = *row;
            *row += 1;
            if k == SPAN || (self.rows & !gone) >> k & 1 == 0 {
                continue;
            }
            let own = &self.row[k];
            let given = own.given[2][lane];
            if own.own >> lane & 1 == 1 && given != 0.0 && own.mass[lane] > 0.0 {
                return Some(Turn::Limit { row: k as u8, is_lower: given > 0.0 });
            }
        }
        None
    }
}
