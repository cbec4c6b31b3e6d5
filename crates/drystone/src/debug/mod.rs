//! Debug drawing: what the engine sees, as lines, for whoever can draw a line.
//!
//! In: a world between two steps, and what of it is wanted ([`DebugOptions`]). Out: calls of a [`DebugDraw`], in the order of slots, so that the same world
//! draws the same. Changes nothing and allocates nothing. Start reading at [`World::draw`].
//!
//! Conventions: places in the world, m; colours sRGB from 0 to 1.

mod wire;

pub use wire::wires;

use crate::World;
use drystone_collision::Shape;
use drystone_contact::{BodyHandle, BodyIndex, NO_ISLAND, NO_LEVEL};
use drystone_math::{Aabb, Displacement, Pose, Position, Real, Vector3, widen};

/// A colour: red, green and blue, sRGB, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rgb(pub [f32; 3]);

impl Rgb {
    /// What cannot move.
    pub const FIXED: Self = Self([0.55, 0.58, 0.62]);
    /// What moves by itself, and nothing pushes it.
    pub const KINEMATIC: Self = Self([0.35, 0.45, 0.85]);
    /// What is awake.
    pub const AWAKE: Self = Self([0.95, 0.55, 0.20]);
    /// What sleeps.
    pub const ASLEEP: Self = Self([0.45, 0.40, 0.55]);
    /// Triggers.
    pub const TRIGGER: Self = Self([0.30, 0.75, 0.40]);
    /// What was taken out.
    pub const LOST: Self = Self([1.0, 0.0, 1.0]);
    /// Contact points, and the direction in which they push.
    pub const CONTACT: Self = Self([0.90, 0.10, 0.10]);
    /// Forces.
    pub const FORCE: Self = Self([0.95, 0.85, 0.10]);
    /// Edges of the contact graph.
    pub const EDGE: Self = Self([0.10, 0.65, 0.65]);
    /// Joints.
    pub const JOINT: Self = Self([0.20, 0.80, 0.95]);
    /// Boxes of the broad phase.
    pub const BOX: Self = Self([0.35, 0.35, 0.35]);

    /// A colour for a number, unlike those of the numbers beside it.
    pub fn of(number: u32) -> Self {
        // Steps of the golden ratio around the wheel of hues.
        let hue = (number.wrapping_mul(0x9E37_79B9) >> 8) as f32 / (1 << 24) as f32 * 6.0;
        let channel = |shift: f32| {
            let at = (hue + shift).rem_euclid(6.0);
            0.25 + 0.7 * (2.0 - (at - 3.0).abs()).clamp(0.0, 1.0)
        };
        Self([channel(3.0), channel(1.0), channel(5.0)])
    }
}

/// Whoever draws. A line is enough; what can draw solids overrides [`DebugDraw::shape`].
pub trait DebugDraw {
    /// A line between two points.
    fn line(&mut self, from: &Position, to: &Position, colour: Rgb);

    /// A point of some size, m: three short lines unless overridden.
    fn point(&mut self, at: &Position, size: Real, colour: Rgb) {
        for axis in [Displacement::x(), Displacement::y(), Displacement::z()] {
            let half = axis * (0.5 * f64::from(size));
            self.line(&(at - half), &(at + half), colour);
        }
    }

    /// A shape of a body: its wires unless overridden.
    fn shape(&mut self, _body: BodyHandle, shape: &Shape, pose: &Pose, colour: Rgb) {
        wires(shape, pose, &mut |from, to| self.line(from, to, colour));
    }
}

/// What colours of bodies tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugColour {
    /// Fixed, kinematic, awake, asleep.
    #[default]
    Activity,
    /// Islands.
    Island,
    /// Levels: how many bodies lie between a body and what cannot move.
    Level,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebugOptions {
    /// Shapes of bodies.
    pub shapes: bool,
    /// By what they are coloured.
    pub colour: DebugColour,
    /// Boxes of the broad phase, as of the last step.
    pub boxes: bool,
    /// Contact points.
    pub contacts: bool,
    /// Their normals, from the first body to the second.
    pub normals: bool,
    /// Mean forces at them ([`ContactRef::force`](crate::ContactRef)).
    pub forces: bool,
    /// Edges of the contact graph: lines between the centres of bodies that touch.
    pub graph: bool,
    /// Joints: from each body's centre to where it is held, the axis there, and a line where it is apart; couplings: a line between their two joints.
    pub joints: bool,
    /// Size of a point, and length of a normal, m.
    pub size: Real,
    /// Length of a force, m/N.
    pub force_scale: Real,
}

impl Default for DebugOptions {
    /// Shapes by activity, contacts with their normals, and joints; points of 5 cm, a metre for 10 kN.
    fn default() -> Self {
        Self {
            shapes: true,
            colour: DebugColour::Activity,
            boxes: false,
            contacts: true,
            normals: true,
            forces: false,
            graph: false,
            joints: true,
            size: 0.05,
            force_scale: 1e-4,
        }
    }
}

