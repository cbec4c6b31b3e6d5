//! What new contacts will have to carry: an estimate from the weights above them.
//!
//! A contact that begins has no impulse to start from, and a sweep carries a load only one contact further:
//! a tower set down in one piece would fall into itself before its base had heard of the top. So the loads of a
//! island are handed down once, from its highest level to the ground, when at least half of its contacts began:
//! it was set down, or lands as a whole. (A contact that begins in a heap that already carries itself takes over a part of the
//! load by and by; given all of its estimate at once it disturbs the heap: `docs/sub-step.md`.) Each body
//! shares its weight and what stands on it among the points that it stands on, such that force and moments
//! balance (smallest sum of squares; points that would pull are left out). Levels are breadth-first distances
//! over contacts that carry.

use crate::sweep::is_pushed;
use drystone_contact::{
    Batches, Bodies, BodyIndex, ContactGraph, EdgeIndex, MAX_POINTS, Manifold, StepParams,
};
use drystone_exec::{Exec, items_mut};
use drystone_math::{ContactBasis, Real, Vector3};

/// Smallest cosine between a contact normal and the pull of gravity for the contact to carry.
const CARRIES: Real = 0.3;
/// Largest gap of a contact that carries, in units of `g dt²`.
const CARRYING_GAP: Real = 1.0;
/// Cosine between normals that face the same way: 2.6 degrees.
const SAME_WAY: Real = 0.999;
/// Edges on which a body may stand without memory being asked for.
const USUAL_SUPPORTS: usize = 256;
/// Stiffening of the moment balance where the points lie on a line, as a share of their spread.
const MOMENT_FLOOR: Real = 1e-3;
/// Share of the squared spread below which they do.
const LINE_SHARE: Real = 1e-4;

/// Edges between asking for what a look reads and the look.
const LOOK_AHEAD: usize = 8;
/// Edges of all batches from which on threads look at them, and of one batch; fewer are looked at sooner than a thread comes.
const LOOKS_FROM: usize = 1024;
const SHORT_LOOK: usize = 32;
/// Edges of a batch that a thread looks at in one go: some microseconds.
const EDGES_PER_LOOK: usize = 128;

/// Load on a body: vertical force and its moments about two horizontal axes.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    force: Real,
    moments: [Real; 2],
}

/// A point that carries a body.
#[derive(Clone, Copy, Debug)]
struct Support {
    edge: EdgeIndex,
    point: usize,
    below: BodyIndex,
    /// Horizontal place seen from the body and from the one below, m.
    place: [Real; 2],
    place_below: [Real; 2],
    cosine: Real,
    force: Real,
}

impl Support {
    /// The impulse on B of the edge (N·s) that carries the force on the point: on a slope straight up, where friction holds that, and
    /// where it does not as much as the slope takes. Between surfaces that face different ways bodies wedge: there along the normal.
    fn impulse(&self, manifold: &Manifold, body: BodyIndex, up: &Vector3, is_on_slope: bool) -> Vector3 {
        // Both on the body.
        let normal = if manifold.body_a == body { -manifold.normal } else { manifold.normal };
        let uphill = up - normal * self.cosine;
        let sine = uphill.norm();
        let material = &manifold.material;
        let on_body = if !is_on_slope {
            normal * (self.force / self.cosine)
        } else if sine <= material.static_friction * self.cosine {
            up * self.force
        } else {
            (normal + uphill * (material.kinetic_friction / sine)) * (self.cosine * self.force)
        };
        if manifold.body_a == body { -on_body } else { on_body }
    }
}

/// A part of the edges of a batch, and how many of them are not fresh.
#[derive(Clone, Copy, Debug)]
struct Look {
    batch: u32,
    /// Where it begins among the edges of the batch.
    first: u32,
    edge_count: u32,
    others: u32,
}

/// Memory of the estimate.
#[derive(Clone, Debug, Default)]
pub(super) struct LoadEstimate {
    looks: Vec<Look>,
    level: Vec<u32>,
    loads: Vec<Load>,
    queue: Vec<BodyIndex>,
    supports: Vec<Support>,
    fresh: Vec<EdgeIndex>,
}

/// True for an edge whose points have no impulse yet and touch.
fn is_fresh(graph: &ContactGraph, edge: EdgeIndex, gap: Real) -> bool {
    let points = graph.edge(edge).manifold.points();
    points.iter().all(|p| p.warm_start_impulse == Vector3::zeros()) && points.iter().any(|p| p.distance < gap)
}

/// True when less than half of the edges of an island can be fresh, with so many others.
fn is_minor(edge_count: usize, others: usize) -> bool {
    2 * others > edge_count
}

/// The edges, and meanwhile what is read of those ahead is fetched.
fn with_next(graph: &ContactGraph, edges: &[EdgeIndex]) -> impl Iterator<Item = EdgeIndex> {
    edges.iter().enumerate().map(move |(k, &edge)| {
        if let Some(&next) = edges.get(k + LOOK_AHEAD) {
            graph.edge(next).manifold.expect_resting();
        }
        edge
    })
}

