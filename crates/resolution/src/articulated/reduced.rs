//! An articulation with the bodies that are its links.

use super::ReducedError;
use super::freedom::Freedom;
use super::reactions::Balance;
use drystone_articulation::spatial::{SpatialForce, SpatialMotion};
use drystone_articulation::{Articulation, JointKind, LinkIndex, State, Transform};
use drystone_contact::{
    Bodies, BodyIndex, ConstraintAxis, ContactGraph, EdgeIndex, StepParams, TIE_AXES, TurnRemainder,
};
use drystone_math::{Carried, Pose, Real, Rotation, Vector3, narrow, widen, widen_rotation};
use nalgebra::{Matrix3, Translation3};

/// Speed, m/s or rad/s, that counts as none: smaller numbers only slow the processor down.
const STILL: f64 = 1e-12;

/// A body as a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkBody {
    pub(crate) body: BodyIndex,
    pub(crate) link: LinkIndex,
    /// The axes of the centre of mass in the link's frame.
    pub(crate) center: Transform,
    pub(crate) inverse_mass: Real,
    pub(super) mass: f64,
    /// Inertia about the centre of mass, its axes, kg m².
    inertia: Matrix3<f64>,
    /// Velocities that the last step left the body with, m/s and rad/s.
    written: [Vector3; 2],
    /// What acts on it in this step beside gravity, N and N m; damping, 1/s.
    pub(super) force: nalgebra::Vector3<f64>,
    pub(super) torque: nalgebra::Vector3<f64>,
    damping: [f64; 2],
}

impl LinkBody {
    pub(super) fn new(bodies: &Bodies, body: BodyIndex, link: LinkIndex, center: Transform) -> Self {
        Self {
            body,
            link,
            center,
            inverse_mass: bodies.hot(body).inverse_mass,
            mass: f64::from(bodies.mass(body)),
            inertia: inertia_of(bodies, body),
            written: [Vector3::zeros(); 2],
            force: nalgebra::Vector3::zeros(),
            torque: nalgebra::Vector3::zeros(),
            damping: [0.0; 2],
        }
    }
}

/// A joint of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeJoint {
    pub(super) edge: EdgeIndex,
    pub(super) link: LinkIndex,
    pub(super) freedom: Freedom,
    /// Its child is body A.
    pub(super) is_turned: bool,
    /// Inertia of the rotor, kg m² or kg, and damping, N m s/rad or N s/m.
    rotor: [f64; 2],
    /// What was said of its coordinates and its cone when its degrees of freedom were last set.
    seen: Option<([ConstraintAxis; TIE_AXES], Real)>,
}

impl TreeJoint {
    pub(super) fn new(edge: EdgeIndex, link: LinkIndex, freedom: Freedom, is_turned: bool) -> Self {
        Self { edge, link, freedom, is_turned, rotor: [0.0; 2], seen: None }
    }
}

/// A joint that closes a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Closure {
    pub(super) edge: EdgeIndex,
    /// Where it is on the second of its links, m, in that one's frame.
    pub(super) anchor: nalgebra::Vector3<f64>,
    /// Its links; none for the ground.
    pub(super) on: [Option<LinkIndex>; 2],
    /// The second one is body A.
    pub(super) is_turned: bool,
    /// How many closures of the articulation it is.
    pub(super) count: usize,
}

/// An articulation of a world.
#[derive(Clone, Debug)]
pub struct Reduced {
    pub(crate) articulation: Articulation,
    pub(super) links: Vec<LinkBody>,
    pub(super) joints: Vec<TreeJoint>,
    pub(super) loops: Vec<Closure>,
    /// Where the closures of its articulation are on their second links, m, in the frames of these.
    pub(super) points: Vec<nalgebra::Vector3<f64>>,
    bases: Vec<BodyIndex>,
    /// Its motion left the range of numbers in this step.
    pub(crate) is_broken: bool,
    /// Room for what links are given at once.
    pub(super) impulses: Vec<SpatialForce>,
    /// What links had before the step, and were given in it.
    pub(super) balances: Vec<Balance>,
    /// Positions of its joints before the step.
    start: Vec<f64>,
}

