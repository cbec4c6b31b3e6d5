//! Names: those of scenes are of few characters, those of bodies are unlike each other.

use super::{Folder, read};
use drystone_scenes::{ImportOptions, Imported, Runner};

const OPTIONS: ImportOptions = ImportOptions { fixed_base: false, ground: true, articulated: false };

fn names(found: &Imported) -> Vec<&str> {
    found.scene.bodies.iter().map(|body| body.name.as_str()).collect()
}

fn has_note(found: &Imported, expected: &str) -> bool {
    found.notes.iter().any(|note| note.contains(expected))
}

#[test]
fn a_scene_is_called_like_its_file_or_robot() {
    let folder = Folder::new("scene-name");
    let link = "<link name='a'><collision><geometry><sphere radius='1'/></geometry></collision></link>";
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n";
    let long = "n".repeat(300);
    let cases = [
        ("a.urdf", format!("<robot name='my robot'>{link}</robot>"), "my_robot"),
        ("b.urdf", format!("<robot name='.größe/2'>{link}</robot>"), "_gr__e_2"),
        ("c.urdf", format!("<robot name=''>{link}</robot>"), "scene"),
        ("d.urdf", format!("<robot name='{long}'>{link}</robot>"), &long[..64]),
        ("my level.obj", triangle.to_owned(), "my_level"),
        ("my model.xml", "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>".to_owned(), "my_model"),
    ];
    for (file, text, expected) in cases {
        let found = read(&folder, file, &text, &OPTIONS).expect("valid");
        assert_eq!(found.scene.name, expected);
        assert!(has_note(&found, &format!("the scene is called {expected:?}")), "{:?}", found.notes);
    }
    let found = read(&folder, "fine-1.0.obj", triangle, &OPTIONS).expect("valid");
    assert!(found.scene.name == "fine-1.0" && !has_note(&found, "is called"), "{:?}", found.notes);
}

#[test]
fn links_and_grounds_of_one_name_get_numbers() {
    let folder = Folder::new("body-names");
    let text = "<robot name='r'><link name='ground'><collision><geometry><sphere radius='1'/></geometry></collision></link></robot>";
    let found = read(&folder, "r.urdf", text, &OPTIONS).expect("valid");
    assert_eq!(names(&found), ["ground", "ground 2"]);
    assert!(has_note(&found, "2 bodies are called \"ground\": all but the first are \"ground 2\""));

    let plane = "<geom type='plane' size='1 1 1'/>";
    let text = format!(
        "<mujoco><worldbody>{plane}{plane}<geom name='b' type='plane' size='1 1 1'/><geom size='1'/>
        <body><geom size='.1'/></body><body name='body 1'><joint/><geom size='.1'/></body>
        <body name='b' pos='0 0 1'><joint/><geom size='.1'/></body><body name='world'><geom size='.1'/></body>
        </worldbody><worldbody><geom size='1'/></worldbody></mujoco>"
    );
    let found = read(&folder, "m.xml", &text, &ImportOptions::default()).expect("valid");
    let expected = ["ground", "ground 2", "b 2", "world", "body 2", "body 1", "b", "world 2", "world 3"];
    assert_eq!(names(&found), expected);
    let ends: Vec<_> = found.scene.joints.iter().map(|joint| joint.bodies.join("+")).collect();
    assert_eq!(ends, ["world+body 1", "world+b"]);
    assert!(has_note(
        &found,
        "3 bodies are called \"world\": all but the first are \"world 2\", \"world 3\""
    ));
    Runner::new(&found.scene, &drystone_scenes::RunOptions::default()).expect("it runs");
}

#[test]
fn objects_of_one_name_get_numbers_that_are_free() {
    let folder = Folder::new("object-names");
    let face = |name: &str, k: usize| {
        let corners = [3 * k + 1, 3 * k + 3, 3 * k + 2];
        format!("o {name}\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf {} {} {}\n", corners[0], corners[1], corners[2])
    };
    let objects = ["a", "a 2", "a", "ground", "a", "a", "a"];
    let text: String = objects.iter().enumerate().map(|(k, name)| face(name, k)).collect();
    let found = read(&folder, "level.obj", &text, &OPTIONS).expect("valid");
    assert_eq!(names(&found), ["a", "a 2", "a 3", "ground", "a 4", "a 5", "a 6", "ground 2"]);
    assert!(
        has_note(
            &found,
            "5 bodies are called \"a\": all but the first are \"a 3\", \"a 4\", \"a 5\" and so on"
        ),
        "{:?}",
        found.notes
    );
    assert!(has_note(&found, "2 bodies are called \"ground\""));
}

#[test]
fn a_robot_without_links_is_refused_for_that() {
    let folder = Folder::new("no-links");
    let error = read(&folder, "r.urdf", "<robot/>", &OPTIONS).expect_err("refused").to_string();
    assert!(error.contains("there must be a link, there is none"), "{error}");
}
