//! Visits of broad phases: what a box overlaps, what a ray or a moving box meets. Trusted: a test of every box ([`Aabb::overlaps`],
//! [`BoxCast::entry`]), and for that a walk along the ray in small steps.

use drystone_collision::broad::{
    BoxCast, BroadPhase, BruteForce, DynamicTree, HashGridConfig, HierarchicalHashGrid, PairChanges, Proxies,
    ProxyFilter, UniformGridConfig, UniformHashGrid,
};
use drystone_exec::Exec;
use drystone_math::{Aabb, BitSet, Displacement, Position};
use proptest::prelude::*;
use std::ops::ControlFlow;

const OPEN: ProxyFilter = ProxyFilter { member_of: 1, meets: 1, fixed: false, owner: 0 };

fn all() -> [Box<dyn BroadPhase>; 8] {
    let config = HashGridConfig { activation_threshold: 0, initial_cells: 64, ..HashGridConfig::default() };
    let grid = |config| HierarchicalHashGrid::new(config).expect("the settings are valid");
    [
        Box::new(BruteForce::new()),
        Box::new(HierarchicalHashGrid::default()),
        Box::new(grid(HashGridConfig { hierarchy_factor: 1.3, ..config.clone() })),
        Box::new(grid(HashGridConfig {
            cell_size: 0.3,
            hierarchy_factor: 5.0,
            minimal_grid_density: 1,
            ..config
        })),
        Box::new(DynamicTree::new()),
        Box::new(UniformHashGrid::default()),
        uniform(0.3, 1 << 12),
        uniform(7.0, 8),
    ]
}

fn uniform(cell_size: f64, most_cells: u32) -> Box<dyn BroadPhase> {
    let config = UniformGridConfig { cell_size: Some(cell_size), most_cells };
    Box::new(UniformHashGrid::new(config).expect("the settings are valid"))
}

/// Boxes with their filters; every third one is fixed.
struct Boxes {
    boxes: Vec<Aabb>,
    filters: Vec<ProxyFilter>,
}

impl Boxes {
    fn new(boxes: Vec<Aabb>) -> Self {
        let filter = |i: usize| ProxyFilter { fixed: i.is_multiple_of(3), owner: i as u32, ..OPEN };
        Self { filters: (0..boxes.len()).map(filter).collect(), boxes }
    }

    fn update(&self, broad: &mut dyn BroadPhase, changed: &[usize]) {
        let mut set = BitSet::new();
        set.resize(self.boxes.len() as u32);
        changed.iter().for_each(|&i| set.insert(i as u32));
        let proxies = Proxies { boxes: &self.boxes, filters: &self.filters, changed: &set };
        broad.update(proxies, &Exec::serial(), &mut PairChanges::default());
    }

    fn met(&self, cast: &BoxCast) -> Vec<(u32, f64)> {
        let entries = (0..).zip(&self.boxes).map(|(i, aabb)| (i, cast.entry(aabb)));
        entries.filter_map(|(i, entry)| entry.map(|entry| (i, entry))).collect()
    }

    fn overlapping(&self, aabb: &Aabb) -> Vec<u32> {
        let is_met = |own: &Aabb| !own.is_empty() && !aabb.is_empty() && own.overlaps(aabb);
        (0..).zip(&self.boxes).filter(|(_, own)| is_met(own)).map(|(i, _)| i).collect()
    }
}

/// All that a cast meets, each once, in the order of proxies.
fn visited(broad: &dyn BroadPhase, cast: &BoxCast) -> Vec<(u32, f64)> {
    let mut list = Vec::new();
    broad.visit_cast(cast, &mut |proxy, entry| {
        list.push((proxy, entry));
        f64::INFINITY
    });
    list.sort_by_key(|&(proxy, _)| proxy);
    list
}

/// What is met first: of those met at once the smallest proxy.
fn first(broad: &dyn BroadPhase, cast: &BoxCast) -> Option<(u32, f64)> {
    let mut best: Option<(u32, f64)> = None;
    broad.visit_cast(cast, &mut |proxy, entry| {
        if best.is_none_or(|(p, e)| (entry, proxy) < (e, p)) {
            best = Some((proxy, entry));
        }
        best.map_or(f64::INFINITY, |(_, entry)| entry)
    });
    best
}

fn unit() -> impl Strategy<Value = f64> {
    -1.0..1.0
}