impl World {
    /// Draws what is wanted of the world as it is now.
    ///
    /// ```
    /// use drystone::debug::{DebugDraw, DebugOptions, Rgb};
    /// use drystone::math::Position;
    /// use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
    ///
    /// /// Anything that can draw a line.
    /// #[derive(Default)]
    /// struct Count(usize);
    ///
    /// impl DebugDraw for Count {
    ///     fn line(&mut self, _from: &Position, _to: &Position, _colour: Rgb) {
    ///         self.0 += 1;
    ///     }
    /// }
    ///
    /// let mut world = World::new(WorldConfig::default())?;
    /// world.add_body(BodySpec::dynamic().collider(ColliderSpec::new(Shape::cuboid([0.5; 3].into())?)))?;
    /// let mut count = Count::default();
    /// world.draw(&DebugOptions::default(), &mut count);
    /// assert_eq!(count.0, 12, "the edges of a box");
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    pub fn draw(&self, options: &DebugOptions, to: &mut dyn DebugDraw) {
        if options.shapes || options.boxes {
            self.draw_shapes(options, to);
        }
        if options.contacts || options.normals || options.forces {
            self.draw_contacts(options, to);
        }
        if options.graph {
            self.draw_graph(to);
        }
        if options.joints {
            self.draw_joints(options, to);
        }
    }

    fn draw_shapes(&self, options: &DebugOptions, to: &mut dyn DebugDraw) {
        for index in self.colliders.all() {
            let collider = self.colliders.get(index);
            let pose = self.colliders.pose_on(index, self.bodies.center_pose(collider.body));
            if options.shapes {
                let is_trigger = self.colliders.is_trigger(index);
                let colour =
                    if is_trigger { Rgb::TRIGGER } else { self.debug_colour(collider.body, options.colour) };
                if let Some(body) = self.bodies.handle(collider.body) {
                    to.shape(body, &collider.shape, &pose, colour);
                }
            }
            if options.boxes && !collider.shape.is_half_space() {
                draw_box(self.colliders.box_of(index), to);
            }
        }
    }

    fn debug_colour(&self, body: BodyIndex, by: DebugColour) -> Rgb {
        let hot = self.bodies.hot(body);
        if hot.is_quarantined() {
            return Rgb::LOST;
        }
        if !hot.is_dynamic() {
            return if hot.is_kinematic() { Rgb::KINEMATIC } else { Rgb::FIXED };
        }
        let number = match by {
            DebugColour::Activity => None,
            DebugColour::Island => Some(self.graph.island_of(body).0).filter(|&island| island != NO_ISLAND.0),
            DebugColour::Level => Some(self.graph.level(body)).filter(|&level| level != NO_LEVEL),
        };
        match number {
            Some(number) => Rgb::of(number),
            None if self.bodies.is_asleep(body) => Rgb::ASLEEP,
            None => Rgb::AWAKE,
        }
    }

    fn draw_contacts(&self, options: &DebugOptions, to: &mut dyn DebugDraw) {
        for contact in self.contacts() {
            if options.contacts {
                to.point(&contact.point, options.size, Rgb::CONTACT);
            }
            if options.normals {
                let tip = contact.point + widen(&(contact.normal * options.size));
                to.line(&contact.point, &tip, Rgb::CONTACT);
            }
            if options.forces && contact.force != Vector3::zeros() {
                let tip = contact.point + widen(&(contact.force * options.force_scale));
                to.line(&contact.point, &tip, Rgb::FORCE);
            }
        }
    }

    fn draw_graph(&self, to: &mut dyn DebugDraw) {
        for index in self.graph.edge_indices() {
            let edge = self.graph.edge(index);
            if edge.manifold.points().is_empty() {
                continue;
            }
            // What is fixed may have its origin anywhere: from a body's centre to where it touches, then.
            let [a, b] = [edge.body(0), edge.body(1)];
            let center = |body: BodyIndex| self.bodies.center_pose(body).translation;
            match [a, b].map(|body| self.bodies.hot(body).is_dynamic()) {
                [true, true] => to.line(&center(a), &center(b), Rgb::EDGE),
                [true, false] => self.draw_to_points(a, &edge.manifold, to),
                [false, true] => self.draw_to_points(b, &edge.manifold, to),
                [false, false] => {}
            }
        }
    }

    fn draw_to_points(&self, body: BodyIndex, manifold: &drystone_contact::Manifold, to: &mut dyn DebugDraw) {
        let center = self.bodies.center_pose(body).translation;
        for point in manifold.points() {
            let arm = if body == manifold.body_a { point.arm_a } else { point.arm_b };
            to.line(&center, &(center + widen(&arm)), Rgb::EDGE);
        }
    }

    fn draw_joints(&self, options: &DebugOptions, to: &mut dyn DebugDraw) {
        for (_, joint) in self.joints() {
            let Some(tie) = self.graph.tie(joint.edge()) else { continue };
            let (frames, arms, _) = tie.place(&self.bodies);
            let centers = tie.bodies.map(|body| self.bodies.center_pose(body).translation);
            let held = [0, 1].map(|k| centers[k] + widen(&arms[k]));
            for k in [0, 1] {
                if self.bodies.hot(tie.bodies[k]).is_dynamic() {
                    to.line(&centers[k], &held[k], Rgb::JOINT);
                }
            }
            let axis = widen(&(frames[0] * Vector3::x() * options.size));
            to.line(&(held[0] - axis), &(held[0] + axis), Rgb::JOINT);
            // What couples two joints is not apart.
            let between = if joint.coupled().is_some() { Rgb::JOINT } else { Rgb::FORCE };
            to.line(&held[0], &held[1], between);
        }
    }
}

/// The edges of a box along the axes.
fn draw_box(bounds: &Aabb, to: &mut dyn DebugDraw) {
    let [low, high] = [bounds.min, bounds.max];
    let corner = |bits: usize| {
        let pick = |axis: usize| if bits >> axis & 1 == 1 { high[axis] } else { low[axis] };
        Position::new(pick(0), pick(1), pick(2))
    };
    for bits in 0..8 {
        for axis in (0..3).filter(|axis| bits >> axis & 1 == 0) {
            to.line(&corner(bits), &corner(bits | 1 << axis), Rgb::BOX);
        }
    }
}
