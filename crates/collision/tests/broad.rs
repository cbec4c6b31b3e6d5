//! The broad phases against each other. [`BruteForce`] is the reference: it tests everything and is read
//! in a minute. What the others report is checked against it, and against the contract of the trait.

use drystone_collision::broad::{
    BroadPhase, BroadReport, BruteForce, DynamicTree, HashGridConfig, HierarchicalHashGrid, Pair,
    PairChanges, Proxies, ProxyFilter, UniformGridConfig, UniformHashGrid,
};
use drystone_exec::Exec;
use drystone_math::{Aabb, BitSet, Displacement, Position};
use proptest::prelude::*;
use std::collections::BTreeSet;

const OPEN: ProxyFilter = ProxyFilter { member_of: 1, meets: 1, fixed: false, owner: 0 };

/// What a caller of a broad phase keeps.
#[derive(Clone, Default)]
struct World {
    boxes: Vec<Aabb>,
    filters: Vec<ProxyFilter>,
    changed: BitSet,
}

impl World {
    fn push(&mut self, aabb: Aabb, filter: ProxyFilter) {
        let owner = self.boxes.len() as u32;
        self.boxes.push(aabb);
        self.filters.push(ProxyFilter { owner, ..filter });
        self.changed.resize(self.boxes.len() as u32);
        self.changed.insert(owner);
    }

    fn set(&mut self, proxy: usize, aabb: Aabb) {
        self.boxes[proxy] = aabb;
        self.changed.insert(proxy as u32);
    }

    fn proxies(&self) -> Proxies<'_> {
        Proxies { boxes: &self.boxes, filters: &self.filters, changed: &self.changed }
    }
}

/// Updates `broad`, checks that its changes are sorted and fit what was alive, and applies them to that.
fn update(
    broad: &mut dyn BroadPhase,
    world: &World,
    exec: &Exec,
    alive: &mut BTreeSet<Pair>,
) -> (PairChanges, BroadReport) {
    let mut changes = PairChanges { begun: vec![Pair { a: 7, b: 8 }], ended: Vec::new() };
    let report = broad.update(world.proxies(), exec, &mut changes);
    for list in [&changes.begun, &changes.ended] {
        assert!(list.windows(2).all(|w| w[0] < w[1]), "sorted, each once: {list:?}");
        assert!(list.iter().all(|pair| pair.a < pair.b));
    }
    for pair in &changes.ended {
        assert!(alive.remove(pair), "{pair:?} ended but was not alive");
    }
    for pair in &changes.begun {
        assert!(alive.insert(*pair), "{pair:?} began but was alive");
    }
    assert_eq!(report.pairs as usize, alive.len());
    (changes, report)
}

/// Where boxes are made.
#[derive(Clone, Copy, Debug)]
enum Region {
    Spread,
    Clumped,
    HugeAndTiny,
    Wall,
    Far,
}

fn region() -> impl Strategy<Value = Region> {
    prop_oneof![
        Just(Region::Spread),
        Just(Region::Clumped),
        Just(Region::HugeAndTiny),
        Just(Region::Wall),
        Just(Region::Far)
    ]
}

fn unit() -> impl Strategy<Value = f64> {
    -1.0..1.0
}

/// A box of a region, from seven numbers in (-1, 1).
fn box_in(region: Region, [x, y, z, a, b, c, s]: [f64; 7]) -> Aabb {
    let around = |center: [f64; 3], scale: f64| {
        let half = Displacement::new(a.abs(), b.abs(), c.abs()) * scale;
        Aabb::from_center(Position::from(center), half)
    };
    match region {
        Region::Spread => around([10.0 * x, 10.0 * y, 10.0 * z], 1.5),
        Region::Clumped => around([0.3 * x, 0.3 * y, 0.3 * z], 0.1),
        Region::HugeAndTiny => around([20.0 * x, 20.0 * y, 20.0 * z], 10f64.powf(5.0 * s - 2.0)),
        Region::Wall => around([60.0 * x, 60.0 * y, 0.01 * z], 2.0),
        Region::Far => around([1e7 + 8.0 * x, -1e7 + 8.0 * y, 1e7 + 8.0 * z], 1.5),
    }
}