/// A box of one of several regions, some of them odd.
fn any_box() -> impl Strategy<Value = Aabb> {
    (0..14u8, prop::array::uniform7(unit())).prop_map(|(region, [x, y, z, a, b, c, s])| {
        let around = |center: [f64; 3], scale: f64| {
            let half = Displacement::new(a.abs(), b.abs(), c.abs()) * scale;
            Aabb::from_center(Position::from(center), half)
        };
        let near = around([10.0 * x, 10.0 * y, 10.0 * z], 1.5);
        match region {
            0..=4 => near,
            5 => around([0.3 * x, 0.3 * y, 0.3 * z], 0.1),
            6 => around([20.0 * x, 20.0 * y, 20.0 * z], 10f64.powf(4.0 * s - 1.5)),
            7 => around([60.0 * x, 60.0 * y, 0.01 * z], 2.0),
            8 => around([1e7 + 8.0 * x, -1e7 + 8.0 * y, 1e7 + 8.0 * z], 1.5),
            9 => Aabb::new(Position::new(near.min.x, f64::MIN, f64::MIN), near.max),
            10 => Aabb::EMPTY,
            11 => Aabb::new(near.min, Position::new(near.max.x, f64::NAN, near.max.z)),
            12 => Aabb::new(near.min, near.min),
            _ => Aabb::new(
                near.min,
                Position::new(near.max.x, near.max.y, near.max.z + 10f64.powf(30.0 * s.abs())),
            ),
        }
    })
}

