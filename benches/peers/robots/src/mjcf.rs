//! A robot as MJCF, for MuJoCo.

use crate::robots::{DAMPING, FRICTION, Form, GROUND, MAX_TORQUE, Robot};
use std::fmt::Write;

/// Three numbers with blanks between them.
fn triple(v: [f64; 3]) -> String {
    format!("{} {} {}", v[0], v[1], v[2])
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

/// The whole file. Steps of 1/60 s with `implicitfast`, all else as MuJoCo has it.
pub(crate) fn text(robot: &Robot) -> String {
    let mut out = format!(
        "<mujoco model=\"{}\">\n<option timestep=\"{}\" gravity=\"0 -9.81 0\" integrator=\"implicitfast\"/>\n\
         <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n<default><geom friction=\"{FRICTION}\"/></default>\n<worldbody>\n\
         <geom type=\"box\" size=\"{}\" pos=\"0 {} 0\"/>\n",
        robot.name,
        1.0 / 60.0,
        triple(GROUND),
        -GROUND[1]
    );
    let is_root =
        |link: &usize| robot.hinges.iter().all(|hinge| hinge.child != *link || hinge.parent.is_none());
    for link in (0..robot.links.len()).filter(is_root) {
        body(robot, link, [0.0; 3], &mut out);
    }
    out += "</worldbody>\n<actuator>\n";
    for (k, hinge) in robot.hinges.iter().enumerate() {
        let (stiffness, damping) = (hinge.stiffness, DAMPING * hinge.stiffness);
        writeln!(
            out,
            "<position joint=\"j{k}\" kp=\"{stiffness}\" kv=\"{damping}\" forcerange=\"-{MAX_TORQUE} {MAX_TORQUE}\"/>"
        )
        .expect("text takes all");
    }
    out + "</actuator>\n</mujoco>\n"
}

/// A link with all that hangs on it; `above` is where its parent's middle is.
fn body(robot: &Robot, index: usize, above: [f64; 3], out: &mut String) {
    let link = &robot.links[index];
    let mut say = |line: String| {
        out.push_str(&line);
        out.push('\n');
    };
    say(format!("<body pos=\"{}\">", triple(minus(link.at, above))));
    match robot.hinges.iter().enumerate().find(|(_, hinge)| hinge.child == index) {
        Some((k, hinge)) => say(format!(
            "<joint name=\"j{k}\" type=\"hinge\" axis=\"{}\" pos=\"{}\"/>",
            triple(hinge.direction()),
            triple(minus(hinge.at, link.at))
        )),
        None => say("<freejoint/>".to_owned()),
    }
    say(format!(
        "<inertial pos=\"0 0 0\" mass=\"{}\" diaginertia=\"{}\"/>",
        link.mass,
        triple(link.moments())
    ));
    match link.form {
        Some(Form::Cuboid(half)) => say(format!("<geom type=\"box\" size=\"{}\"/>", triple(half))),
        Some(Form::Ball(radius, at)) => {
            say(format!("<geom type=\"sphere\" size=\"{radius}\" pos=\"{}\"/>", triple(at)));
        }
        None => {}
    }
    for hinge in robot.hinges.iter().filter(|hinge| hinge.parent == Some(index)) {
        body(robot, hinge.child, link.at, out);
    }
    out.push_str("</body>\n");
}
