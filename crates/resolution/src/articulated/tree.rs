//! Which joint constraints make a tree, and which close loops.
//!
//! The tree grows breadth first, joint by joint in the order given: from what cannot move, or, where nothing of it is held, from body A of the first joint,
//! whose frame is then that of its centre of mass. A joint between bodies that are both in the tree closes a loop.

use super::ReducedError;
use super::freedom::Freedom;
use super::reduced::{Closure, LinkBody, Reduced, TreeJoint, inertia_of, wide_pose};
use drystone_articulation::{
    Articulation, JointSpec, LinkIndex, LinkSpec, LoopSpec, ModelBuilder, State, StepConfig, Transform,
};
use drystone_contact::{ActiveAxes, Bodies, BodyIndex, ContactGraph, EdgeIndex, JointConstraint, TWIST};
use drystone_math::{widen, widen_rotation};
use nalgebra::{Translation3, Vector3};
use std::f64::consts::TAU;

/// How far the frames of a joint may be apart, m or rad.
const MOST_APART: f64 = 0.01;

/// A joint constraint on its way into the tree.
struct Candidate {
    edge: EdgeIndex,
    tie: JointConstraint,
    freedom: Freedom,
    is_placed: bool,
}

/// A tree that grows.
struct Growth<'a> {
    bodies: &'a Bodies,
    builder: ModelBuilder,
    links: Vec<LinkBody>,
    joints: Vec<TreeJoint>,
    positions: Vec<f64>,
    /// Bodies that cannot move and bear a joint.
    bases: Vec<BodyIndex>,
}

/// An articulation of joint constraints.
pub(super) fn build(
    edges: &[EdgeIndex],
    bodies: &Bodies,
    graph: &ContactGraph,
    is_taken: impl Fn(BodyIndex) -> bool,
) -> Result<Reduced, ReducedError> {
    let mut candidates = collect(edges, graph)?;
    for candidate in &candidates {
        for body in candidate.tie.bodies {
            check_body(body, bodies, graph, edges, &is_taken)?;
        }
    }
    let mut growth = Growth {
        bodies,
        builder: ModelBuilder::new(),
        links: Vec::new(),
        joints: Vec::new(),
        positions: Vec::new(),
        bases: Vec::new(),
    };
    growth.find_bases(&candidates);
    if growth.bases.is_empty() {
        growth.add_free_root(candidates[0].tie.bodies[0])?;
    }
    growth.grow(&mut candidates)?;
    let out_of_reach = candidates
        .iter()
        .flat_map(|c| c.tie.bodies)
        .find(|&body| bodies.hot(body).is_dynamic() && growth.link_of(body).is_none());
    if let Some(body) = out_of_reach {
        return Err(ReducedError::Apiece(bodies.handle(body)));
    }
    let model = growth.builder.build()?;
    let mut state = State::zero(&model);
    state.set_positions(&model, &growth.positions)?;
    let mut articulation = Articulation::new(model, StepConfig::default())?;
    let mut loops = Vec::new();
    for (joint, candidate) in candidates.iter().enumerate().filter(|(_, candidate)| !candidate.is_placed) {
        let (closure, specs) = growth.closures(joint, candidate)?;
        let points = specs.iter().map(|spec| spec.frame_b.translation.vector).collect();
        for spec in specs {
            articulation.add_loop(spec)?;
        }
        loops.push((closure, points));
    }
    articulation.set_state(&state)?;
    let mut reduced = Reduced::new(articulation, growth.links, growth.joints, loops, growth.bases);
    reduced.take_velocities(bodies)?;
    reduced.follow_drives(graph)?;
    Ok(reduced)
}

fn collect(edges: &[EdgeIndex], graph: &ContactGraph) -> Result<Vec<Candidate>, ReducedError> {
    if edges.is_empty() {
        return Err(ReducedError::Empty);
    }
    let mut candidates = Vec::with_capacity(edges.len());
    for (joint, &edge) in edges.iter().enumerate() {
        if edges[..joint].contains(&edge) {
            return Err(ReducedError::Twice(joint));
        }
        let tie = *graph.tie(edge).ok_or(ReducedError::Unknown(joint))?;
        let freedom = Freedom::of(&tie).map_err(|what| ReducedError::Kind { joint, what })?;
        candidates.push(Candidate { edge, tie, freedom, is_placed: false });
    }
    Ok(candidates)
}

