//! Vectors and symmetric matrices in lanes: eight of each at a time.

use drystone_math::wide::{Lanes, Wide};

/// One value per lane, in memory.
pub(crate) type F8 = [f32; 8];

/// Eight vectors.
#[derive(Clone, Copy)]
pub(crate) struct Vec3<W> {
    pub(crate) x: W,
    pub(crate) y: W,
    pub(crate) z: W,
}

impl<W: Wide> Vec3<W> {
    #[inline(always)]
    pub(crate) fn load<L: Lanes<F32 = W>>(lanes: L, rows: &[F8; 3]) -> Self {
        Self { x: lanes.load(&rows[0]), y: lanes.load(&rows[1]), z: lanes.load(&rows[2]) }
    }

    #[inline(always)]
    pub(crate) fn store(self, rows: &mut [F8; 3]) {
        self.x.store(&mut rows[0]);
        self.y.store(&mut rows[1]);
        self.z.store(&mut rows[2]);
    }

    #[inline(always)]
    pub(crate) fn plus(self, o: Self) -> Self {
        Self { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }

    #[inline(always)]
    pub(crate) fn minus(self, o: Self) -> Self {
        Self { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }

    #[inline(always)]
    pub(crate) fn times(self, s: W) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s }
    }

    /// Each entry times that of the other one.
    #[inline(always)]
    pub(crate) fn scaled(self, o: Self) -> Self {
        Self { x: self.x * o.x, y: self.y * o.y, z: self.z * o.z }
    }

    /// `self + o s`.
    #[inline(always)]
    pub(crate) fn plus_times(self, o: Self, s: W) -> Self {
        Self { x: self.x + o.x * s, y: self.y + o.y * s, z: self.z + o.z * s }
    }

    #[inline(always)]
    pub(crate) fn dot(self, o: Self) -> W {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline(always)]
    pub(crate) fn cross(self, o: Self) -> Self {
        Self {
            x: self.y * o.z - self.z * o.y,
            y: self.z * o.x - self.x * o.z,
            z: self.x * o.y - self.y * o.x,
        }
    }
}

/// Eight symmetric matrices: xx, yy, zz, xy, xz, yz.
#[derive(Clone, Copy)]
pub(crate) struct Sym3<W>([W; 6]);

impl<W: Wide> Sym3<W> {
    #[inline(always)]
    pub(crate) fn load<L: Lanes<F32 = W>>(lanes: L, rows: &[F8; 6]) -> Self {
        Self(load_all(lanes, rows))
    }

    #[inline(always)]
    pub(crate) fn entries(&self) -> [W; 6] {
        self.0
    }

    /// Its entries along these axes.
    #[inline(always)]
    pub(crate) fn seen_from(&self, axes: &[Vec3<W>; 3]) -> [W; 6] {
        let [x, y, z] = [self.times(axes[0]), self.times(axes[1]), self.times(axes[2])];
        [axes[0].dot(x), axes[1].dot(y), axes[2].dot(z), axes[0].dot(y), axes[0].dot(z), axes[1].dot(z)]
    }

    /// Of entries in this order.
    #[inline(always)]
    pub(crate) fn of(entries: [W; 6]) -> Self {
        Self(entries)
    }

    #[inline(always)]
    pub(crate) fn times(&self, v: Vec3<W>) -> Vec3<W> {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        Vec3 {
            x: xx * v.x + xy * v.y + xz * v.z,
            y: xy * v.x + yy * v.y + yz * v.z,
            z: xz * v.x + yz * v.y + zz * v.z,
        }
    }
}

/// Loads several rows. A plain loop: iterators and `map` over lane values may stay calls, which an instruction
/// set that the crate is not built for cannot be inlined into.
#[inline(always)]
pub(crate) fn load_all<L: Lanes, const N: usize>(lanes: L, rows: &[F8; N]) -> [L::F32; N] {
    let mut out = [lanes.splat(0.0); N];
    let mut i = 0;
    while i < N {
        out[i] = lanes.load(&rows[i]);
        i += 1;
    }
    out
}
