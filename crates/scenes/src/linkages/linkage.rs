//! Bodies, joints and blows as plain data, and the world that they become.

use super::LinkageError;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Pose, Position, Real, Vector3, WideRotation, narrow, narrow_rotation};
use drystone::{
    BodyHandle, BodySpec, ColliderSpec, JointAxis, JointHandle, JointKind, JointSpec, Motor, Shape, World,
    WorldConfig,
};

/// A body of a linkage: a box of uniform density that meets no other.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Half extents along its own axes, m.
    pub half: Displacement,
    /// Mass, kg; of no effect on a fixed body.
    pub mass: f64,
    /// Centre of mass, m, world.
    pub center: Position,
    /// Its axes, world.
    pub rotation: WideRotation,
    /// Velocity of the centre, m/s.
    pub linear: Displacement,
    /// Angular velocity, rad/s, world.
    pub angular: Displacement,
    /// True for what never moves.
    pub is_fixed: bool,
}

impl Link {
    /// A cube of 0.2 m that never moves.
    pub fn base(center: Position) -> Self {
        Self {
            half: Displacement::repeat(0.1),
            mass: 1.0,
            center,
            rotation: WideRotation::identity(),
            linear: Displacement::zeros(),
            angular: Displacement::zeros(),
            is_fixed: true,
        }
    }

    /// A rod of square section between two points (m), its x axis from the one to the other; thickness m, mass kg, at rest.
    pub fn rod(from: Position, to: Position, thickness: f64, mass: f64) -> Self {
        let way = to - from;
        let half = Displacement::new(0.5 * way.norm(), 0.5 * thickness, 0.5 * thickness);
        let half_turn = || WideRotation::new(Displacement::z() * std::f64::consts::PI);
        let rotation = WideRotation::rotation_between(&Displacement::x(), &way).unwrap_or_else(half_turn);
        Self { half, mass, center: from + way * 0.5, rotation, is_fixed: false, ..Self::base(from) }
    }

    /// Its mass properties, about its own axes.
    pub fn mass_properties(&self) -> MassProperties {
        let square = self.half.component_mul(&self.half);
        let moments = Displacement::new(square.y + square.z, square.x + square.z, square.x + square.y) / 3.0
            * self.mass;
        MassProperties::aligned(self.mass as Real, narrow(&moments))
    }

    fn spec(&self) -> Result<BodySpec, LinkageError> {
        // In no group that anyone meets: the motion is that of the joints alone.
        let collider = ColliderSpec::new(Shape::cuboid(narrow(&self.half))?).filter(1, 0);
        let kind = if self.is_fixed {
            BodySpec::fixed()
        } else {
            BodySpec::dynamic()
                .mass(self.mass_properties())
                .linear_velocity(narrow(&self.linear))
                .angular_velocity(narrow(&self.angular))
        };
        let pose = Pose::new(self.center, narrow_rotation(&self.rotation));
        Ok(kind.pose(pose).collider(collider).can_sleep(false))
    }
}

/// A joint of a linkage.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// What it is.
    pub kind: JointKind,
    /// Places of bodies A and B in [`Linkage::links`].
    pub ends: [usize; 2],
    /// Where it is on A and on B at the start, m, world.
    pub points: [Position; 2],
    /// Its x axis at the start, world, any length.
    pub axis: Displacement,
    /// Limits of coordinates, m or rad; infinite ones free a coordinate that the kind holds.
    pub limits: Vec<(JointAxis, [f64; 2])>,
    /// What drives a coordinate.
    pub motor: Option<(JointAxis, Motor)>,
    /// Dry friction, N or N·m; of a generic or fixed joint 0.
    pub friction: f64,
    /// Largest angle between the x axes, rad; infinite without a cone.
    pub cone: f64,
}

impl Hold {
    /// A joint at a point in common, without limits, motor or friction.
    pub fn new(kind: JointKind, ends: [usize; 2], at: Position, axis: Displacement) -> Self {
        let points = [at, at];
        Self { kind, ends, points, axis, limits: Vec::new(), motor: None, friction: 0.0, cone: f64::INFINITY }
    }

    /// The same with limits of a coordinate, m or rad.
    #[must_use]
    pub fn limited(mut self, axis: JointAxis, lower: f64, upper: f64) -> Self {
        self.limits.push((axis, [lower, upper]));
        self
    }

    /// The same with a coordinate that is free.
    #[must_use]
    pub fn freed(self, axis: JointAxis) -> Self {
        self.limited(axis, f64::NEG_INFINITY, f64::INFINITY)
    }

