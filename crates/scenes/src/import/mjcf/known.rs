//! Which attributes are read, and which are as good as read: what is neither is noted, so that nothing is left out silently.

use crate::import::xml::{LeftOut, elements};
use roxmltree::Node;

/// What is known of an element. Names are separated by spaces.
struct Known {
    element: &'static str,
    /// Attributes that are read.
    read: &'static str,
    /// Those that change nothing that is simulated: names, looks, how MuJoCo solves, what is for actuators and sensors.
    idle: &'static str,
    /// Those that change nothing as long as they have this value, MuJoCo's own.
    usual: &'static [(&'static str, &'static str)],
}

const SOLREF: &str = "0.02 1";
const SOLIMP: &str = "0.9 0.95 0.001 0.5 2";

/// Elements of which attributes are read.
const KNOWN: &[Known] = &[
    Known {
        element: "compiler",
        read: "autolimits coordinate angle eulerseq meshdir assetdir settotalmass boundmass boundinertia inertiafromgeom",
        idle: "texturedir discardvisual usethread fusestatic fitaabb saveinertial alignfree conflict convexhull",
        usual: &[
            // Moments are balanced anyway.
            ("balanceinertia", "true"),
            ("strippath", "false"),
            ("inertiagrouprange", "0 5"),
        ],
    },
    Known {
        element: "option",
        read: "timestep gravity",
        idle: "magnetic tolerance ls_tolerance noslip_tolerance ccd_tolerance mpr_tolerance sleep_tolerance \
            integrator cone jacobian solver iterations ls_iterations noslip_iterations ccd_iterations mpr_iterations \
            sdf_iterations sdf_initpoints apirate actuatorgroupdisable o_margin o_solref o_solimp o_friction",
        usual: &[
            ("wind", "0"),
            ("density", "0"),
            ("viscosity", "0"),
            ("impratio", "1"),
            ("collision", "all"),
        ],
    },
    Known {
        element: "flag",
        read: "constraint equality frictionloss limit contact passive spring damper gravity filterparent",
        idle: "clampctrl warmstart actuation refsafe sensor sensornoise midphase eulerdamp autoreset nativeccd \
            multiccd island energy fwdinv invdiscrete sleep diagexact",
        usual: &[("override", "disable")],
    },
    Known {
        element: "mesh",
        read: "name class file scale",
        idle: "content_type normal texcoord smoothnormal material maxhullvert",
        usual: &[("refpos", "0"), ("refquat", "1 0 0 0"), ("inertia", "convex")],
    },
    Known { element: "worldbody", read: "", idle: "name", usual: &[] },
    Known {
        element: "body",
        read: "name childclass pos quat axisangle euler zaxis xyaxes gravcomp mocap",
        idle: "simple user",
        usual: &[("sleep", "auto")],
    },
    Known {
        element: "frame",
        read: "childclass pos quat axisangle euler zaxis xyaxes",
        idle: "name",
        usual: &[],
    },
    Known {
        element: "inertial",
        read: "pos quat axisangle euler zaxis xyaxes mass diaginertia fullinertia",
        idle: "",
        usual: &[],
    },
    Known {
        element: "joint",
        read: "name class type pos axis limited range ref stiffness springref damping frictionloss armature springdamper",
        idle: "group user actuatorfrclimited actuatorfrcrange actuatorgravcomp",
        usual: &[
            ("margin", "0"),
            ("solreflimit", SOLREF),
            ("solimplimit", SOLIMP),
            ("solreffriction", SOLREF),
            ("solimpfriction", SOLIMP),
        ],
    },
    Known { element: "freejoint", read: "name", idle: "group align", usual: &[] },
    Known {
        element: "geom",
        read: "name class type contype conaffinity size friction mass density fromto mesh hfield \
            pos quat axisangle euler zaxis xyaxes",
        idle: "group rgba material user fluidshape fluidcoef",
        usual: &[
            ("condim", "3"),
            ("priority", "0"),
            ("margin", "0"),
            ("gap", "0"),
            ("solmix", "1"),
            ("solref", SOLREF),
            ("solimp", SOLIMP),
            ("shellinertia", "false"),
            ("surfacevel", "0"),
            ("adhesion", "0"),
            ("fitscale", "1"),
        ],
    },
    Known { element: "exclude", read: "name body1 body2", idle: "", usual: &[] },
    Known {
        element: "pair",
        read: "name geom1 geom2",
        idle: "class",
        usual: &[("condim", "3"), ("margin", "0"), ("gap", "0"), ("solref", SOLREF), ("solimp", SOLIMP)],
    },
    // Of defaults: of all kinds of equality.
    Known {
        element: "equality",
        read: "",
        idle: "class",
        usual: &[("active", "true"), ("solref", SOLREF), ("solimp", SOLIMP)],
    },
    Known {
        element: "connect",
        read: "name active body1 body2 anchor site1 site2",
        idle: "class",
        usual: &[("solref", SOLREF), ("solimp", SOLIMP)],
    },
    // Of equality, not of a body.
    Known {
        element: "equality joint",
        read: "name active joint1 joint2 polycoef",
        idle: "class",
        usual: &[("solref", SOLREF), ("solimp", SOLIMP)],
    },
    Known {
        element: "weld",
        read: "name active body1 body2 anchor site1 site2",
        idle: "class",
        // Without a rotation it stands for the pose in the file.
        usual: &[("solref", SOLREF), ("solimp", SOLIMP), ("relpose", "0"), ("torquescale", "1")],
    },
];

fn find(element: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.element == element)
}

/// True for elements of which attributes are read.
pub(super) fn is_known(element: &str) -> bool {
    find(element).is_some()
}

/// Counts the attributes of an element that are not read and could change what happens, and the elements in one that should have none.
pub(super) fn note(node: Node<'_, '_>, left_out: &mut LeftOut) {
    let tag = node.tag_name().name();
    let is_equality =
        tag == "joint" && node.parent_element().is_some_and(|outer| outer.has_tag_name("equality"));
    let Some(known) = find(if is_equality { "equality joint" } else { tag }) else { return };
    for attribute in node.attributes() {
        let (name, value) = (attribute.name(), attribute.value());
        let is_listed = |list: &str| list.split_whitespace().any(|listed| listed == name);
        let is_usual = known.usual.iter().any(|(usual, neutral)| *usual == name && is_like(value, neutral));
        if !is_listed(known.read) && !is_listed(known.idle) && !is_usual {
            left_out.add(format!("`{name}` of `{tag}`"));
        }
    }
    if !matches!(tag, "body" | "worldbody" | "frame") {
        for inner in elements(node) {
            match inner.tag_name().name() {
                "flag" => note(inner, left_out),
                other => left_out.add(format!("`{other}` of `{tag}`")),
            }
        }
    }
}

/// True for a text that says what another one does, or the beginning of it; a single number stands for as many.
pub(super) fn is_like(text: &str, usual: &str) -> bool {
    let mut expected = usual.split_whitespace().peekable();
    let mut last = "";
    text.split_whitespace().all(|word| {
        last = expected.next().unwrap_or(last);
        match (word.parse::<f64>(), last.parse::<f64>()) {
            (Ok(word), Ok(last)) => word == last,
            _ => word == last,
        }
    })
}
