//! A small kernel with operations of every kind, run with each instruction set of this machine. Its machine
//! code shows whether lanes stay in registers: see "Choosing the instruction set" in `drystone_math::wide`.

use drystone_math::wide::{Isa, Kernel, Lanes, Mask, Wide};
use std::hint::black_box;

/// A vector in the first three entries.
type Row = [f32; 8];

/// Takes from each velocity what goes against the normal. Returns the largest closing speed and the sum of all.
struct StopClosing<'a> {
    velocities: &'a mut [[Row; 8]],
    normals: &'a [[Row; 8]],
}

impl Kernel for StopClosing<'_> {
    type Output = (f32, f32);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> (f32, f32) {
        let zero = lanes.splat(0.0);
        let (mut largest, mut sum) = (zero, zero);
        for (velocities, normals) in self.velocities.iter_mut().zip(self.normals) {
            let mut v = lanes.gather(velocities.each_ref());
            let [nx, ny, nz, ..] = lanes.gather(normals.each_ref());
            let speed = v[0] * nx + v[1] * ny + v[2] * nz;
            let is_closing = speed.less(zero);
            if !is_closing.any() {
                continue;
            }
            let closing = L::F32::select(is_closing, -speed, zero);
            (largest, sum) = (closing.max(largest), sum + closing);
            (v[0], v[1], v[2]) = (v[0] + closing * nx, v[1] + closing * ny, v[2] + closing * nz);
            lanes.scatter(v, velocities.each_mut(), is_closing);
        }
        (largest.largest(), sum.sum())
    }
}

fn main() {
    let rows = |x: f32| std::array::from_fn(|i| [x, i as f32 - 3.0, 0.0, 0.0, 9.0, 9.0, 9.0, 9.0]);
    let normals = [[[0.0, 1.0, 0.0, 0.0, 9.0, 9.0, 9.0, 9.0]; 8]; 2];
    for isa in Isa::all() {
        let mut velocities = [rows(1.0), rows(2.0)];
        let kernel = StopClosing { velocities: black_box(&mut velocities), normals: black_box(&normals) };
        let (largest, sum) = isa.run(kernel);
        println!("{}: largest closing speed {largest}, sum {sum}", isa.name());
    }
}
