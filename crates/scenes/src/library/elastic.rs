//! Elastic impacts: Newton's cradle (S1 5.6, S1-92) and two balls at a wall (S1 Fig 21, S1-60).
//!
//! All contacts have restitution 1 and no friction; there is no gravity, so nothing but the impacts counts.
//! Thresholds refer to 10 m/s².
//!
//! The paper's cradle has pendulums and never stops. Ours has none, as joints do not exist yet: the balls lie
//! in a row, touching, and those that come in are touching each other as well. Walls of restitution 1 on
//! both sides stand in for the pendulums that return a ball: what leaves comes back, for ever.

use crate::model::{Body, Bounds, PairValues, Scene, ShapeSpec};

/// Diameter of the balls, m.
const DIAMETER: f64 = 0.1;
/// Balls of the cradle.
const BALL_COUNT: u32 = 5;
/// The way a ball travels before it hits, m.
const GAP: f64 = 0.25;
/// Half the height and width of a wall, m.
const HALF_WALL: f64 = 0.15;

/// `count` balls at 1 m/s hit the others of five.
pub(super) fn cradle(count: u32) -> Scene {
    let mut scene = elastic("cradle");
    scene.description = format!(
        "{count} of {BALL_COUNT} iron balls (10 cm) in a row come in at 1 m/s and hit the others, without loss or \
         friction; walls send back what leaves. As many leave as came in. S1 5.6; rows of balls, as joints do not exist yet."
    );
    scene.seconds = 10.0;
    // The free way is GAP before and behind the row, so each swing takes equally long.
    let end = GAP + DIAMETER * f64::from(BALL_COUNT);
    scene.bounds = Some(Bounds { min: [-GAP, -0.1, -0.1], max: [end, 0.1, 0.1] });
    scene.bodies.extend([wall("wall -x", 1.0, -GAP, 0.0), wall("wall +x", -1.0, end, 0.0)]);
    for i in 0..BALL_COUNT {
        let is_coming = i < count;
        let x = DIAMETER * (f64::from(i) + 0.5) - if is_coming { GAP } else { 0.0 };
        let speed = if is_coming { 1.0 } else { 0.0 };
        scene.bodies.push(ball(format!("ball {i}"), x).moving([speed, 0.0, 0.0], [0.0; 3]));
    }
    scene
}

/// Two touching balls on the ground, moving together, touch a wall: of the four contacts only that with the
/// wall closes, then the one of the two balls, then again that with the wall.
pub(super) fn two_balls_wall() -> Scene {
    let mut scene = elastic("two_balls_wall");
    scene.description =
        "Two touching iron balls (10 cm) on the ground run into a wall at 0.5 m/s, without loss or \
                         friction; the contact with the wall is resolved twice before both return. S1 Fig 21."
            .into();
    scene.seconds = 1.0;
    scene.bodies.extend([Body::ground("granite"), wall("wall", -1.0, 0.0, HALF_WALL)]);
    for i in 0..2 {
        let mut body = ball(format!("ball {i}"), -(f64::from(i) + 0.5) * DIAMETER);
        body.position[1] = 0.5 * DIAMETER;
        scene.bodies.push(body.moving([0.5, 0.0, 0.0], [0.0; 3]));
    }
    scene
}

fn elastic(name: &str) -> Scene {
    let mut scene = Scene::new(name);
    scene.gravity = [0.0; 3];
    scene.reference_acceleration = Some(10.0);
    scene.contact = Some(PairValues {
        restitution: 1.0,
        static_friction: 0.0,
        kinetic_friction: 0.0,
        rolling_friction: 0.0,
    });
    scene
}

fn ball(name: String, x: f64) -> Body {
    Body::new(name, ShapeSpec::ball(DIAMETER as f32), "iron").at(x, 0.0, 0.0)
}

/// A wall whose face at `x` looks towards `sign` times x, with its middle at the height `y`.
fn wall(name: &str, sign: f64, x: f64, y: f64) -> Body {
    let half = 0.05;
    let shape = ShapeSpec::cuboid(half as f32, HALF_WALL as f32, HALF_WALL as f32);
    Body::new(name, shape, "granite").at(x - sign * half, y, 0.0).fixed()
}
