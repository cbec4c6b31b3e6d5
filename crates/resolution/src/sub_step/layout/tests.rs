//! A heap of boxes that is one large island, and small islands beside it: columns, some of them in the air, and pairs.

use super::*;
use crate::sub_step::SubStepConfig;
use crate::sub_step::rest::RestRule;
use drystone_contact::{BodyDesc, ColliderHandle, ContactPoint, Manifold, PairMaterial, StepParams};
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Vector3};

/// Boxes along an edge of the heap.
const EDGE: usize = 9;
/// Boxes of the columns that stand, and of those in the air.
const STANDING: [usize; 5] = [1, 2, 3, 4, 7];
const FLYING: [usize; 3] = [3, 4, 6];

struct Scene {
    bodies: Bodies,
    graph: ContactGraph,
    floor: BodyIndex,
}

impl Scene {
    fn empty() -> Self {
        let mut scene =
            Self { bodies: Bodies::default(), graph: ContactGraph::default(), floor: BodyIndex(0) };
        scene.floor = scene.add(&BodyDesc::fixed());
        scene
    }

    fn new() -> Self {
        let mut scene = Self::empty();
        scene.heap();
        for (k, &height) in STANDING.iter().enumerate() {
            let first = scene.column(100 + k, height);
            scene.touch(scene.floor, first, 4);
        }
        for (k, &height) in FLYING.iter().enumerate() {
            scene.column(200 + k, height);
        }
        scene
    }

    fn add(&mut self, desc: &BodyDesc) -> BodyIndex {
        let handle = self.bodies.add(desc).expect("a valid description");
        let index = self.bodies.index(handle).expect("just added");
        self.graph.add_body(&self.bodies, index);
        index
    }

    fn cube(&mut self, x: usize, y: usize, z: usize) -> BodyIndex {
        let mass = MassProperties::aligned(1.0, Vector3::repeat(0.1));
        self.add(&BodyDesc::dynamic(mass, 1.0).at(Pose::at(x as f64, y as f64, z as f64)))
    }

    fn touch(&mut self, a: BodyIndex, b: BodyIndex, points: usize) {
        let material = PairMaterial {
            restitution: 0.0,
            static_friction: 0.5,
            kinetic_friction: 0.5,
            rolling_friction: 0.0,
        };
        let colliders = [a, b].map(|body| {
            let handle = self.bodies.handle(body).expect("alive");
            ColliderHandle { index: handle.index, generation: handle.generation }
        });
        let edge = self.graph.add_edge(colliders, &self.bodies, [a, b], material).expect("room");
        let mut manifold = Manifold::new(a, b, material);
        manifold.normal = Vector3::y();
        for feature in 0..points as u32 {
            manifold.push(ContactPoint { feature, ..ContactPoint::default() });
        }
        self.graph.set_manifold(&self.bodies, edge, &manifold);
    }

    /// Boxes on a lattice, each with up to six others; the numbers of points differ.
    fn heap(&mut self) {
        let at = |x: usize, y: usize, z: usize| (x * EDGE + y) * EDGE + z;
        let mut cubes = Vec::new();
        for k in 0..EDGE * EDGE * EDGE {
            cubes.push(self.cube(k / (EDGE * EDGE), k / EDGE % EDGE, k % EDGE));
        }
        for k in 0..cubes.len() {
            let (x, y, z) = (k / (EDGE * EDGE), k / EDGE % EDGE, k % EDGE);
            let points = 1 + k % 4;
            if x + 1 < EDGE {
                self.touch(cubes[k], cubes[at(x + 1, y, z)], points);
            }
            if z + 1 < EDGE {
                self.touch(cubes[k], cubes[at(x, y, z + 1)], points);
            }
            if y + 1 < EDGE {
                self.touch(cubes[k], cubes[at(x, y + 1, z)], points);
            }
            if y == 0 {
                self.touch(self.floor, cubes[k], points);
            }
        }
    }

    /// Boxes one on the other; returns the lowest.
    fn column(&mut self, x: usize, height: usize) -> BodyIndex {
        let boxes: Vec<BodyIndex> = (0..height).map(|y| self.cube(x, y, 0)).collect();
        boxes.windows(2).for_each(|pair| self.touch(pair[0], pair[1], 4));
        boxes[0]
    }

    fn lay_out(&self, layout: &mut Layout, exec: &Exec) {
        let step = StepParams {
            dt: 1.0 / 60.0,
            acceleration: Vector3::new(0.0, -9.81, 0.0),
            force: Vector3::zeros(),
            reference_acceleration: 9.81,
            index: 0,
            may_sleep: false,
        };
        let config = SubStepConfig::default();
        let rule = PaceRule::new(&config, RestRule::new(&config, &step), &step, false);
        let mut batches = Batches::default();
        batches.rebuild(&self.bodies, &self.graph, Batches::DEFAULT_SMALL_CUT);
        layout.collect_kinematic(&self.bodies);
        layout.build(&self.bodies, &self.graph, &batches, &rule, exec);
    }

    fn ends(&self, slot: Slot) -> [BodyIndex; 2] {
        let (edge, _) = slot.edge().expect("a contact");
        let manifold = &self.graph.edge(edge).manifold;
        [manifold.body_a, manifold.body_b]
    }
}

