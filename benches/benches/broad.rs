//! Broad phases: time of one update in which some boxes moved by about the margin of a fat box.
//!
//! The item counter counts *changed proxies*, so that 1 Mitem/s means 1 µs per changed proxy. Every box has
//! about 1 m on average and one to three overlapping neighbours; a fixed ground lies below all. Places are
//! random, so neighbours are far apart in memory: the worst case of 100 000 (in order of place, it takes half).

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use drystone_collision::broad::{
    BroadPhase, BruteForce, DynamicTree, HierarchicalHashGrid, PairChanges, Proxies, ProxyFilter,
};
use drystone_exec::Exec;
use drystone_math::{Aabb, BitSet, Displacement, Position};

fn main() {
    divan::main();
}

/// How large the boxes are.
#[derive(Clone, Copy, Debug)]
enum Sizes {
    /// 0.8 to 1.2 m.
    Uniform,
    /// Log-normal, standard deviation 0.7 in the logarithm.
    LogNormal,
}

/// One row of the table: boxes, sizes, percent that moved.
#[derive(Clone, Copy, Debug)]
struct Case(usize, Sizes, usize);

/// SplitMix64, numbers in [0, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Roughly normal: twelve uniform numbers have variance 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// Two states that differ in the movers.
struct Scene {
    states: [Vec<Aabb>; 2],
    filters: Vec<ProxyFilter>,
    changed: BitSet,
}

impl Scene {
    fn new(Case(count, sizes, percent): Case) -> Self {
        let mut random = Random(7);
        let side = (count as f64 / 0.4).cbrt();
        let mut ground = Aabb::EVERYTHING;
        ground.max.y = 0.5;
        let mut states = [vec![ground], vec![ground]];
        let mut changed = BitSet::new();
        changed.resize(count as u32 + 1);
        for i in 0..count {
            let center = Position::new(side * random.next(), side * random.next(), side * random.next());
            let size = match sizes {
                Sizes::Uniform => 0.8 + 0.4 * random.next(),
                // Divided by exp(0.7^2 / 2 * 3), so that the boxes fill as much as those of 1 m.
                Sizes::LogNormal => (0.7 * random.normal()).exp() / 2.08,
            };
            let half = Displacement::new(0.5, 0.3 + 0.2 * random.next(), 0.5) * size;
            let mut step = Displacement::zeros();
            if i * 7919 % 100 < percent {
                changed.insert(i as u32 + 1);
                step = Displacement::new(random.next(), random.next(), random.next()).add_scalar(-0.5) * 0.2;
            }
            states[0].push(Aabb::from_center(center, half));
            states[1].push(Aabb::from_center(center + step, half));
        }
        let filters = (0..=count as u32)
            .map(|owner| ProxyFilter { member_of: 1, meets: 1, fixed: owner == 0, owner })
            .collect();
        Self { states, filters, changed }
    }

    fn proxies<'a>(&'a self, state: usize, changed: &'a BitSet) -> Proxies<'a> {
        Proxies { boxes: &self.states[state], filters: &self.filters, changed }
    }
}

fn update(bencher: Bencher<'_, '_>, broad: &mut impl BroadPhase, exec: &Exec, case: Case) {
    let scene = Scene::new(case);
    let mut changes = PairChanges::default();
    broad.update(scene.proxies(0, &BitSet::new()), exec, &mut changes);
    // To and fro once, for the capacities.
    for state in [1, 0] {
        broad.update(scene.proxies(state, &scene.changed), exec, &mut changes);
    }
    let mut state = 0;
    bencher.counter(ItemsCount::new(scene.changed.count())).bench_local(|| {
        state = 1 - state;
        black_box(broad.update(scene.proxies(state, &scene.changed), exec, &mut changes))
    });
}

const CASES: [Case; 16] = {
    use Sizes::{LogNormal, Uniform};
    [
        Case(100, Uniform, 5),
        Case(100, Uniform, 100),
        Case(1_000, Uniform, 5),
        Case(1_000, Uniform, 100),
        Case(10_000, Uniform, 5),
        Case(10_000, Uniform, 100),
        Case(100_000, Uniform, 5),
        Case(100_000, Uniform, 100),
        Case(100, LogNormal, 5),
        Case(100, LogNormal, 100),
        Case(1_000, LogNormal, 5),
        Case(1_000, LogNormal, 100),
        Case(10_000, LogNormal, 5),
        Case(10_000, LogNormal, 100),
        Case(100_000, LogNormal, 5),
        Case(100_000, LogNormal, 100),
    ]
};

#[divan::bench(args = CASES, sample_count = 40)]
fn hash_grid(bencher: Bencher<'_, '_>, case: Case) {
    update(bencher, &mut HierarchicalHashGrid::default(), &Exec::serial(), case);
}

#[divan::bench(args = CASES, sample_count = 40)]
fn tree(bencher: Bencher<'_, '_>, case: Case) {
    update(bencher, &mut DynamicTree::new(), &Exec::serial(), case);
}

#[divan::bench(args = [Case(10_000, Sizes::Uniform, 100), Case(100_000, Sizes::Uniform, 100)], sample_count = 40)]
fn tree_2_threads(bencher: Bencher<'_, '_>, case: Case) {
    let exec = Exec::with_threads(2).unwrap_or_else(|_| Exec::serial());
    let _awake = exec.wake();
    update(bencher, &mut DynamicTree::new(), &exec, case);
}

#[divan::bench(args = [Case(10_000, Sizes::Uniform, 100), Case(100_000, Sizes::Uniform, 100)], sample_count = 40)]
fn hash_grid_2_threads(bencher: Bencher<'_, '_>, case: Case) {
    // Without threads (feature `parallel` off) the row is that of one.
    let exec = Exec::with_threads(2).unwrap_or_else(|_| Exec::serial());
    let _awake = exec.wake();
    update(bencher, &mut HierarchicalHashGrid::default(), &exec, case);
}

#[divan::bench(args = [Case(100, Sizes::Uniform, 100), Case(1_000, Sizes::Uniform, 100)], sample_count = 40)]
fn brute_force(bencher: Bencher<'_, '_>, case: Case) {
    update(bencher, &mut BruteForce::new(), &Exec::serial(), case);
}

/// From nothing: all boxes are new, tables grow, all pairs begin.
#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 10)]
fn hash_grid_first_update(bencher: Bencher<'_, '_>, count: usize) {
    let scene = Scene::new(Case(count, Sizes::Uniform, 100));
    let exec = Exec::serial();
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let (mut grid, mut changes) = (HierarchicalHashGrid::default(), PairChanges::default());
        black_box(grid.update(scene.proxies(0, &scene.changed), &exec, &mut changes))
    });
}

/// Nothing moved.
#[divan::bench(args = [1_000, 100_000])]
fn hash_grid_at_rest(bencher: Bencher<'_, '_>, count: usize) {
    let scene = Scene::new(Case(count, Sizes::Uniform, 100));
    let (exec, nothing) = (Exec::serial(), BitSet::new());
    let (mut grid, mut changes) = (HierarchicalHashGrid::default(), PairChanges::default());
    grid.update(scene.proxies(0, &scene.changed), &exec, &mut changes);
    bencher.bench_local(|| black_box(grid.update(scene.proxies(0, &nothing), &exec, &mut changes)));
}
