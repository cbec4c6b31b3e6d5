//! Classes of defaults.

use super::super::{Folder, body};
use super::{left_out, model, refused};
use drystone_scenes::{Imported, ShapeSpec, build_shape};

/// A cube of 1 m about the origin.
const CUBE: &str = "v -.5 -.5 -.5\nv .5 -.5 -.5\nv -.5 .5 -.5\nv .5 .5 -.5\nv -.5 -.5 .5\nv .5 -.5 .5\nv -.5 .5 .5\nv .5 .5 .5\n\
    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

#[test]
fn the_scale_of_a_mesh_is_that_of_its_class() {
    let folder = Folder::new("mesh-scale");
    folder.add("cube.obj", CUBE);
    let edge = |defaults: &str, mesh: &str| {
        let text = format!(
            "{defaults}<asset><mesh name='m' file='cube.obj' {mesh}/></asset>
            <worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m'/></body></worldbody>"
        );
        let found = model(&folder, &text).expect("valid");
        let ShapeSpec::Hull { points } = &body(&found, "b").shape else { panic!("a hull") };
        2.0 * points.iter().map(|point| point[0]).fold(0.0, f32::max)
    };
    let scaled = "<mesh scale='0.001 0.001 0.001'/>";
    let class = format!("<default><default class='r'>{scaled}</default></default>");
    assert_eq!(edge(&class, "class='r'"), 0.001);
    assert_eq!(edge(&class, ""), 1.0);
    // The first default is for all, whatever it is called.
    let named = format!("<default class='r'>{scaled}</default>");
    for class in ["", "class='r'", "class='main'"] {
        assert_eq!(edge(&named, class), 0.001, "{class}");
    }
    assert_eq!(edge(&format!("<default/>{named}"), ""), 1.0);
    assert_eq!(edge(&format!("<default>{scaled}</default>"), ""), 0.001);
    assert_eq!(edge(&format!("<default>{scaled}</default>"), "scale='2 2 2'"), 2.0);
}

/// How far the only body reaches along x and along z, m.
fn reaches(found: &Imported) -> [f32; 2] {
    let parts = build_shape(&body(found, "b").shape).expect("it can be built").parts;
    let [part] = &parts[..] else { panic!("one part") };
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|direction| {
        let direction = drystone::math::Vector3::from(direction);
        let reach = part.shape.reach(&(part.local.rotation.inverse() * direction));
        ((reach + part.local.translation.dot(&direction)) * 1e4).round() / 1e4
    })
}

#[test]
fn turns_of_a_class_count_until_an_element_has_one_of_any_kind() {
    let folder = Folder::new("class-turn");
    let with = |defaults: &str, own: &str| {
        let geom = "type='capsule' size='0.1 1'";
        let text = format!(
            "<default><geom {geom} {defaults}/><default class='x'><geom zaxis='1 0 0'/></default></default>
            <worldbody><body name='b'><freejoint/><geom {own}/></body></worldbody>"
        );
        reaches(&model(&folder, &text).expect("valid"))
    };
    let (along_x, along_z) = ([1.1, 0.1], [0.1, 1.1]);
    assert_eq!(with("", ""), along_z);
    for turned in ["euler='0 90 0'", "quat='1 0 1 0'", "axisangle='0 1 0 90'", "zaxis='1 0 0'"] {
        assert_eq!(with(turned, ""), along_x, "{turned}");
        for own in ["quat='1 0 0 0'", "euler='0 0 30'", "zaxis='0 0 1'", "xyaxes='1 0 0 0 1 0'"] {
            assert_eq!(with(turned, own), along_z, "{turned} {own}");
        }
    }
    // A class beats the one around it in the same way.
    assert_eq!(with("quat='1 0 0 0'", "class='x'"), along_x);
    assert_eq!(with("pos='5 0 0'", ""), [5.1, 1.1]);
}

#[test]
fn defaults_of_equality_are_noted_as_far_as_they_are_not_usual() {
    let folder = Folder::new("equality-default");
    let text = "<default><equality solref='0.5 1' solimp='0.9 0.95'/></default><worldbody/>";
    assert_eq!(left_out(&model(&folder, text).expect("valid")), ["`solref` of `equality`"]);
}

#[test]
fn two_turns_at_once_are_refused() {
    let folder = Folder::new("two-turns");
    let text = "<worldbody><body euler='1 0 0' quat='1 0 0 0'/></worldbody>";
    let error = refused(model(&folder, text));
    assert!(error.contains(":1:") && error.contains("got quat and euler"), "{error}");
}

#[test]
fn a_class_that_is_not_there_is_refused_with_its_line() {
    let folder = Folder::new("no-class");
    let text = |body: &str, geom: &str, asset: &str| {
        format!(
            "<default><default class='rod'/></default>\n<asset><mesh file='a.obj' {asset}/></asset>
            <worldbody><body {body}>\n<geom size='1' {geom}/></body></worldbody>"
        )
    };
    for (body, geom, asset, line) in [
        ("childclass='nosuch'", "", "", 3),
        ("", "class='nosuch'", "", 4),
        ("childclass='rod'", "class='nosuch'", "", 4),
        ("", "", "class='nosuch'", 2),
    ] {
        let error = refused(model(&folder, &text(body, geom, asset)));
        assert!(error.contains(&format!("model.xml:{line}:")), "{error}");
        assert!(error.contains("a class must be one of main, rod, got \"nosuch\""), "{error}");
    }
}

#[test]
fn classes_have_names_of_their_own_and_are_not_too_deep() {
    let folder = Folder::new("deep");
    let error = refused(model(&folder, "<default>\n<default/></default>"));
    assert!(error.contains(":2:") && error.contains("must have a class"), "{error}");
    let error = refused(model(&folder, "<default><default class='a'/>\n<default class='a'/></default>"));
    assert!(error.contains(":2:") && error.contains("another default of the class \"a\""), "{error}");
    let nested: String = (0..100_000).map(|k| format!("<default class='c{k}'>")).collect();
    let error = refused(model(&folder, &(nested + &"</default>".repeat(100_000))));
    assert!(error.contains("defaults are nested more than 200 deep"), "{error}");
}