    /// How far its point on B can get from its point on A, m; infinite where nothing holds it.
    pub(super) fn slack(&self) -> f64 {
        let far = |axis| self.limits.iter().find(|(own, _)| *own == axis).map(|(_, limits)| limits);
        let way = |limits: &[f64; 2]| limits[0].abs().max(limits[1].abs());
        match self.kind {
            JointKind::Distance if self.motor.is_some() => {
                far(JointAxis::Distance).map_or(f64::INFINITY, way)
            }
            JointKind::Distance => {
                far(JointAxis::Distance).map_or((self.points[1] - self.points[0]).norm(), way)
            }
            JointKind::Slider => far(JointAxis::X).map_or(f64::INFINITY, way),
            JointKind::Generic => {
                [JointAxis::X, JointAxis::Y, JointAxis::Z].into_iter().filter_map(far).map(way).sum()
            }
            _ => 0.0,
        }
    }

    fn spec(&self, bodies: &[BodyHandle]) -> JointSpec {
        let [a, b] = self.ends.map(|end| bodies[end]);
        let mut spec =
            JointSpec::new(self.kind, a, b).between(self.points[0], self.points[1]).along(narrow(&self.axis));
        for &(axis, [lower, upper]) in &self.limits {
            spec = spec.axis_limits(axis, lower as Real, upper as Real);
        }
        if let Some((axis, motor)) = self.motor {
            spec = spec.axis_motor(axis, motor);
        }
        if self.friction > 0.0 {
            spec = spec.friction(self.friction as Real);
        }
        if self.cone < f64::INFINITY { spec.cone(self.cone as Real) } else { spec }
    }
}

/// An impulse on a link, between two steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Blow {
    /// Steps before it.
    pub step: usize,
    /// Which link.
    pub link: usize,
    /// N·s, world.
    pub impulse: Displacement,
    /// Angular impulse about the centre of mass, N·m·s, world.
    pub angular: Displacement,
}

/// Bodies that joints hold together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linkage {
    /// Acceleration of all bodies, m/s².
    pub gravity: Displacement,
    /// Its bodies.
    pub links: Vec<Link>,
    /// Its joints.
    pub holds: Vec<Hold>,
    /// What strikes it.
    pub blows: Vec<Blow>,
}

/// A linkage in a world.
#[derive(Debug)]
pub struct Built {
    /// The world, on one thread and without sleep: what sleeps would look as if it had lost its energy.
    pub world: World,
    /// Links, by place.
    pub bodies: Vec<BodyHandle>,
    /// Joints, by place.
    pub joints: Vec<JointHandle>,
}

impl Linkage {
    /// All that moves turns about a point like one rigid body: `angular` in rad/s, world, beside the velocity that it has.
    #[must_use]
    pub fn spun(mut self, about: Position, angular: Displacement) -> Self {
        for link in self.links.iter_mut().filter(|link| !link.is_fixed) {
            link.linear += angular.cross(&(link.center - about));
            link.angular += angular;
        }
        self
    }

    /// The same linkage, with its gravity, turned about the origin: no axis of it is one of the world's.
    #[must_use]
    pub fn turned(mut self, turn: &WideRotation) -> Self {
        self.gravity = turn * self.gravity;
        for link in &mut self.links {
            link.center = turn * link.center;
            link.rotation = turn * link.rotation;
            (link.linear, link.angular) = (turn * link.linear, turn * link.angular);
        }
        for hold in &mut self.holds {
            hold.points = hold.points.map(|point| turn * point);
            hold.axis = turn * hold.axis;
        }
        for blow in &mut self.blows {
            (blow.impulse, blow.angular) = (turn * blow.impulse, turn * blow.angular);
        }
        self
    }

    /// The world that it becomes with these settings, but for gravity, which is its own, and sleep, which there is none of.
    ///
    /// # Errors
    /// What the world refuses.
    pub fn build(&self, mut config: WorldConfig) -> Result<Built, LinkageError> {
        config.gravity = narrow(&self.gravity);
        config.sleeping.enabled = false;
        let mut world = World::new(config)?;
        let mut bodies = Vec::with_capacity(self.links.len());
        for link in &self.links {
            bodies.push(world.add_body(link.spec()?)?);
        }
        let mut joints = Vec::with_capacity(self.holds.len());
        for hold in &self.holds {
            joints.push(world.add_joint(&hold.spec(&bodies))?);
        }
        Ok(Built { world, bodies, joints })
    }

    /// Least that the potential energy of each link can be, J, from the start of the world's frame: it is no farther from a fixed point than the
    /// joints and links between them are long. Zero without gravity, and for what is fixed.
    ///
    /// # Errors
    /// [`LinkageError::Unbounded`] for a link that falls for ever.
    pub fn lowest_potential(&self) -> Result<Vec<f64>, LinkageError> {
        if self.gravity == Displacement::zeros() {
            return Ok(vec![0.0; self.links.len()]);
        }
        let pull = self.gravity.norm();
        let height = |point: &Position| -self.gravity.dot(&point.coords) / pull;
        let mut lowest = vec![f64::NEG_INFINITY; self.links.len()];
        for (place, hold) in self.holds.iter().enumerate() {
            for side in (0..2).filter(|&side| self.links[hold.ends[side]].is_fixed) {
                let anchor = height(&hold.points[side]);
                for (link, reach) in self.reach(place).into_iter().enumerate() {
                    lowest[link] = lowest[link].max(anchor - reach);
                }
            }
        }
        let energy = |(body, link): (usize, &Link)| match lowest[body] {
            _ if link.is_fixed => Ok(0.0),
            height if height.is_finite() => Ok(link.mass * pull * height),
            _ => Err(LinkageError::Unbounded { body }),
        };
        self.links.iter().enumerate().map(energy).collect()
    }