fn check_body(
    body: BodyIndex,
    bodies: &Bodies,
    graph: &ContactGraph,
    edges: &[EdgeIndex],
    is_taken: &impl Fn(BodyIndex) -> bool,
) -> Result<(), ReducedError> {
    let hot = bodies.hot(body);
    let refuse = |what| Err(ReducedError::Body { body: bodies.handle(body), what });
    if hot.is_kinematic() {
        return refuse("it moves as its user says (let the base be fixed or dynamic)");
    }
    if !hot.is_dynamic() {
        return Ok(());
    }
    if is_taken(body) {
        return refuse("it is a link of an articulation already");
    }
    if hot.has_locks() {
        return refuse("it has locked axes");
    }
    if hot.is_passive() || hot.is_quarantined() {
        return refuse("it is passive or in quarantine");
    }
    // Joints that leave all free say who does not meet, and hold nothing.
    let holds = |edge: EdgeIndex| graph.tie(edge).is_some_and(|tie| tie.holds() != ActiveAxes::default());
    let is_other = |edge: EdgeIndex| holds(edge) && !edges.contains(&edge);
    if graph.linked_edges_of(body).any(is_other) {
        return refuse(
            "it has a joint that is not among those given (all joints of a link belong to its articulation)",
        );
    }
    Ok(())
}

/// The frames of a joint constraint on its bodies, in the axes of their centres of mass.
fn frame(tie: &JointConstraint, side: usize) -> Transform {
    Transform::from_parts(Translation3::from(widen(&tie.anchors[side])), widen_rotation(&tie.frames[side]))
}