impl LoadEstimate {
    /// Gives the contacts that began in this step the impulses that they will carry in it.
    pub(super) fn seed(
        &mut self,
        bodies: &Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) {
        let pull = step.acceleration.norm();
        if pull == 0.0 {
            return;
        }
        let basis = ContactBasis::new(&(step.acceleration / -pull));
        let gap = CARRYING_GAP * step.length_unit();
        self.level.resize(bodies.capacity(), u32::MAX);
        self.loads.resize(bodies.capacity(), Load::default());
        // Islands are seeded seldom: room for the largest is made when the world grows, not then.
        self.reserve(bodies.capacity(), graph.edges().len());
        self.look(graph, batches, gap, exec);
        let looks = std::mem::take(&mut self.looks);
        let mut seen = looks.iter().peekable();
        for (k, batch) in batches.list().iter().enumerate() {
            let mut known = [0; 2];
            while let Some(look) = seen.next_if(|look| look.batch == k as u32) {
                known[0] += look.edge_count as usize;
                known[1] += look.others as usize;
            }
            if !self.find_fresh(graph, batches.edges(batch), known, gap) {
                continue;
            }
            for &body in batches.bodies(batch) {
                self.level[body.get()] = u32::MAX;
                self.loads[body.get()] = Load::default();
            }
            self.find_levels(bodies, graph, batches.bodies(batch), &basis, gap);
            self.hand_down(bodies, graph, &basis, gap, pull * step.dt);
        }
        self.looks = looks;
    }

    /// Where there are threads for it: looks at as many edges of the longer batches as tell that most of them are not fresh, where none is.
    fn look(&mut self, graph: &ContactGraph, batches: &Batches, gap: Real, exec: &Exec) {
        if exec.thread_count() == 1 || batches.all_edges().len() < LOOKS_FROM {
            return;
        }
        for (k, batch) in batches.list().iter().enumerate() {
            let enough = batches.edges(batch).len() / 2 + 1;
            if enough < SHORT_LOOK {
                continue;
            }
            self.looks.extend((0..enough).step_by(EDGES_PER_LOOK).map(|first| Look {
                batch: k as u32,
                first: first as u32,
                edge_count: EDGES_PER_LOOK.min(enough - first) as u32,
                others: 0,
            }));
        }
        exec.for_each_dynamic(items_mut(&mut self.looks), |_, look| {
            let edges = batches.edges(&batches.list()[look.batch as usize]);
            let edges = &edges[look.first as usize..][..look.edge_count as usize];
            look.others = with_next(graph, edges).filter(|&edge| !is_fresh(graph, edge, gap)).count() as u32;
        });
    }

    fn reserve(&mut self, bodies: usize, edges: usize) {
        self.queue.clear();
        self.queue.reserve(bodies);
        self.fresh.clear();
        self.fresh.reserve(edges);
        self.looks.clear();
        // Half of the edges of a batch have at most one for each so many of all.
        self.looks.reserve(edges / SHORT_LOOK + 1);
        self.supports.clear();
        self.supports.reserve(MAX_POINTS * edges.min(USUAL_SUPPORTS));
    }

    /// Finds the fresh ones among the edges of an island; false when they are less than half, as soon as that is known. `others` of the
    /// first `looked` are not fresh.
    fn find_fresh(
        &mut self,
        graph: &ContactGraph,
        edges: &[EdgeIndex],
        [looked, mut others]: [usize; 2],
        gap: Real,
    ) -> bool {
        for edge in with_next(graph, &edges[looked..]) {
            if is_minor(edges.len(), others) {
                return false;
            }
            others += usize::from(!is_fresh(graph, edge, gap));
        }
        self.fresh.clear();
        if !is_minor(edges.len(), others) {
            self.fresh.extend(edges.iter().filter(|&&edge| is_fresh(graph, edge, gap)));
        }
        !self.fresh.is_empty()
    }

    /// Levels of the bodies, and [`LoadEstimate::queue`] in ascending order of levels.
    fn find_levels(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        members: &[BodyIndex],
        basis: &ContactBasis,
        gap: Real,
    ) {
        self.queue.clear();
        for &body in members {
            let stands_on_fixed = is_pushed(bodies, body)
                && graph.edges_of(body).any(|e| {
                    let below = graph.edge(e).other(body);
                    !is_pushed(bodies, below) && carries(graph, e, body, basis, gap)
                });
            if stands_on_fixed {
                self.level[body.get()] = 1;
                self.queue.push(body);
            }
        }
        let mut next = 0;
        while next < self.queue.len() {
            let below = self.queue[next];
            next += 1;
            let level = self.level[below.get()] + 1;
            for e in graph.edges_of(below) {
                let above = graph.edge(e).other(below);
                if is_pushed(bodies, above)
                    && self.level[above.get()] == u32::MAX
                    && carries(graph, e, above, basis, gap)
                {
                    self.level[above.get()] = level;
                    self.queue.push(above);
                }
            }
        }
    }

