//! Which pairs of a part need a look: what every gate tells, eight pairs side by side.
//!
//! How far the surfaces of a pair can approach ([`Approach::reach`]) is found on the way, once for all that asks for it later. The same
//! bits as from [`Gate::is_shut`], pair by pair, which debug assertions compare.

use super::approach::{Approach, UNFORESEEN};
use super::gate::Gate;
use super::pair::Context;
use crate::world::ColliderMotion;
use drystone_math::wide::{Isa, Kernel, LANES, Lanes, Mask, Wide};
use drystone_math::{Real, bits};

/// Eights of pairs in a part.
const EIGHTS: usize = u64::BITS as usize / LANES;

/// How far the surfaces of the pairs of a part can approach each other, m; see [`Approach::reach`].
pub(super) type Reaches = [[Real; LANES]; EIGHTS];

impl Context<'_> {
    /// Of the pairs `asked` of a part those that need no look: they are still apart or at rest. The last screening of S3's first phase (Fig 4),
    /// with the relative pose that [`Context::look`] compares. The reaches of eights with a pair that is asked for.
    pub(super) fn screen(&self, asked: u64, gates: &[Gate], reaches: &mut Reaches, isa: Isa) -> u64 {
        debug_assert!(
            bits(asked).all(|k| self.holds(&gates[k as usize])),
            "a gate promises more than the pair's gap"
        );
        let motions = self.colliders.motions();
        let shut = isa.run(Screen { approach: &self.approach, motions, gates, asked, reaches });
        if self.caches { shut } else { 0 }
    }
}

/// The work on one part.
struct Screen<'a> {
    approach: &'a Approach,
    motions: &'a [ColliderMotion],
    gates: &'a [Gate],
    asked: u64,
    reaches: &'a mut Reaches,
}

impl Kernel for Screen<'_> {
    /// The pairs that need no look.
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self { approach, motions, gates, asked, reaches } = self;
        let Some(last) = motions.len().checked_sub(1) else { return 0 };
        let mut shut = 0;
        for (eight, (gates, reaches)) in gates.as_chunks::<LANES>().0.iter().zip(reaches).enumerate() {
            let first = eight * LANES;
            let asked = (asked >> first) as u8;
            if asked == 0 {
                continue;
            }
            let mut pairs = [[&motions[0]; 2]; LANES];
            let mut lane = 0;
            while lane < LANES {
                // What is not asked for may be of colliders that are gone.
                let [a, b] = gates[lane].colliders();
                pairs[lane] = [&motions[last.min(a as usize)], &motions[last.min(b as usize)]];
                lane += 1;
            }
            let (limits, is_apart, may_rest) = limits(approach, gates, &pairs, reaches, lanes);
            let mut own = 0;
            for k in bits(u64::from(asked & is_apart)).map(|k| k as usize % LANES) {
                own |= u64::from(gates[k].is_beyond(limits[k], pairs[k])) << k;
            }
            for k in bits(u64::from(asked & may_rest)).map(|k| k as usize % LANES) {
                own |= u64::from(gates[k].is_unmoved(pairs[k])) << k;
            }
            debug_assert!(
                bits(asked.into())
                    .map(|k| k as usize)
                    .all(|k| { (own >> k & 1 == 1) == gates[k].is_shut(approach, pairs[k]) }),
                "the same pair by pair"
            );
            shut |= own << first;
        }
        shut
    }
}

/// The gaps (m) beyond which eight pairs are far apart, which of them were apart and which may be at rest still, and their reaches:
/// [`Approach::reach`], [`Gate::limit`] and [`Approach::is_slow`] in lanes.
#[inline(always)]
fn limits<L: Lanes>(
    approach: &Approach,
    gates: &[Gate; LANES],
    pairs: &[[&ColliderMotion; 2]; LANES],
    reaches: &mut [Real; LANES],
    lanes: L,
) -> ([Real; LANES], u8, u8) {
    let [ax, ay, az, turn_a, alone_a, ..] = columns(pairs, 0, lanes);
    let [bx, by, bz, turn_b, alone_b, ..] = columns(pairs, 1, lanes);
    let (x, y, z) = (bx - ax, by - ay, bz - az);
    let between = x * x + y * y + z * z;
    let by_a = (ax * ax + ay * ay + az * az) * (alone_a * alone_a);
    let by_b = (bx * bx + by * by + bz * bz) * (alone_b * alone_b);
    let reach = between.max(by_a).max(by_b).sqrt() + turn_a + turn_b;
    reach.store(reaches);

    let mut rows = [[0.0; LANES]; LANES];
    let mut lane = 0;
    while lane < LANES {
        let [x, y, z, known] = *gates[lane].row();
        rows[lane] = [x, y, z, known, 0.0, 0.0, 0.0, 0.0];
        lane += 1;
    }
    let [x, y, z, known, ..] = gathered(&rows, lanes);
    let is_apart = known.equal(lanes.splat(Gate::APART)).bits();
    let is_at_rest = known.equal(lanes.splat(Gate::AT_REST));
    let least = lanes.splat(approach.base + approach.tolerance);
    if approach.ahead == 0.0 {
        return (least.to_array(), is_apart, is_at_rest.bits());
    }
    let (along_a, along_b) = (x * ax + y * ay + z * az, x * bx + y * by + z * bz);
    let apart = (-along_b * alone_b).max((along_a * alone_a).max(lanes.splat(0.0)));
    let together = (along_a - along_b).max(apart);
    let farthest = lanes.splat(approach.unit) + together + lanes.splat(UNFORESEEN) * reach;
    // What is no number stays none, and nothing is beyond it.
    let limit = least.max(farthest + turn_a + turn_b);
    let is_slow = !(reach + lanes.splat(approach.unit)).greater(lanes.splat(approach.base));
    (limit.to_array(), is_apart, (is_at_rest & is_slow).bits())
}