/// A box that is not an ordinary one.
fn odd_box(kind: u8, aabb: Aabb) -> Aabb {
    let mut odd = aabb;
    match kind % 9 {
        0 => odd.min.y = f64::MIN,
        1 => (odd.min, odd.max) = (Aabb::EVERYTHING.min, Aabb::EVERYTHING.max),
        2 => odd.max.z = f64::NAN,
        3 => odd.min.x = f64::NEG_INFINITY,
        4 => (odd.min.x, odd.max.x) = (f64::NEG_INFINITY, f64::INFINITY),
        5 => odd.max = odd.min,
        6 => odd.max.x = odd.min.x + 1e60,
        7 => {
            let all = Position::new(f64::INFINITY, f64::INFINITY, f64::INFINITY);
            (odd.min, odd.max) = (-all, all);
        }
        _ => (odd.min.x, odd.max.x) = (1e200, 1e200),
    }
    odd
}

/// One thing a caller may do between two updates; `at` picks the proxy.
#[derive(Clone, Debug)]
enum Operation {
    Add(Region, [f64; 7], u8),
    AddOdd(u8, Region, [f64; 7]),
    Move { at: prop::sample::Index, by: [f64; 3] },
    Replace { at: prop::sample::Index, region: Region, numbers: [f64; 7] },
    Resize { at: prop::sample::Index, by: f64 },
    MakeOdd { at: prop::sample::Index, kind: u8 },
    Remove { at: prop::sample::Index },
    Filter { at: prop::sample::Index, bits: u8 },
    MoveAll { by: [f64; 3] },
    DropLast,
    Update,
}

fn filter(bits: u8) -> ProxyFilter {
    let [member_of, meets] = [u32::from(bits & 3) | 1, u32::from(bits >> 2 & 3) | 1];
    ProxyFilter { member_of, meets: if bits >> 6 == 3 { 2 } else { meets }, fixed: bits & 16 != 0, owner: 0 }
}

fn operation() -> impl Strategy<Value = Operation> {
    let numbers = || prop::array::uniform7(unit());
    let index = any::<prop::sample::Index>;
    prop_oneof![
        8 => (region(), numbers(), any::<u8>()).prop_map(|(r, n, b)| Operation::Add(r, n, b)),
        1 => (any::<u8>(), region(), numbers()).prop_map(|(k, r, n)| Operation::AddOdd(k, r, n)),
        4 => (index(), prop::array::uniform3(unit())).prop_map(|(at, by)| Operation::Move { at, by }),
        2 => (index(), region(), numbers())
            .prop_map(|(at, region, numbers)| Operation::Replace { at, region, numbers }),
        2 => (index(), 0.01..4.0).prop_map(|(at, by)| Operation::Resize { at, by }),
        1 => (index(), any::<u8>()).prop_map(|(at, kind)| Operation::MakeOdd { at, kind }),
        1 => index().prop_map(|at| Operation::Remove { at }),
        2 => (index(), any::<u8>()).prop_map(|(at, bits)| Operation::Filter { at, bits }),
        1 => prop::array::uniform3(unit()).prop_map(|by| Operation::MoveAll { by }),
        1 => Just(Operation::DropLast),
        4 => Just(Operation::Update),
    ]
}

