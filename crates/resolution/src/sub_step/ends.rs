//! The two bodies of eight manifolds in lanes: gathered, seen from the contact, pushed and written back.

#![expect(unsafe_code, reason = "changes disjoint bodies of one array; colours keep them apart")]

use super::block::Block;
use crate::vector::{Sym3, Vec3};
use drystone_contact::SharedBodyStates;
use drystone_math::wide::{Lanes, Wide};

/// Both halves of gathered rows.
#[inline(always)]
fn halves<W: Wide>(c: &[W; 8]) -> [Vec3<W>; 2] {
    [Vec3 { x: c[0], y: c[1], z: c[2] }, Vec3 { x: c[4], y: c[5], z: c[6] }]
}

/// Both bodies of a block, gathered: `v, 1/m | w, flags`.
pub(super) struct Ends<W> {
    pub(super) a: [W; 8],
    pub(super) b: [W; 8],
}

impl<W: Wide> Ends<W> {
    /// # Safety
    /// As [`SharedBodyStates::velocities`].
    #[inline(always)]
    pub(super) unsafe fn gather<L: Lanes<F32 = W>, const P: usize, const Q: usize, const GROUND: bool>(
        lanes: L,
        block: &Block<P, Q>,
        hot: &SharedBodyStates<'_>,
    ) -> Self {
        let zero = [lanes.splat(0.0); 8];
        // SAFETY: passed on.
        unsafe {
            Self {
                a: if GROUND { zero } else { lanes.gather(hot.velocities(&block.ends[0])) },
                b: lanes.gather(hot.velocities(&block.ends[1])),
            }
        }
    }

    /// Velocity and angular velocity of B relative to A at the middle.
    #[inline(always)]
    pub(super) fn relative<const GROUND: bool>(&self, arms: &[Vec3<W>; 2]) -> [Vec3<W>; 2] {
        let [vb, wb] = halves(&self.b);
        let at_b = vb.plus(wb.cross(arms[1]));
        if GROUND {
            return [at_b, wb];
        }
        let [va, wa] = halves(&self.a);
        [at_b.minus(va.plus(wa.cross(arms[0]))), wb.minus(wa)]
    }

    /// Applies a wrench to B and its opposite to A, and writes back velocities (half 0) or displacements (half 1). A torque of `None` costs
    /// nothing.
    ///
    /// # Safety
    /// As [`SharedBodyStates::set_half`].
    #[inline(always)]
    pub(super) unsafe fn push<
        const HALF: usize,
        L: Lanes<F32 = W>,
        const P: usize,
        const Q: usize,
        const GROUND: bool,
    >(
        mut self,
        lanes: L,
        block: &Block<P, Q>,
        hot: &SharedBodyStates<'_>,
        arms: &[Vec3<W>; 2],
        force: Vec3<W>,
        torque: Option<Vec3<W>>,
    ) {
        let mass = lanes.load(&block.inverse_mass[1]);
        let inertia = Sym3::load(lanes, &block.inverse_inertia[1]);
        let spin = inertia.times(moment(arms[1], force, torque));
        self.b[0] = self.b[0] + force.x * mass;
        self.b[1] = self.b[1] + force.y * mass;
        self.b[2] = self.b[2] + force.z * mass;
        self.b[4] = self.b[4] + spin.x;
        self.b[5] = self.b[5] + spin.y;
        self.b[6] = self.b[6] + spin.z;
        // SAFETY: passed on.
        unsafe { hot.set_half::<HALF, L>(lanes, &block.ends[1], self.b, &block.inverse_mass[1]) };
        if GROUND {
            return;
        }
        let mass = lanes.load(&block.inverse_mass[0]);
        let inertia = Sym3::load(lanes, &block.inverse_inertia[0]);
        let spin = inertia.times(moment(arms[0], force, torque));
        self.a[0] = self.a[0] - force.x * mass;
        self.a[1] = self.a[1] - force.y * mass;
        self.a[2] = self.a[2] - force.z * mass;
        self.a[4] = self.a[4] - spin.x;
        self.a[5] = self.a[5] - spin.y;
        self.a[6] = self.a[6] - spin.z;
        // SAFETY: passed on.
        unsafe { hot.set_half::<HALF, L>(lanes, &block.ends[0], self.a, &block.inverse_mass[0]) };
    }
}

/// Moment about a centre of mass of a force at the end of an arm, and of a torque beside it.
#[inline(always)]
fn moment<W: Wide>(arm: Vec3<W>, force: Vec3<W>, torque: Option<Vec3<W>>) -> Vec3<W> {
    let of_force = arm.cross(force);
    if let Some(torque) = torque { of_force.plus(torque) } else { of_force }
}

/// The frame and arms of a block.
pub(super) struct Frame<W> {
    pub(super) n: Vec3<W>,
    pub(super) t1: Vec3<W>,
    pub(super) t2: Vec3<W>,
    pub(super) arms: [Vec3<W>; 2],
}

impl<W: Wide> Frame<W> {
    #[inline(always)]
    pub(super) fn load<L: Lanes<F32 = W>, const P: usize, const Q: usize>(
        lanes: L,
        block: &Block<P, Q>,
    ) -> Self {
        let n = Vec3::load(lanes, &block.normal);
        let t1 = Vec3::load(lanes, &block.tangent);
        let arms = [Vec3::load(lanes, &block.arms[0]), Vec3::load(lanes, &block.arms[1])];
        Self { n, t1, t2: n.cross(t1), arms }
    }

    /// A torque about `t1`, `t2` and `n` that acts at several points; a single one bears none.
    #[inline(always)]
    pub(super) fn torque<const P: usize>(&self, about: [W; 3]) -> Option<Vec3<W>> {
        if P == 1 {
            return None;
        }
        Some(self.t1.times(about[0]).plus_times(self.t2, about[1]).plus_times(self.n, about[2]))
    }
}