    /// How far below its fixed point a joint can let go of its other body, m: a slider on a fixed body along its axis alone, however far.
    fn first_drop(&self, hold: usize) -> f64 {
        let hold = &self.holds[hold];
        let (axis, down) = (hold.axis.normalize(), self.gravity.normalize());
        // What is level within rounding of a turn drops nowhere.
        let is_level = axis.dot(&down).abs() < 1e-9;
        let is_rail = hold.kind == JointKind::Slider && self.links[hold.ends[0]].is_fixed;
        if is_rail && is_level { 0.0 } else { hold.slack() }
    }

    /// How far the centre of each link can get below the fixed point of a joint, m: shortest ways along links, by relaxation.
    fn reach(&self, start: usize) -> Vec<f64> {
        let mut far = vec![f64::INFINITY; self.holds.len()];
        far[start] = self.first_drop(start);
        let shared = |i: usize, j: usize| {
            let (a, b) = (&self.holds[i], &self.holds[j]);
            let sides = [[0, 0], [0, 1], [1, 0], [1, 1]].into_iter();
            sides
                .filter(|&[s, t]| a.ends[s] == b.ends[t] && !self.links[a.ends[s]].is_fixed)
                .map(|[s, t]| (a.points[s] - b.points[t]).norm())
                .fold(f64::INFINITY, f64::min)
        };
        // A shortest way passes each joint once.
        for _ in 0..self.holds.len() {
            for j in 0..far.len() {
                let nearest = (0..far.len()).map(|i| far[i] + shared(i, j)).fold(f64::INFINITY, f64::min);
                far[j] = far[j].min(nearest + self.holds[j].slack());
            }
        }
        let of_link = |link: usize| {
            let mut least = f64::INFINITY;
            for (hold, far) in self.holds.iter().zip(&far) {
                for side in (0..2).filter(|&side| hold.ends[side] == link) {
                    least = least.min(far + (hold.points[side] - self.links[link].center).norm());
                }
            }
            least
        };
        (0..self.links.len()).map(of_link).collect()
    }
}

/// A vector of the engine's in double precision.
pub(super) fn wide(v: &Vector3) -> Displacement {
    drystone::math::widen(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pendulum() -> Linkage {
        let (a, b, c) = (Position::origin(), Position::new(1.0, 0.0, 0.0), Position::new(1.5, 0.0, 0.0));
        let hinge = |ends, at| Hold::new(JointKind::Hinge, ends, at, Displacement::z());
        Linkage {
            gravity: Displacement::new(0.0, -10.0, 0.0),
            links: vec![Link::base(a), Link::rod(a, b, 0.02, 1.0), Link::rod(b, c, 0.02, 2.0)],
            holds: vec![hinge([0, 1], a), hinge([1, 2], b)],
            blows: Vec::new(),
        }
    }

    #[test]
    fn a_double_pendulum_is_lowest_where_it_hangs() {
        let lowest = pendulum().lowest_potential().expect("it hangs");
        // Centres at 0.5 m and 1.25 m below the anchor.
        assert!((lowest[1] + 5.0).abs() < 1e-12 && (lowest[2] + 25.0).abs() < 1e-12, "{lowest:?}");
    }

    #[test]
    fn a_second_anchor_lifts_what_it_holds() {
        let mut linkage = pendulum();
        let top = Position::new(1.5, 0.3, 0.0);
        linkage.links.push(Link::base(top));
        linkage.holds.push(Hold {
            points: [top, Position::new(1.5, 0.0, 0.0)],
            ..Hold::new(JointKind::Distance, [3, 2], top, Displacement::x())
        });
        // A rod of 0.3 m from 0.3 m above, and half of the link: 0.25 m below.
        let lowest = linkage.lowest_potential().expect("it hangs");
        assert!((lowest[2] + 5.0).abs() < 1e-12, "{lowest:?}");
    }

    #[test]
    fn what_falls_for_ever_is_named() {
        let mut linkage = pendulum();
        linkage.holds.pop();
        let error = linkage.lowest_potential().expect_err("nothing holds the second rod").to_string();
        assert!(error.contains("link 2"), "{error}");
    }

    #[test]
    fn a_turned_linkage_is_the_same_seen_from_elsewhere() {
        let turn = WideRotation::new(Displacement::new(0.3, -0.8, 0.5));
        let (plain, turned) = (pendulum(), pendulum().turned(&turn));
        let lowest = |linkage: &Linkage| linkage.lowest_potential().expect("it hangs");
        for (a, b) in lowest(&plain).iter().zip(lowest(&turned)) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }
}