impl Growth<'_> {
    fn find_bases(&mut self, candidates: &[Candidate]) {
        for body in candidates.iter().flat_map(|candidate| candidate.tie.bodies) {
            if !self.bodies.hot(body).is_dynamic() && !self.bases.contains(&body) {
                self.bases.push(body);
            }
        }
    }

    fn link_of(&self, body: BodyIndex) -> Option<LinkIndex> {
        self.links.iter().find(|link| link.body == body).map(|link| link.link)
    }

    /// True for what a joint can be hung on.
    fn is_there(&self, body: BodyIndex) -> bool {
        self.bases.contains(&body) || self.link_of(body).is_some()
    }

    fn grow(&mut self, candidates: &mut [Candidate]) -> Result<(), ReducedError> {
        // A round of breadth first looks at bodies that were there before it.
        loop {
            let known = self.links.len();
            let is_known = |growth: &Self, body: BodyIndex| {
                growth.bases.contains(&body) || growth.links[..known].iter().any(|link| link.body == body)
            };
            let mut grew = false;
            for (joint, candidate) in candidates.iter_mut().enumerate() {
                let [a, b] = candidate.tie.bodies;
                if candidate.is_placed {
                    continue;
                }
                let parent = match (is_known(self, a), is_known(self, b)) {
                    (true, _) if !self.is_there(b) => 0,
                    (_, true) if !self.is_there(a) => 1,
                    _ => continue,
                };
                self.add(joint, candidate, parent)?;
                candidate.is_placed = true;
                grew = true;
            }
            if !grew {
                return Ok(());
            }
        }
    }

    /// Hangs the body on the other side of a joint on what is on side `parent`.
    fn add(&mut self, joint: usize, candidate: &Candidate, parent: usize) -> Result<(), ReducedError> {
        let Candidate { edge, tie, freedom, .. } = candidate;
        let (child, is_turned) = (1 - parent, parent == 1);
        let (on_parent, on_child) = (frame(tie, parent), frame(tie, child));
        let (base, body) = (tie.bodies[parent], tie.bodies[child]);
        let above = self.link_of(base);
        let relative = (wide_pose(self.bodies.center_pose(base)) * on_parent).inverse()
            * (wide_pose(self.bodies.center_pose(body)) * on_child);
        let (mut positions, off) = freedom.positions(&relative, is_turned);
        if let Some(angle) = positions.first_mut().filter(|_| freedom.counts_turns()) {
            let counted = tie.value(self.bodies, TWIST);
            *angle += TAU * ((counted - *angle) / TAU).round();
        }
        if off.is_nan() || off > MOST_APART {
            return Err(ReducedError::Apart { joint, off, most: MOST_APART });
        }
        let placement = match above {
            Some(link) => self.links[link.index()].center * on_parent,
            None => wide_pose(self.bodies.center_pose(base)) * on_parent,
        };
        let center = on_child.inverse();
        let spec = self.spec(JointSpec::new(freedom.kind(is_turned)), body, &center).placed(placement);
        let link = match above {
            Some(parent) => self.builder.child(parent, spec)?,
            None => self.builder.root(spec)?,
        };
        self.links.push(LinkBody::new(self.bodies, body, link, center));
        self.joints.push(TreeJoint::new(*edge, link, *freedom, is_turned));
        self.positions.extend_from_slice(&positions);
        Ok(())
    }

    fn add_free_root(&mut self, body: BodyIndex) -> Result<(), ReducedError> {
        let center = Transform::identity();
        let link = self.builder.root(self.spec(JointSpec::free(), body, &center))?;
        self.links.push(LinkBody::new(self.bodies, body, link, center));
        let pose = wide_pose(self.bodies.center_pose(body));
        self.positions.extend_from_slice(pose.rotation.coords.as_slice());
        self.positions.extend_from_slice(pose.translation.vector.as_slice());
        Ok(())
    }

    /// A link with the mass of a body whose centre of mass is at `center` in its frame.
    fn spec(&self, joint: JointSpec, body: BodyIndex, center: &Transform) -> LinkSpec {
        let axes = center.rotation.to_rotation_matrix().into_inner();
        let mass = f64::from(self.bodies.mass(body));
        let inertia = axes * inertia_of(self.bodies, body) * axes.transpose();
        LinkSpec::new(joint).body(mass, center.translation.vector, inertia)
    }

    /// What closes the loop of a joint between bodies of the tree.
    fn closures(
        &self,
        joint: usize,
        candidate: &Candidate,
    ) -> Result<(Closure, Vec<LoopSpec>), ReducedError> {
        let tie = &candidate.tie;
        let place = |side: usize| {
            let (body, frame) = (tie.bodies[side], frame(tie, side));
            match self.link_of(body) {
                Some(link) => (Some(link), self.links[link.index()].center * frame),
                None => (None, wide_pose(self.bodies.center_pose(body)) * frame),
            }
        };
        let (mut a, mut b) = (place(0), place(1));
        let is_turned = b.0.is_none();
        if is_turned {
            std::mem::swap(&mut a, &mut b);
        }
        let ((on_a, frame_a), (Some(on_b), frame_b)) = (a, b) else {
            return Err(ReducedError::Kind { joint, what: "it joins two bodies that cannot move" });
        };
        let point = |along: f64| {
            let local = nalgebra::Point3::from(Vector3::x() * along);
            LoopSpec::point(on_a, (frame_a * local).coords, on_b, (frame_b * local).coords)
        };
        // What acts along the coordinate of a closure has no place in it.
        let acts = tie.cone.is_finite() || tie.axes.iter().any(|axis| axis.is_limited() || axis.is_driven());
        let specs = match candidate.freedom {
            _ if acts => {
                let what = "it closes a loop and has limits, friction or a motor";
                return Err(ReducedError::Kind { joint, what });
            }
            Freedom::Fixed => vec![LoopSpec::weld(on_a, frame_a, on_b, frame_b)],
            Freedom::Spherical => vec![point(0.0)],
            // Two points of its axis, a metre in all, hold a hinge; the row along the axis that both have is found to be one.
            Freedom::Revolute => vec![point(-0.5), point(0.5)],
            Freedom::Prismatic => vec![LoopSpec::slide(on_a, frame_a, on_b, frame_b)],
        };
        let (edge, anchor, on, count) =
            (candidate.edge, frame_b.translation.vector, [on_a, Some(on_b)], specs.len());
        Ok((Closure { edge, anchor, on, is_turned, count }, specs))
    }
}