impl Reduced {
    pub(super) fn new(
        articulation: Articulation,
        links: Vec<LinkBody>,
        joints: Vec<TreeJoint>,
        loops: Vec<(Closure, Vec<nalgebra::Vector3<f64>>)>,
        bases: Vec<BodyIndex>,
    ) -> Self {
        let impulses = vec![SpatialForce::default(); links.len()];
        let balances = vec![Balance::default(); links.len()];
        let start = articulation.state().positions().to_vec();
        let points = loops.iter().flat_map(|(_, points)| points.clone()).collect();
        let loops = loops.into_iter().map(|(closure, _)| closure).collect();
        Self {
            articulation,
            links,
            joints,
            loops,
            points,
            bases,
            is_broken: false,
            impulses,
            balances,
            start,
        }
    }

    /// Model, state and links in the coordinates of the joints. The joint of link `k` is that of body `k` of [`Reduced::bodies`].
    pub fn articulation(&self) -> &Articulation {
        &self.articulation
    }

    /// Its bodies, in the order of the links of its model.
    pub fn bodies(&self) -> impl Iterator<Item = BodyIndex> + '_ {
        self.links.iter().map(|link| link.body)
    }

    /// Bodies that cannot move and that it stands on.
    pub fn bases(&self) -> &[BodyIndex] {
        &self.bases
    }

    /// Edges of its joints: those of the tree, then those that close loops.
    pub fn edges(&self) -> impl Iterator<Item = EdgeIndex> + '_ {
        self.joints.iter().map(|joint| joint.edge).chain(self.loops.iter().map(|closure| closure.edge))
    }

    /// The degree of freedom, and the place of the position, that a hinge or slider of it is; `None` for other joints.
    pub fn dof_of(&self, edge: EdgeIndex) -> Option<(usize, usize)> {
        let joint = self.joints.iter().find(|joint| joint.edge == edge)?;
        let link = &self.articulation.model().links()[joint.link.index()];
        let has_one = matches!(link.kind(), JointKind::Revolute { .. } | JointKind::Prismatic { .. });
        has_one.then(|| (link.dofs().start, link.positions().start))
    }

    pub(crate) fn links(&self) -> &[LinkBody] {
        &self.links
    }

    /// Memory that it holds, bytes, with itself: articulations are kept in boxes.
    pub(super) fn heap_bytes(&self) -> usize {
        let Self {
            articulation,
            links,
            joints,
            loops,
            points,
            bases,
            impulses,
            balances,
            start,
            is_broken: _,
        } = self;
        let own = links.heap_bytes() + joints.heap_bytes() + loops.heap_bytes() + points.heap_bytes();
        let room = bases.heap_bytes() + impulses.heap_bytes() + balances.heap_bytes() + start.heap_bytes();
        size_of::<Self>() + articulation.heap_bytes() + own + room
    }

    /// Becomes what `source` is in the memory that is there; false where that is of another shape.
    pub(super) fn restore_state(&mut self, source: &Self) -> bool {
        let is_same = self.links.len() == source.links.len()
            && self.joints.len() == source.joints.len()
            && self.loops == source.loops
            && self.bases == source.bases
            && self.links.iter().zip(&source.links).all(|(own, other)| own.body == other.body)
            && self.joints.iter().zip(&source.joints).all(|(own, other)| own.edge == other.edge)
            && self.articulation.model().links() == source.articulation.model().links()
            && self.articulation.restore_state(&source.articulation);
        if is_same {
            self.links.copy_from_slice(&source.links);
            self.joints.copy_from_slice(&source.joints);
            self.is_broken = source.is_broken;
        }
        is_same
    }

    pub(super) fn set_state(&mut self, state: &State) -> Result<(), ReducedError> {
        Ok(self.articulation.set_state(state)?)
    }

    pub(super) fn set_rotor(&mut self, edge: EdgeIndex, rotor: [f64; 2]) -> Result<bool, ReducedError> {
        let Some(joint) = self.joints.iter_mut().find(|joint| joint.edge == edge) else { return Ok(false) };
        let dofs = self.articulation.model().links()[joint.link.index()].dofs();
        let mut specs = self.articulation.model().dofs()[dofs].to_vec();
        specs.iter_mut().for_each(|spec| [spec.armature, spec.damping] = rotor);
        self.articulation.set_dofs(joint.link, &specs)?;
        (joint.rotor, joint.seen) = (rotor, None);
        Ok(true)
    }

    /// Before a step: takes in what was changed from outside.
    pub(crate) fn begin_step(&mut self, bodies: &Bodies, graph: &ContactGraph, step: &StepParams) {
        self.start.copy_from_slice(self.articulation.state().positions());
        let outcome = self
            .articulation
            .set_gravity(widen(&step.acceleration))
            .map_err(ReducedError::from)
            .and_then(|()| self.follow_drives(graph))
            .and_then(|()| self.take_velocities(bodies));
        self.is_broken = outcome.is_err();
        for link in &mut self.links {
            let (force, torque) = bodies.force(link.body);
            let pull = step.global_acceleration(link.inverse_mass, bodies.gravity_scale(link.body));
            link.force = widen(&force) + (widen(&pull) - widen(&step.acceleration)) * link.mass;
            link.torque = widen(&torque);
            let (linear, angular) = bodies.damping(link.body);
            link.damping = [f64::from(linear), f64::from(angular)];
        }
        self.begin_reactions(step);
    }

    /// Centre of mass of a link, m.
    pub(super) fn center(&self, k: usize) -> nalgebra::Vector3<f64> {
        let pose = &self.articulation.kinematics().links()[k];
        pose.origin + pose.rotation * self.links[k].center.translation.vector
    }

    /// Momentum of a link, about its centre of mass.
    pub(super) fn momentum(&self, k: usize) -> SpatialForce {
        let link = &self.links[k];
        let pose = &self.articulation.kinematics().links()[k];
        let motion = self.articulation.kinematics().velocity_at(link.link, &self.center(k));
        let axes = pose.rotation * link.center.rotation.to_rotation_matrix().into_inner();
        let spin = axes * (link.inertia * (axes.transpose() * motion.angular));
        SpatialForce::new(spin, motion.linear * link.mass)
    }

    /// Takes limits, friction and motors of its joints where these changed.
    pub(super) fn follow_drives(&mut self, graph: &ContactGraph) -> Result<(), ReducedError> {
        let Self { articulation, joints, .. } = self;
        for joint in joints {
            let Some(tie) = graph.tie(joint.edge) else { continue };
            let said = (tie.axes, tie.cone);
            if joint.seen.as_ref() == Some(&said) {
                continue;
            }
            let (specs, count) = joint.freedom.dofs(&tie.axes, joint.rotor);
            articulation.set_dofs(joint.link, &specs[..count])?;
            if let Some(ball) = joint.freedom.ball(&tie.axes, tie.cone, joint.is_turned) {
                articulation.set_ball(joint.link, ball)?;
            }
            joint.seen = Some(said);
        }
        Ok(())
    }

    /// Takes what bodies were given since the last step: impulses, blows of waking, or that they were put to sleep.
    pub(super) fn take_velocities(&mut self, bodies: &Bodies) -> Result<(), ReducedError> {
        let now = |link: &LinkBody| {
            let hot = bodies.hot(link.body);
            [hot.linear, hot.angular]
        };
        if self.links.iter().all(|link| now(link) == link.written) {
            return Ok(());
        }
        if self.links.iter().all(|link| now(link) == [Vector3::zeros(); 2]) {
            self.articulation.stop_moving();
        } else {
            let kinematics = self.articulation.kinematics();
            for (link, impulse) in self.links.iter().zip(&mut self.impulses) {
                let [linear, angular] = now(link);
                let pose = &kinematics.links()[link.link.index()];
                let arm = pose.rotation * link.center.translation.vector;
                let axes = pose.rotation * link.center.rotation.to_rotation_matrix().into_inner();
                let force = (widen(&linear) - widen(&link.written[0])) * link.mass;
                let spin = widen(&angular) - widen(&link.written[1]);
                let moment = axes * (link.inertia * (axes.transpose() * spin)) + arm.cross(&force);
                *impulse = SpatialForce::new(moment, force);
            }
            self.articulation.apply_impulses(&self.impulses)?;
        }
        self.links.iter_mut().for_each(|link| link.written = now(link));
        Ok(())
    }

    /// What acts on its links in a sub-step of `h` seconds beside gravity.
    pub(crate) fn add_forces(&mut self, h: f64) {
        for link in &self.links {
            let pose = &self.articulation.kinematics().links()[link.link.index()];
            let center = pose.origin + pose.rotation * link.center.translation.vector;
            let SpatialMotion { angular, linear } =
                self.articulation.kinematics().velocity_at(link.link, &center);
            let [kept, spin_kept] = link.damping.map(|damping| damping / (1.0 + damping * h));
            let mut force = link.force;
            let mut torque = link.torque;
            if link.damping != [0.0; 2] {
                let axes = pose.rotation * link.center.rotation.to_rotation_matrix().into_inner();
                force -= linear * (link.mass * kept);
                torque -= axes * (link.inertia * (axes.transpose() * angular)) * spin_kept;
            }
            if force == nalgebra::Vector3::zeros() && torque == nalgebra::Vector3::zeros() {
                continue;
            }
            // What is not finite is found by the step.
            let _ = self.articulation.add_force(link.link, &center, force);
            let _ = self.articulation.add_moment(link.link, torque);
        }
    }

    /// After a step: goes this share (0 to 1) of the way of the step alone, joint by joint, with the velocities that it has; its bodies follow.
    pub(super) fn move_back(&mut self, share: f64, bodies: &mut Bodies) {
        if self.is_broken {
            return;
        }
        self.is_broken = self.articulation.move_back(&self.start, share).is_err();
        self.write(bodies);
        let last_move = bodies.view_mut().last_move;
        self.links.iter().for_each(|link| last_move[link.body.get()] = Vector3::zeros());
    }

    /// After a step: its bodies are where its links are. One that broke gives its bodies velocities that are no numbers, by which they are found and taken out.
    pub(crate) fn write(&mut self, bodies: &mut Bodies) {
        let view = bodies.view_mut();
        for link in &mut self.links {
            let i = link.body.get();
            let hot = &mut view.hot[i];
            hot.inverse_mass = link.inverse_mass;
            (hot.delta_translation, hot.delta_rotation) = (Vector3::zeros(), Vector3::zeros());
            view.turn_remainder[i] = TurnRemainder::default();
            if self.is_broken {
                hot.linear = Vector3::repeat(Real::NAN);
                continue;
            }
            let kinematics = self.articulation.kinematics();
            let place = kinematics.pose(link.link) * link.center;
            let motion = kinematics.velocity_at(link.link, &place.translation.vector);
            let is_still = motion.linear.norm_squared() + motion.angular.norm_squared() < STILL * STILL;
            let as_written = |v: &nalgebra::Vector3<f64>| if is_still { Vector3::zeros() } else { narrow(v) };
            (hot.linear, hot.angular) = (as_written(&motion.linear), as_written(&motion.angular));
            link.written = [hot.linear, hot.angular];
            let rotation = Rotation::new_normalize(place.rotation.into_inner().cast::<Real>());
            view.last_move[i] = narrow(&(place.translation.vector - view.pose[i].translation.coords));
            view.pose[i] = Pose::new(place.translation.vector.into(), rotation);
            view.inverse_inertia[i] = view.local_inertia[i].inverse_world(&rotation);
        }
    }
}

/// Inertia of a body about its centre of mass, its axes, kg m².
pub(super) fn inertia_of(bodies: &Bodies, body: BodyIndex) -> Matrix3<f64> {
    let local = &bodies.view().local_inertia[body.get()];
    let axes = widen_rotation(&local.frame).to_rotation_matrix().into_inner();
    axes * Matrix3::from_diagonal(&widen(&local.principal)) * axes.transpose()
}

/// A pose in double precision.
pub(super) fn wide_pose(pose: &Pose) -> Transform {
    Transform::from_parts(Translation3::from(pose.translation), widen_rotation(&pose.rotation))
}