impl World {
    fn apply(&mut self, operation: &Operation) {
        if self.boxes.is_empty() && !matches!(operation, Operation::Add(..) | Operation::AddOdd(..)) {
            return;
        }
        let len = self.boxes.len();
        match *operation {
            Operation::Add(region, numbers, bits) => self.push(box_in(region, numbers), filter(bits)),
            Operation::AddOdd(kind, region, numbers) => {
                self.push(odd_box(kind, box_in(region, numbers)), filter(kind));
            }
            Operation::Move { at, by } => {
                let (i, by) = (at.index(len), Displacement::from(by));
                self.set(i, Aabb::new(self.boxes[i].min + by, self.boxes[i].max + by));
            }
            Operation::Replace { at, region, numbers } => self.set(at.index(len), box_in(region, numbers)),
            Operation::Resize { at, by } => {
                let aabb = self.boxes[at.index(len)];
                let max = aabb.min + aabb.extents() * by;
                self.set(at.index(len), Aabb::new(aabb.min, max));
            }
            Operation::MakeOdd { at, kind } => {
                self.set(at.index(len), odd_box(kind, self.boxes[at.index(len)]))
            }
            Operation::Remove { at } => self.set(at.index(len), Aabb::EMPTY),
            Operation::Filter { at, bits } => {
                let i = at.index(len);
                self.filters[i] = ProxyFilter { owner: u32::from(bits % 5), ..filter(bits) };
                self.set(i, self.boxes[i]);
            }
            Operation::MoveAll { by } => {
                for i in 0..len {
                    let (aabb, by) = (self.boxes[i], Displacement::from(by) * (i % 3) as f64);
                    self.set(i, Aabb::new(aabb.min + by, aabb.max + by));
                }
            }
            Operation::DropLast => {
                // The slots go away without being marked.
                self.boxes.truncate(len - 1);
                self.filters.truncate(len - 1);
                self.changed.resize(len as u32 - 1);
            }
            Operation::Update => {}
        }
    }
}

/// Every broad phase but the reference, with settings far apart.
fn all() -> [Box<dyn BroadPhase>; 8] {
    let config = HashGridConfig::default();
    let grid = |config| HierarchicalHashGrid::new(config).expect("the settings are valid");
    [
        Box::new(HierarchicalHashGrid::default()),
        Box::new(grid(HashGridConfig {
            activation_threshold: 0,
            initial_cells: 64,
            hierarchy_factor: 1.3,
            ..config.clone()
        })),
        Box::new(grid(HashGridConfig {
            activation_threshold: 0,
            initial_cells: 64,
            minimal_grid_density: 1,
            cell_size: 0.3,
            hierarchy_factor: 5.0,
        })),
        Box::new(DynamicTree::new()),
        Box::new(UniformHashGrid::default()),
        uniform(Some(0.3), 1 << 12),
        uniform(Some(7.0), 512),
        uniform(None, 1),
    ]
}

fn uniform(cell_size: Option<f64>, most_cells: u32) -> Box<dyn BroadPhase> {
    Box::new(
        UniformHashGrid::new(UniformGridConfig { cell_size, most_cells }).expect("the settings are valid"),
    )
}