/// Way (x, y, z), turn and share that counts alone of one collider of each pair.
#[inline(always)]
fn columns<L: Lanes>(pairs: &[[&ColliderMotion; 2]; LANES], side: usize, lanes: L) -> [L::F32; LANES] {
    let mut rows = [[0.0; LANES]; LANES];
    let mut lane = 0;
    while lane < LANES {
        let motion = pairs[lane][side];
        let way = &motion.way;
        rows[lane] = [way.x, way.y, way.z, motion.turn, motion.alone, 0.0, 0.0, 0.0];
        lane += 1;
    }
    gathered(&rows, lanes)
}

#[inline(always)]
fn gathered<L: Lanes>(r: &[[f32; LANES]; LANES], lanes: L) -> [L::F32; LANES] {
    lanes.gather([&r[0], &r[1], &r[2], &r[3], &r[4], &r[5], &r[6], &r[7]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::{Position, Vector3};

    /// Numbers from −1 to 1 that look random.
    fn noise(seed: u32) -> impl FnMut() -> Real {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as Real / 8_388_608.0 - 1.0
        }
    }

    fn motion(next: &mut impl FnMut() -> Real) -> ColliderMotion {
        let mut vector = |size: Real| Vector3::new(next(), next(), next()) * size;
        let (origin, way) = (vector(1.0), vector(0.1));
        ColliderMotion {
            origin: Position::from(drystone_math::widen(&origin)),
            way,
            turn: next().abs() * 0.01,
            alone: next().abs(),
            travelled: f64::from(next()) * 0.001,
            turned: f64::from(next()) * 0.001,
            ..ColliderMotion::default()
        }
    }

    /// Lanes tell of every pair what its gate tells by itself, to the bit, with every instruction set, also of what is no number and of
    /// gates of colliders that are gone beside them.
    #[test]
    fn eight_gates_tell_what_each_tells_by_itself() {
        let with = |ahead| Approach { base: 0.02, tolerance: 0.001, unit: 0.01, ahead, slack: 0.001 };
        let mut counts = [0; 2];
        for (round, approach) in [with(0.0), with(0.1), with(0.1)].into_iter().enumerate() {
            let mut next = noise(round as u32);
            let mut motions: Vec<_> = (0..20).map(|_| motion(&mut next)).collect();
            motions[7].way.x = Real::NAN;
            motions[8].turned = f64::INFINITY;
            let gates: Vec<_> = (0..64_u32)
                .map(|k| {
                    let mut gate = Gate::open([k % 20, (7 * k + 3) % 20]);
                    let axis = Vector3::new(next(), next(), next()).normalize();
                    match k % 5 {
                        0 => {}
                        1 => gate.rest(0.001, gate.motions(&motions)),
                        _ => gate.learn(&axis, next().abs() * 0.3, gate.motions(&motions)),
                    }
                    if k % 11 == 10 { Gate::open([99, k]) } else { gate }
                })
                .collect();
            for motion in &mut motions {
                motion.origin.x += 0.05 * f64::from(next());
                motion.travelled += 0.0006 * f64::from(next().abs());
            }
            let asked = (0..64).filter(|k| k % 11 != 10 && k / 8 != 3).fold(0, |set, k| set | 1_u64 << k);
            for isa in Isa::all() {
                let mut reaches = Reaches::default();
                let screen = Screen {
                    approach: &approach,
                    motions: &motions,
                    gates: &gates,
                    asked,
                    reaches: &mut reaches,
                };
                let shut = isa.run(screen);
                assert_eq!(shut & !asked, 0);
                for k in bits(asked).map(|k| k as usize) {
                    let pair = gates[k].motions(&motions);
                    let is_shut = shut >> k & 1 == 1;
                    assert_eq!(is_shut, gates[k].is_shut(&approach, pair), "{k} {}", isa.name());
                    let (reach, alone) = (reaches.as_flattened()[k], approach.reach(pair));
                    assert!(reach == alone || reach.is_nan() && alone.is_nan(), "{reach} is not {alone}");
                    counts[usize::from(is_shut)] += 1;
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
    }
}
