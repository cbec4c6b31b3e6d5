//! One coordinate of eight ties, and those of a block.
use super::single::FAR;
use crate::vector::F8;
use drystone_contact::{TIE_AXES, TieDrive};
use drystone_math::Real;
use std::ops::{Index, IndexMut};

/// Coordinates, and the angle of the cone.
pub(super) const ROWS: usize = TIE_AXES + 1;
/// Place of the cone among them.
pub(super) const CONE: usize = TIE_AXES;
/// One coordinate of eight ties: drive, friction and limits along one direction. With it goes what keeps what is locked meanwhile.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Row {
    /// Force and torque of a unit impulse on B, world.
    pub(super) force: [F8; 3],
    pub(super) torque: [F8; 3],
    /// Speed along the direction by a unit impulse, and its inverse; 0 in lanes without.
    pub(super) response: F8,
    pub(super) mass: F8,
    /// Speed at which the coordinate grows beside that of the bodies along the direction, m/s.
    pub(super) bend: F8,
    /// Ways that are left to the limits within the sub-step, as speeds: what is beyond one counts as at it.
    pub(super) room: [F8; 2],
    /// Of the drive: its mass, softness, wanted speed and largest impulse.
    pub(super) drive_mass: F8,
    pub(super) softness: F8,
    pub(super) wanted: F8,
    pub(super) most: F8,
    /// Largest impulse of friction.
    pub(super) rub: F8,
    /// Impulses of the sub-step: drive, friction, limits.
    pub(super) given: [F8; 3],
    /// What is beyond a limit, m or rad.
    pub(super) beyond: F8,
    /// Lanes that have this row, and those of them that are driven.
    pub(super) own: u8,
    pub(super) driven: u8,
    /// Limits of the coordinate, m or rad; infinite without, and where it is locked.
    pub(super) limits: [F8; 2],
    /// Of the drive: what it wants at its target, m/s or rad/s, the target, and what a way to it adds, 1/s.
    pub(super) speed: F8,
    pub(super) target: F8,
    pub(super) pull: F8,
}

impl Row {
    pub(super) const NONE: Self = Self {
        force: [[0.0; 8]; 3],
        torque: [[0.0; 8]; 3],
        response: [0.0; 8],
        mass: [0.0; 8],
        bend: [0.0; 8],
        room: [[FAR; 8]; 2],
        drive_mass: [0.0; 8],
        softness: [0.0; 8],
        wanted: [0.0; 8],
        most: [0.0; 8],
        rub: [0.0; 8],
        given: [[0.0; 8]; 3],
        beyond: [0.0; 8],
        own: 0,
        driven: 0,
        limits: [[Real::NEG_INFINITY; 8], [Real::INFINITY; 8]],
        speed: [0.0; 8],
        target: [0.0; 8],
        pull: [0.0; 8],
    };

    /// What of it stays for a step of sub-steps of `h` seconds: the limits, and the drive, as an implicit step takes a spring and damper.
    pub(super) fn fill(&mut self, lane: usize, limits: [Real; 2], drive: Option<&TieDrive>, h: Real) {
        self.own |= 1 << lane;
        self.limits.iter_mut().zip(limits).for_each(|(own, limit)| own[lane] = limit);
        let Some(drive) = drive else { return };
        self.rub[lane] = drive.friction * h;
        self.most[lane] = (drive.most * h).min(Real::MAX);
        let strength = drive.damping + h * drive.stiffness;
        if drive.most == 0.0 || strength == 0.0 {
            return;
        }
        self.driven |= 1 << lane;
        self.target[lane] = drive.target;
        // Infinite damping: softness 0, and nothing of the spring is felt.
        let is_finite = strength.is_finite();
        self.softness[lane] = if is_finite { 1.0 / (h * strength) } else { 0.0 };
        self.pull[lane] = if is_finite { drive.stiffness / strength } else { 0.0 };
        self.speed[lane] = drive.speed * if is_finite { drive.damping / strength } else { 1.0 };
    }
}

/// The rows of a block, by their places. They are twice as large as all else of it and many joints have none, so they are in memory of
/// their own, which is there since a row was first changed.
#[derive(Clone, Debug)]
pub(super) struct Rows(Option<Box<[Row; ROWS]>>);

impl Rows {
    pub(super) const NONE: Self = Self(None);

    /// Those that there is memory for.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.0.iter_mut().flat_map(|rows| rows.iter_mut())
    }
}

impl Index<usize> for Rows {
    type Output = Row;

    #[inline(always)]
    fn index(&self, k: usize) -> &Row {
        match &self.0 {
            Some(rows) => &rows[k],
            None => const { &Row::NONE },
        }
    }
}

impl IndexMut<usize> for Rows {
    #[inline(always)]
    fn index_mut(&mut self, k: usize) -> &mut Row {
        &mut self.0.get_or_insert_with(|| Box::new([Row::NONE; ROWS]))[k]
    }
}