/// Those that are meant for use.
fn usual() -> [fn() -> Box<dyn BroadPhase>; 3] {
    [
        || Box::new(HierarchicalHashGrid::default()),
        || Box::new(DynamicTree::new()),
        || Box::new(UniformHashGrid::default()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    /// After any operations every broad phase reports what brute force reports, whatever its settings.
    #[test]
    fn all_find_the_pairs_of_brute_force(
        start in prop::collection::vec((region(), prop::array::uniform7(unit()), any::<u8>()), 0..150),
        operations in prop::collection::vec(operation(), 0..150),
    ) {
        let exec = Exec::serial();
        let mut world = World::default();
        for (region, numbers, bits) in start {
            world.push(box_in(region, numbers), filter(bits));
        }
        let (mut oracle, mut others) = (BruteForce::new(), all());
        let mut alive: [BTreeSet<Pair>; 9] = Default::default();
        for operation in operations.iter().chain([&Operation::Update]) {
            world.apply(operation);
            if matches!(operation, Operation::Update) {
                let (expected, a) = update(&mut oracle, &world, &exec, &mut alive[0]);
                for (other, alive) in others.iter_mut().zip(&mut alive[1..]) {
                    let (found, b) = update(other.as_mut(), &world, &exec, alive);
                    prop_assert_eq!(&found, &expected);
                    prop_assert_eq!((a.proxies, a.changed, a.not_a_number), (b.proxies, b.changed, b.not_a_number));
                }
                world.changed.clear();
            }
        }
        for alive in &alive {
            prop_assert!(alive.iter().eq(oracle.pairs()));
        }
    }

    /// Slots may be handed out in any order: the pairs are those of the same boxes.
    #[test]
    fn insertion_order_does_not_matter(
        numbers in prop::collection::vec((region(), prop::array::uniform7(unit()), any::<u8>()), 1..200),
        order in any::<prop::sample::Index>(),
    ) {
        let exec = Exec::serial();
        let mut world = World::default();
        for &(region, numbers, bits) in &numbers {
            world.push(box_in(region, numbers), filter(bits));
        }
        let mut at_once = usual().map(|make| make());
        let mut expected = [0; 3].map(|_| BTreeSet::new());
        for (broad, alive) in at_once.iter_mut().zip(&mut expected) {
            update(broad.as_mut(), &world, &exec, alive);
        }
        // One by one, from some slot on, backwards.
        let mut late = World { boxes: vec![Aabb::EMPTY; numbers.len()], ..world.clone() };
        let mut one_by_one = usual().map(|make| make());
        let mut alive = [0; 3].map(|_| BTreeSet::new());
        for i in 0..numbers.len() {
            let slot = (numbers.len() - i + order.index(numbers.len())) % numbers.len();
            late.set(slot, world.boxes[slot]);
            for (broad, alive) in one_by_one.iter_mut().zip(&mut alive) {
                update(broad.as_mut(), &late, &exec, alive);
            }
            late.changed.clear();
        }
        prop_assert_eq!(alive, expected);
    }
}

/// A reproducible sequence of numbers in (-1, 1).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn seven(&mut self) -> [f64; 7] {
        std::array::from_fn(|_| self.next())
    }
}

/// `count` boxes of mixed sizes on a ground that is fixed.
fn busy_world(count: usize) -> (World, Numbers) {
    let (mut world, mut numbers) = (World::default(), Numbers(1));
    let mut ground = Aabb::EVERYTHING;
    ground.max.y = -15.0;
    world.push(ground, ProxyFilter { fixed: true, ..OPEN });
    for i in 0..count {
        let region = if i % 16 == 0 { Region::HugeAndTiny } else { Region::Spread };
        let fixed = i % 10 == 3;
        world.push(box_in(region, numbers.seven()), ProxyFilter { fixed, ..OPEN });
    }
    (world, numbers)
}

#[test]
fn reports_are_equal_at_1_2_and_4_threads() {
    for make in usual() {
        let execs = [1, 2, 4].map(|n| Exec::with_threads(n).expect("so few threads can be had"));
        let mut broads = [0; 3].map(|_| make());
        let (mut world, mut numbers) = busy_world(2000);
        for step in 0..20 {
            let mut results = broads.iter_mut().zip(&execs).map(|(broad, exec)| {
                let mut changes = PairChanges::default();
                let report = broad.update(world.proxies(), exec, &mut changes);
                (changes, report)
            });
            let first = results.next().expect("there are three");
            assert!(step > 0 || first.0.begun.len() > 1000);
            results.for_each(|other| assert_eq!(first, other));
            world.changed.clear();
            for i in 1..world.boxes.len() {
                if step % 5 == 0 || i % 7 == step {
                    world.set(i, box_in(Region::Spread, numbers.seven()));
                }
            }
        }
    }
}

