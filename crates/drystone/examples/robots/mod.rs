//! Three robots as numbers, for every engine that is to carry them: an arm of seven hinges, a quadruped (free base, 12 hinges), a humanoid (free base, 30 hinges).
//!
//! All links stand along the axes of the world (y up), so a place and a size say where each one is. Each hinge has a spring with a damper as its motor. What
//! is next to each other on a hinge does not meet.

pub(crate) mod world;

/// Friction of all contacts.
pub(crate) const FRICTION: f64 = 0.5;
/// Largest torque of a motor, N m.
pub(crate) const MAX_TORQUE: f64 = 300.0;
/// Damping of a motor by its stiffness, s.
pub(crate) const DAMPING: f64 = 0.03;
/// Half edges of the ground, m; its upper face is at 0.
pub(crate) const GROUND: [f64; 3] = [10.0, 0.5, 10.0];

/// What a link is to touch with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// A box with these half edges, m, about the link's middle.
    Cuboid([f64; 3]),
    /// A ball of this radius, m, so far from the link's middle.
    Ball(f64, [f64; 3]),
}

/// A link: a box of even density, with its middle here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// Mass, kg.
    pub(crate) mass: f64,
    /// Half edges, m.
    pub(crate) half: [f64; 3],
    /// Its middle, m.
    pub(crate) at: [f64; 3],
    /// None for what touches nothing.
    pub(crate) form: Option<Form>,
}

impl Link {
    /// Moments of inertia about its middle, kg m².
    pub(crate) fn moments(&self) -> [f64; 3] {
        let [x, y, z] = self.half.map(|half| half * half);
        [y + z, x + z, x + y].map(|sum| sum * self.mass / 3.0)
    }
}

/// A hinge with its motor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hinge {
    /// The link that it hangs on; none for the world.
    pub(crate) parent: Option<usize>,
    pub(crate) child: usize,
    /// Where it is, m.
    pub(crate) at: [f64; 3],
    /// x, y or z.
    pub(crate) axis: usize,
    /// Target of its motor, rad, and stiffness, N m/rad.
    pub(crate) target: f64,
    pub(crate) stiffness: f64,
}

impl Hinge {
    /// Its axis as a vector.
    pub(crate) fn direction(&self) -> [f64; 3] {
        std::array::from_fn(|k| f64::from(u8::from(k == self.axis)))
    }
}

/// A robot. Links are ordered so that what one hangs on comes before it; the first floats where no hinge holds it.
#[derive(Clone, Debug)]
pub(crate) struct Robot {
    pub(crate) name: &'static str,
    /// Steps of 1/60 s until it has come to rest.
    pub(crate) settle: u32,
    pub(crate) links: Vec<Link>,
    pub(crate) hinges: Vec<Hinge>,
}

impl Robot {
    fn new(name: &'static str, settle: u32) -> Self {
        Self { name, settle, links: Vec::new(), hinges: Vec::new() }
    }

    fn link(&mut self, mass: f64, half: [f64; 3], at: [f64; 3], form: Option<Form>) -> usize {
        self.links.push(Link { mass, half, at, form });
        self.links.len() - 1
    }

    /// A box that touches with all of itself.
    fn part(&mut self, mass: f64, half: [f64; 3], at: [f64; 3]) -> usize {
        self.link(mass, half, at, Some(Form::Cuboid(half)))
    }

    /// So many hinges about different axes at a place, with small links in between.
    fn turn(&mut self, parent: usize, child: usize, at: [f64; 3], count: usize) {
        let mut from = parent;
        for k in 0..count {
            let to = if k + 1 == count { child } else { self.link(0.3, [0.04; 3], at, None) };
            let axis = [2, 0, 1][k];
            self.hinges.push(Hinge { parent: Some(from), child: to, at, axis, target: 0.0, stiffness: 60.0 });
            from = to;
        }
    }
}

/// All of them.
pub(crate) fn robots() -> [Robot; 3] {
    [arm(), quadruped(), humanoid()]
}

/// Seven links on the world, in the air.
fn arm() -> Robot {
    let mut robot = Robot::new("arm", 120);
    for k in 0..7 {
        let height = 1.0 + 0.2 * k as f64;
        let child = robot.link(3.0 - 0.3 * k as f64, [0.05, 0.1, 0.05], [0.0, height + 0.1, 0.0], None);
        let (at, axis) = ([0.0, height, 0.0], if k % 2 == 0 { 1 } else { 2 });
        let parent = child.checked_sub(1);
        robot.hinges.push(Hinge { parent, child, at, axis, target: 0.3, stiffness: 800.0 });
    }
    robot
}

/// Stands on four feet.
fn quadruped() -> Robot {
    let mut robot = Robot::new("quadruped", 240);
    let height = 0.5;
    let body = robot.part(8.0, [0.3, 0.08, 0.15], [0.0, height, 0.0]);
    for (x, z) in [(0.25, 0.2), (0.25, -0.2), (-0.25, 0.2), (-0.25, -0.2)] {
        let hip = robot.link(0.4, [0.04; 3], [x, height, z], None);
        let thigh = robot.link(0.6, [0.03, 0.1, 0.03], [x, height - 0.1, z], None);
        let foot = Form::Ball(0.03, [0.0, -0.1, 0.0]);
        let shank = robot.link(0.3, [0.02, 0.1, 0.02], [x, height - 0.3, z], Some(foot));
        for (parent, child, down, axis, target) in
            [(body, hip, 0.0, 0, 0.0), (hip, thigh, 0.0, 2, 0.35), (thigh, shank, 0.2, 2, -0.7)]
        {
            let (parent, at) = (Some(parent), [x, height - down, z]);
            robot.hinges.push(Hinge { parent, child, at, axis, target, stiffness: 200.0 });
        }
    }
    robot
}

/// A trunk of two, a head, arms and legs; falls and lies on the ground.
fn humanoid() -> Robot {
    let mut robot = Robot::new("humanoid", 300);
    let trunk = [0.12, 0.12, 0.16];
    let pelvis = robot.part(10.0, trunk, [0.0, 1.0, 0.0]);
    let chest = robot.part(16.0, trunk, [0.0, 1.3, 0.0]);
    let head = robot.part(4.0, [0.09; 3], [0.0, 1.6, 0.0]);
    robot.turn(pelvis, chest, [0.0, 1.15, 0.0], 3);
    robot.turn(chest, head, [0.0, 1.47, 0.0], 3);
    let limb = [0.05, 0.18, 0.05];
    for z in [-0.1, 0.1] {
        let thigh = robot.part(7.0, limb, [0.0, 0.68, z]);
        let shank = robot.part(4.0, limb, [0.0, 0.28, z]);
        let foot = robot.part(1.0, [0.1, 0.03, 0.05], [0.05, 0.05, z]);
        robot.turn(pelvis, thigh, [0.0, 0.87, z], 3);
        robot.turn(thigh, shank, [0.0, 0.48, z], 1);
        robot.turn(shank, foot, [0.0, 0.09, z], 2);
    }
    for z in [-0.28, 0.28] {
        let upper = robot.part(2.5, limb, [0.0, 1.2, z]);
        let lower = robot.part(1.5, limb, [0.0, 0.8, z]);
        let hand = robot.part(0.5, [0.04; 3], [0.0, 0.56, z]);
        robot.turn(chest, upper, [0.0, 1.4, z], 3);
        robot.turn(upper, lower, [0.0, 1.0, z], 1);
        robot.turn(lower, hand, [0.0, 0.61, z], 2);
    }
    robot
}