/// Rays and swept boxes: near, far, along axes, slight in one component, without an end and without a length.
fn any_cast() -> impl Strategy<Value = BoxCast> {
    (0..9u8, prop::array::uniform7(unit()), 0.0..3.0).prop_map(|(kind, [x, y, z, a, b, c, s], end)| {
        let origin = Position::new(12.0 * x, 12.0 * y, 12.0 * z);
        let direction = Displacement::new(a, b, c + 1e-3);
        let ray = |origin, direction, end| BoxCast::ray(origin, direction, end).expect("it has a direction");
        let aabb = Aabb::from_center(origin, Displacement::new(0.5 * s.abs(), 0.3, 0.7));
        let swept = |aabb: &Aabb, way| BoxCast::swept(aabb, way).expect("it is bounded");
        match kind {
            0 | 1 => ray(origin, direction, 10.0 * end),
            2 => ray(origin, Displacement::new(a + 1e-3, 0.0, 0.0), f64::INFINITY),
            3 => ray(origin, Displacement::new(0.0, b, c * 1e-9 + 1e-12), 1e3),
            4 => ray(origin, Displacement::new(a, 1e-25 * b, c + 1e-3), f64::INFINITY),
            5 => ray(Position::new(1e7, -1e7, 1e7) + origin.coords, direction, 20.0),
            6 => swept(&aabb, direction * 20.0),
            7 => swept(&aabb, Displacement::zeros()),
            _ => swept(&Aabb::from_center(origin, Displacement::repeat(1e20)), direction),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// Every broad phase meets what a test of every box meets, each once, after boxes moved, grew and went away.
    #[test]
    fn all_meet_what_a_test_of_every_box_meets(
        boxes in prop::collection::vec(any_box(), 1..220),
        later in prop::collection::vec((any::<prop::sample::Index>(), any_box()), 0..60),
        casts in prop::collection::vec(any_cast(), 12),
        windows in prop::collection::vec(any_box(), 6),
    ) {
        let mut world = Boxes::new(boxes);
        let mut broads = all();
        let everything: Vec<usize> = (0..world.boxes.len()).collect();
        broads.iter_mut().for_each(|broad| world.update(broad.as_mut(), &everything));
        for round in 0..2 {
            for (k, broad) in broads.iter().enumerate() {
                for cast in &casts {
                    let expected = world.met(cast);
                    prop_assert_eq!(visited(broad.as_ref(), cast), expected.clone(), "{}, {:?}", k, cast);
                    let nearest = expected.into_iter().min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
                    prop_assert_eq!(first(broad.as_ref(), cast), nearest, "{}, {:?}", k, cast);
                }
                for window in &windows {
                    let mut list = Vec::new();
                    broad.visit_box(window, &mut |proxy| {
                        list.push(proxy);
                        ControlFlow::Continue(())
                    });
                    list.sort_unstable();
                    prop_assert_eq!(&list, &world.overlapping(window), "{}, {:?}", k, window);
                    let mut fixed = Vec::new();
                    broad.visit_fixed(window, &mut |proxy| {
                        fixed.push(proxy);
                        ControlFlow::Continue(())
                    });
                    fixed.sort_unstable();
                    prop_assert!(fixed.windows(2).all(|two| two[0] < two[1]), "{k}: twice in {fixed:?}");
                    prop_assert!(fixed.iter().all(|proxy| list.contains(proxy)), "{k}: {fixed:?} of {list:?}");
                    let is_fixed = |proxy: &&u32| world.filters[**proxy as usize].fixed;
                    prop_assert!(list.iter().filter(is_fixed).all(|proxy| fixed.contains(proxy)), "{k}: {fixed:?} of {list:?}");
                }
            }
            if round == 0 {
                let moved: Vec<usize> = later.iter().map(|(at, _)| at.index(world.boxes.len())).collect();
                for (&i, (_, aabb)) in moved.iter().zip(&later) {
                    world.boxes[i] = *aabb;
                }
                broads.iter_mut().for_each(|broad| world.update(broad.as_mut(), &moved));
            }
        }
    }

    /// The time of entry is where a walk along the ray first finds itself inside of the box.
    #[test]
    fn entry_is_where_a_walk_enters(cast in any_cast(), aabb in any_box(), way in 0.1..30.0) {
        prop_assume!(aabb.is_bounded() && !aabb.is_empty());
        const STEPS: u32 = 4000;
        let unit = BoxCast::ray(Position::origin(), Displacement::x(), way).expect("along x");
        let inside = |k: u32| {
            let x = way * f64::from(k) / f64::from(STEPS);
            Aabb::new(Position::new(x, 0.0, 0.0), Position::new(x, 0.0, 0.0)).overlaps(&aabb)
        };
        let walked = (0..=STEPS).find(|&k| inside(k)).map(|k| way * f64::from(k) / f64::from(STEPS));
        if let Some(walked) = walked {
            let entry = unit.entry(&aabb).expect("the walk was inside");
            prop_assert!(entry <= walked && walked - entry <= way / f64::from(STEPS) * 1.001, "{entry} m, {walked} m");
        }
        // What is met at the start is overlapped there, and the other way round.
        if let Some(entry) = cast.entry(&aabb) {
            prop_assert!(entry >= 0.0 && !entry.is_nan());
        }
    }
}

#[test]
fn a_visit_ends_when_it_is_told_to() {
    let at = |i: usize| Aabb::from_center(Position::new(3.0 * i as f64, 0.0, 0.0), Displacement::repeat(1.0));
    let world = Boxes::new((0..100).map(at).collect());
    let everything: Vec<usize> = (0..100).collect();
    for mut broad in all() {
        world.update(broad.as_mut(), &everything);
        let mut count = 0;
        broad.visit_box(&Aabb::EVERYTHING, &mut |_| {
            count += 1;
            if count == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(count, 7);
        broad.clear();
        broad.visit_box(&Aabb::EVERYTHING, &mut |proxy| panic!("box {proxy} of nothing"));
    }
}

/// The nearest come first: a ray through a row of a thousand boxes looks at few of them.
#[test]
fn a_ray_through_a_row_looks_at_few_boxes() {
    let at = |i: usize| Aabb::from_center(Position::new(2.5 * i as f64, 0.0, 0.0), Displacement::repeat(1.0));
    let world = Boxes::new((0..1000).map(at).collect());
    let everything: Vec<usize> = (0..1000).collect();
    let ray = BoxCast::ray(Position::new(1001.9, 0.2, 5.0), Displacement::new(0.1, 0.0, -1.0), 1000.0);
    let ray = ray.expect("it has a direction");
    for (mut broad, most) in all().into_iter().zip([1, 40, 40, 40, 40, 40, 40, 40]) {
        world.update(broad.as_mut(), &everything);
        let mut looks = 0;
        broad.visit_cast(&ray, &mut |_, entry| {
            looks += 1;
            entry
        });
        assert!((1..=most).contains(&looks), "{looks} looks");
    }
}

#[test]
fn casts_of_what_is_no_number_are_refused() {
    let (origin, x) = (Position::origin(), Displacement::x());
    assert!(BoxCast::ray(origin, Displacement::zeros(), 1.0).is_err());
    assert!(BoxCast::ray(origin, x * f64::NAN, 1.0).is_err());
    assert!(BoxCast::ray(Position::new(f64::INFINITY, 0.0, 0.0), x, 1.0).is_err());
    assert!(BoxCast::ray(origin, x, -1.0).is_err() && BoxCast::ray(origin, x, f64::NAN).is_err());
    assert!(BoxCast::swept(&Aabb::EMPTY, x).is_err() && BoxCast::swept(&Aabb::EVERYTHING, x).is_err());
}

/// A box is met in a slot for one cell though it lies there for another, which shares the slot: that is no visit, or the box is visited
/// twice. (A ray through a uniform grid did, where boxes cover many cells.)
#[test]
fn a_box_whose_cells_share_slots_is_visited_once() {
    let mut state = 1u64;
    let mut number = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut point = |size: f64| Position::new(size * number(), size * number(), size * number());
    let boxes = (0..300).map(|_| Aabb::from_center(point(12.0), Displacement::repeat(2.0))).collect();
    let world = Boxes::new(boxes);
    let mut grid = uniform(1.0, 512);
    world.update(grid.as_mut(), &(0..300).collect::<Vec<_>>());
    for _ in 0..100 {
        let way = point(20.0).coords;
        let ray = BoxCast::ray(point(15.0), way, 1.0).expect("it has a direction");
        assert_eq!(visited(grid.as_ref(), &ray), world.met(&ray), "{ray:?}");
    }
}