#[test]
fn an_update_without_changes_reports_the_same_and_tests_nothing() {
    for make in usual() {
        let exec = Exec::serial();
        let (mut world, _) = busy_world(300);
        let mut alive = BTreeSet::new();
        let mut broad = make();
        let (_, first) = update(broad.as_mut(), &world, &exec, &mut alive);
        world.changed.clear();
        let (changes, second) = update(broad.as_mut(), &world, &exec, &mut alive);
        assert_eq!(changes, PairChanges::default());
        assert_eq!(second, BroadReport { changed: 0, box_tests: 0, ..first });
    }
}

#[test]
fn cleared_means_as_new() {
    for make in usual() {
        let exec = Exec::serial();
        let (world, _) = busy_world(300);
        let mut broad = make();
        let first = update(broad.as_mut(), &world, &exec, &mut BTreeSet::new());
        broad.clear();
        assert_eq!(update(broad.as_mut(), &world, &exec, &mut BTreeSet::new()), first);
    }
}

/// Few of many boxes move, all drift together, and all are shuffled: the tree looks at few boxes that are not near.
#[test]
fn the_tree_tests_few_boxes_that_do_not_overlap() {
    let exec = Exec::serial();
    let (mut world, mut numbers) = (World::default(), Numbers(3));
    let (mut tree, mut alive) = (DynamicTree::new(), BTreeSet::new());
    let mut centers: Vec<[f64; 3]> = (0..4000).map(|_| [0; 3].map(|_| 20.0 * numbers.next())).collect();
    centers.iter().for_each(|&c| world.push(Aabb::from_center(c.into(), Displacement::repeat(0.6)), OPEN));
    for step in 0..40 {
        let report = update(&mut tree, &world, &exec, &mut alive).1;
        world.changed.clear();
        // A changed box meets those that it overlapped before, itself, and what overlaps it now but for rounding.
        let ended_or_alive = 2 * u64::from(report.pairs) + 4000;
        assert!(report.box_tests <= 2 * (ended_or_alive + u64::from(report.changed)), "{step}: {report:?}");
        for (i, center) in centers.iter_mut().enumerate() {
            if step == 20 || step < 10 && i % 50 == step {
                *center = [0; 3].map(|_| 20.0 * numbers.next());
            } else if step > 30 {
                center[1] -= 0.7;
            } else {
                continue;
            }
            world.set(i, Aabb::from_center((*center).into(), Displacement::repeat(0.6)));
        }
    }
}

#[test]
fn a_flat_world_does_not_fold_onto_itself() {
    let mut world = World::default();
    for (x, y) in (0..100).flat_map(|x| (0..100).map(move |y| (x, y))) {
        let center = Position::new(f64::from(x), f64::from(y), 0.0);
        world.push(Aabb::from_center(center, Displacement::repeat(0.51)), OPEN);
    }
    let report =
        update(&mut HierarchicalHashGrid::default(), &world, &Exec::serial(), &mut BTreeSet::new()).1;
    assert_eq!(report.pairs, 2 * 100 * 99 + 2 * 99 * 99);
    // 10000 cells occupied of 131072: tests against boxes that are not near must stay the exception.
    assert!(report.box_tests < 3 * u64::from(report.pairs), "{report:?}");
}

/// Boxes that crowd, spread and crowd again: cells are halved and doubled on the way, and no pair is lost or made up.
#[test]
fn cells_follow_how_dense_boxes_lie() {
    let exec = Exec::serial();
    let (mut world, mut numbers) = (World::default(), Numbers(5));
    let places: Vec<[f64; 3]> = (0..600).map(|_| [numbers.next(), numbers.next(), numbers.next()]).collect();
    // A quarter longer than a cell of the level below: half as long as their own.
    let at = |[x, y, z]: [f64; 3], spread: f64| {
        Aabb::from_center(Position::new(x, y, z) * spread, Displacement::repeat(0.31))
    };
    places.iter().for_each(|&place| world.push(at(place, 1.5), OPEN));
    let (mut grid, mut alive) = (HierarchicalHashGrid::default(), BTreeSet::new());
    let (mut reference, mut known) = (BruteForce::default(), BTreeSet::new());
    for (spread, most) in
        [(1.5, 33_000), (1.5, 33_000), (40.0, 10_000), (40.0, 300), (1.5, 33_000), (1.5, 33_000)]
    {
        for (i, &place) in places.iter().enumerate() {
            world.set(i, at(place, spread));
        }
        let report = update(&mut grid, &world, &exec, &mut alive).1;
        update(&mut reference, &world, &exec, &mut known);
        assert_eq!(alive, known, "spread over {spread} m");
        world.changed.clear();
        // Where boxes crowd there are 8939 pairs, and with whole cells 37 626 tests.
        assert!(report.box_tests < most, "{report:?}");
    }
}