    /// From the highest level down: shares each body's load among its supports, and seeds fresh edges.
    fn hand_down(
        &mut self,
        bodies: &Bodies,
        graph: &mut ContactGraph,
        basis: &ContactBasis,
        gap: Real,
        speed: Real,
    ) {
        for k in (0..self.queue.len()).rev() {
            let body = self.queue[k];
            let own = bodies.mass(body) * speed * bodies.gravity_scale(body).max(0.0);
            let mut load = self.loads[body.get()];
            load.force += own;
            self.find_supports(bodies, graph, body, basis, gap);
            share(&mut self.supports, &load);
            let is_on_slope = is_on_slope(graph, body);
            for s in &self.supports {
                if is_pushed(bodies, s.below) {
                    let below = &mut self.loads[s.below.get()];
                    below.force += s.force;
                    below.moments[0] += s.force * s.place_below[0];
                    below.moments[1] += s.force * s.place_below[1];
                }
                if self.fresh.binary_search(&s.edge).is_ok() {
                    let manifold = &mut graph.edges_mut()[s.edge.get()].manifold;
                    let impulse = s.impulse(manifold, body, &basis.normal, is_on_slope);
                    manifold.points_mut()[s.point].warm_start_impulse = impulse;
                }
            }
        }
    }

    /// Points on which a body stands.
    fn find_supports(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        body: BodyIndex,
        basis: &ContactBasis,
        gap: Real,
    ) {
        self.supports.clear();
        for edge in graph.edges_of(body) {
            let manifold = &graph.edge(edge).manifold;
            let below = graph.edge(edge).other(body);
            let is_lower = !is_pushed(bodies, below) || self.level[below.get()] < self.level[body.get()];
            if !is_lower || !carries(graph, edge, body, basis, gap) {
                continue;
            }
            let is_a = manifold.body_a == body;
            let horizontal = |arm: &Vector3| [basis.tangent_1.dot(arm), basis.tangent_2.dot(arm)];
            for (point, p) in manifold.points().iter().enumerate() {
                if p.distance < gap {
                    let arms = if is_a { [&p.arm_a, &p.arm_b] } else { [&p.arm_b, &p.arm_a] };
                    self.supports.push(Support {
                        edge,
                        point,
                        below,
                        place: horizontal(arms[0]),
                        place_below: horizontal(arms[1]),
                        cosine: manifold.normal.dot(&basis.normal).abs(),
                        force: 0.0,
                    });
                }
            }
        }
    }
}

/// True when all contacts of a body face the same way or the opposite one, as those of stacks do on level ground or on a slope: stones of an arch,
/// which need their thrust, and balls between others are held by several.
fn is_on_slope(graph: &ContactGraph, body: BodyIndex) -> bool {
    let mut normals = graph.linked_edges_of(body).map(|e| &graph.edge(e).manifold.normal);
    let Some(first) = normals.next() else { return false };
    normals.all(|n| n.dot(first).abs() > SAME_WAY)
}

/// True when `body` stands on the other body of the edge.
fn carries(graph: &ContactGraph, edge: EdgeIndex, body: BodyIndex, basis: &ContactBasis, gap: Real) -> bool {
    let manifold = &graph.edge(edge).manifold;
    // The normal seen from the body points towards the other one, which is below.
    let sign = if manifold.body_a == body { -1.0 } else { 1.0 };
    sign * manifold.normal.dot(&basis.normal) > CARRIES
        && manifold.min_distance().is_some_and(|distance| distance < gap)
}

/// Shares a load among the supports: `f_i = a + b x_i + c y_i` with the sum and the moments of the load,
/// nothing pulled, the sum kept.
fn share(supports: &mut [Support], load: &Load) {
    if supports.is_empty() || load.force <= 0.0 {
        return;
    }
    let n = supports.len() as Real;
    let mean = |k: usize| supports.iter().map(|s| s.place[k]).sum::<Real>() / n;
    let middle = [mean(0), mean(1)];
    let mut spread = [0.0; 3];
    for s in supports.iter() {
        let (x, y) = (s.place[0] - middle[0], s.place[1] - middle[1]);
        spread[0] += x * x;
        spread[1] += y * y;
        spread[2] += x * y;
    }
    let sum = spread[0] + spread[1];
    let is_flat = spread[0] * spread[1] - spread[2] * spread[2] < LINE_SHARE * sum * sum;
    let floor = if is_flat { MOMENT_FLOOR * sum } else { 0.0 };
    let [xx, yy, xy] = [spread[0] + floor, spread[1] + floor, spread[2]];
    let det = xx * yy - xy * xy;
    // Moments that remain when the force acts at the middle of the points.
    let m = [load.moments[0] - load.force * middle[0], load.moments[1] - load.force * middle[1]];
    let slope =
        if det > 0.0 { [(m[0] * yy - m[1] * xy) / det, (m[1] * xx - m[0] * xy) / det] } else { [0.0; 2] };
    let mut sum = 0.0;
    for s in supports.iter_mut() {
        let (x, y) = (s.place[0] - middle[0], s.place[1] - middle[1]);
        s.force = (load.force / n + slope[0] * x + slope[1] * y).max(0.0);
        sum += s.force;
    }
    let scale = if sum > 0.0 { load.force / sum } else { 0.0 };
    supports.iter_mut().for_each(|s| s.force *= scale);
}