fn laid_out() -> (Scene, Layout) {
    let (scene, mut layout) = (Scene::new(), Layout::default());
    scene.lay_out(&mut layout, &Exec::serial());
    (scene, layout)
}

/// The lanes of a span that hold contacts.
fn lanes<'a>(layout: &'a Layout, span: &Span) -> impl Iterator<Item = Slot> + 'a {
    let blocks = &layout.slots[span.class][range(&span.blocks)];
    blocks.as_flattened().iter().copied().filter(|slot| slot.edge().is_some())
}

#[test]
fn every_contact_has_one_lane_of_its_class() {
    let (scene, layout) = laid_out();
    let mut seen = vec![0; scene.graph.edges().len()];
    for span in &layout.spans {
        for (edge, is_flipped) in lanes(&layout, span).filter_map(Slot::edge) {
            seen[edge.get()] += 1;
            let manifold = &scene.graph.edge(edge).manifold;
            assert_eq!(span.class, [2, 2, 1, 0, 0][manifold.points().len()], "{edge:?}");
            assert_eq!(span.is_ground, manifold.body_a == scene.floor, "{edge:?}");
            assert!(!is_flipped, "what cannot move is A already");
        }
    }
    assert!(seen.iter().all(|&count| count == 1), "{seen:?}");
    let contacts: u32 = layout.units.iter().map(|unit| unit.contacts).sum();
    assert_eq!(contacts as usize, seen.len());
}

#[test]
fn contacts_of_a_colour_share_no_body_that_moves() {
    let (scene, layout) = laid_out();
    let mut colours = 0;
    for unit in &layout.units {
        for colour in layout.spans[range(&unit.spans)].chunk_by(|_, next| !next.begins_colour) {
            let mut bodies: Vec<BodyIndex> = colour
                .iter()
                .flat_map(|span| lanes(&layout, span))
                .flat_map(|slot| scene.ends(slot))
                .filter(|&body| body != scene.floor)
                .collect();
            let count = bodies.len();
            bodies.sort_unstable();
            bodies.dedup();
            assert_eq!(bodies.len(), count, "colour {colours}");
            colours += 1;
        }
    }
    assert!(colours > 2 * layout.units.len(), "{colours} colours");
}

#[test]
fn domains_share_no_body() {
    let (scene, layout) = laid_out();
    let large: Vec<&Unit> = layout.units.iter().filter(|unit| unit.is_large).collect();
    let [unit] = large[..] else { panic!("one large island, got {}", large.len()) };
    let spans = &layout.spans[range(&unit.spans)];
    let cuts = layout.cuts.of(&unit.cuts);
    let domains = cuts.domain_count();
    assert!(domains >= 2, "{domains} domains");
    let mut domain_of = vec![None; scene.bodies.capacity()];
    for (set, cut) in cuts.spans.windows(2).enumerate() {
        // Those between domains have no domain.
        let domain = [set, set.wrapping_sub(domains + 1)][usize::from(set > domains)];
        for slot in spans[cut[0] as usize..cut[1] as usize].iter().flat_map(|span| lanes(&layout, span)) {
            for body in scene.ends(slot).into_iter().filter(|&body| set != domains && body != scene.floor) {
                assert_eq!(*domain_of[body.get()].get_or_insert(domain), domain, "{body:?}");
            }
        }
    }
    // The members lie domain after domain.
    let of_members = layout.members[range(&unit.members)].iter().filter_map(|&body| domain_of[body as usize]);
    assert!(of_members.is_sorted());
}

#[test]
fn columns_of_four_contacts_are_chains() {
    let (scene, layout) = laid_out();
    let mut lengths = Vec::new();
    for chain in layout.units.iter().flat_map(|unit| unit.chains.clone()) {
        let links = layout.chains.links(chain);
        let slots = links.iter().map(|link| layout.slots[0][link.block as usize][link.lane as usize]);
        let ends: Vec<[BodyIndex; 2]> = slots.map(|slot| scene.ends(slot)).collect();
        assert!(ends.windows(2).all(|pair| pair[0][1] == pair[1][0]), "upwards: {ends:?}");
        lengths.push((ends[0][0] == scene.floor, links.len()));
    }
    lengths.sort_unstable();
    // A column of n boxes has n contacts where it stands, and one less in the air.
    assert_eq!(lengths, [(false, 5), (true, 4), (true, 7)]);
}

#[test]
fn threads_and_what_was_laid_out_before_make_no_difference() {
    let (scene, mut one) = laid_out();
    let exec = Exec::with_threads(3).expect("three threads");
    let mut three = Layout::default();
    scene.lay_out(&mut three, &exec);
    for _ in 0..2 {
        assert_eq!(one.units, three.units);
        assert_eq!(one.spans, three.spans);
        assert_eq!(one.slots, three.slots);
        assert_eq!((&one.members, &one.islands), (&three.members, &three.islands));
        assert_eq!(one.offsets.members, three.offsets.members);
        assert_eq!(one.offsets.blocks, three.offsets.blocks);
        let links = |layout: &Layout| {
            let chains = layout.units.iter().flat_map(|unit| unit.chains.clone());
            chains.flat_map(|chain| layout.chains.links(chain).to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(links(&one), links(&three));
        // Something smaller in between, then the same again.
        let mut few = Scene::empty();
        few.column(0, 6);
        few.lay_out(&mut one, &Exec::serial());
        scene.lay_out(&mut one, &Exec::serial());
    }
}