/// S5-15: a wall of many cells and a ball at its middle, far from the cells of the wall's corners.
#[test]
fn a_box_larger_than_a_cell_meets_what_lies_in_its_middle() {
    let mut world = World::default();
    world.push(Aabb::from_center(Position::origin(), Displacement::new(3.5, 3.5, 0.1)), OPEN);
    world.push(Aabb::from_center(Position::new(0.2, 0.3, 0.0), Displacement::repeat(0.1)), OPEN);
    // So that cells are walked through, not the boxes one by one.
    for i in 0..200 {
        world.push(
            Aabb::from_center(Position::new(100.0 + 5.0 * f64::from(i), 0.0, 0.0), Displacement::repeat(1.0)),
            OPEN,
        );
    }
    let mut grid = UniformHashGrid::new(UniformGridConfig { cell_size: Some(1.0), ..Default::default() })
        .expect("the settings are valid");
    let report = update(&mut grid, &world, &Exec::serial(), &mut BTreeSet::new()).1;
    assert_eq!(grid.pairs(), [Pair { a: 0, b: 1 }]);
    assert!(report.box_tests < 2000, "{report:?}");
}

/// The size of the cells follows the boxes, whatever their order, and is not chosen while few change.
#[test]
fn the_size_of_cells_follows_the_boxes() {
    let exec = Exec::serial();
    let (mut world, mut grid, mut alive) = (World::default(), UniformHashGrid::default(), BTreeSet::new());
    let at = |i: usize, half: f64| {
        Aabb::from_center(Position::new(3.0 * i as f64 * half, 0.0, 0.0), Displacement::repeat(half))
    };
    (0..100).for_each(|i| world.push(at(i, 0.3), OPEN));
    update(&mut grid, &world, &exec, &mut alive);
    assert_eq!((grid.cell_size(), alive.len()), (1.0, 0));
    for i in 0..100 {
        world.changed.clear();
        world.set(i, at(i, 3.0));
        update(&mut grid, &world, &exec, &mut alive);
        assert_eq!(grid.cell_size(), if i < 99 { 1.0 } else { 8.0 }, "{i}");
    }
}

/// An empty box overlaps one without bounds by its numbers: the pair stayed, and what came to the same slot later met nothing.
#[test]
fn what_is_removed_leaves_what_has_no_bounds() {
    let endless = Position::new(f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let small = Aabb::from_center(Position::new(0.2, 0.3, 0.0), Displacement::repeat(0.1));
    for mut broad in all() {
        let (mut world, mut alive) = (World::default(), BTreeSet::new());
        world.push(Aabb { min: -endless, max: endless }, OPEN);
        world.push(small, OPEN);
        let mut next = |world: &World| update(broad.as_mut(), world, &Exec::serial(), &mut alive).0;
        assert_eq!(next(&world).begun, [Pair { a: 0, b: 1 }]);
        world.set(1, Aabb::EMPTY);
        assert_eq!(next(&world).ended, [Pair { a: 0, b: 1 }]);
        world.set(1, small);
        assert_eq!(next(&world).begun, [Pair { a: 0, b: 1 }]);
    }
}
