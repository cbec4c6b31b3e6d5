//! Bodies on a height field: none is lost, all come to rest, and overlap stays small. And scene files with surfaces in them.

use drystone_scenes::{Preset, RunOptions, Runner, Scene, run_scene, scene};

#[test]
fn what_falls_on_hills_comes_to_rest_there() {
    let mut scene = scene("terrain:200").expect("listed");
    scene.seconds = 15.0;
    let options = RunOptions { preset: Preset::Fast, hz: Some(60.0), ..RunOptions::default() };
    let mut runner = Runner::new(&scene, &options).expect("it begins");
    for _ in 0..900 {
        runner.step().expect("it goes on");
    }
    let moving = runner.world().bodies().filter(|b| b.mass > 0.0 && b.linear_velocity.norm() > 0.05).count();
    let asleep = runner.world().bodies().filter(|b| b.mass > 0.0 && b.is_asleep).count();
    let quality = runner.finish().quality;
    println!("{moving} moving, {asleep} asleep, {quality:?}");
    assert_eq!(quality.lost, 0);
    assert_eq!(moving, 0, "at rest");
    assert!(asleep >= 180, "{asleep} of 200 sleep");
    assert!(quality.pen_run_max_m < 0.03, "{} m", quality.pen_run_max_m);
}

/// A mesh and a height field in a file: a box lies on each, as on a box.
#[test]
fn scene_files_hold_meshes_and_height_fields() {
    let text = r#"(version: 1, name: "surfaces", seconds: 1.0, bodies: [
        (name: "mesh", kind: fixed, material: "oak", shape: mesh(
            vertices: [(-2.0, 0.0, -2.0), (-2.0, 0.0, 2.0), (2.0, 0.0, 2.0), (2.0, 0.0, -2.0)],
            triangles: [(0, 1, 2), (0, 2, 3)])),
        (name: "field", kind: fixed, material: "oak", position: (10.0, 0.0, 0.0), shape: height_field(
            rows: 3, columns: 2, cell: (2.0, 1.0), heights: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0])),
        (name: "on mesh", shape: cuboid(half_extents: (0.2, 0.1, 0.2)), material: "oak", position: (0.1, 0.1, 0.2)),
        (name: "on field", shape: cuboid(half_extents: (0.2, 0.1, 0.2)), material: "oak", position: (10.1, 0.1, 0.2)),
    ])"#;
    let scene = Scene::parse(text, "surfaces.ron").expect("valid");
    let again = Scene::parse(&scene.to_ron(), "again.ron").expect("valid");
    assert_eq!(scene, again);
    let options = RunOptions { preset: Preset::Fast, hz: Some(60.0), ..RunOptions::default() };
    let outcome = run_scene(&scene, &options, |_, _| {}).expect("it runs");
    assert!(outcome.quality.drift_max_m < 1e-3, "{:?}", outcome.quality);
    let refused = |from: &str, to: &str| {
        let error = Scene::parse(&text.replace(from, to), "bad.ron").expect_err("refused").to_string();
        assert!(error.starts_with("bad.ron"), "{error}");
        error
    };
    assert!(refused("(0, 2, 3)", "(0, 2, 9)").contains("triangles[1] names vertex 9"));
    assert!(refused("rows: 3", "rows: 4").contains("has 8 heights, got 6"));
    let moving = refused(r#"(name: "field", kind: fixed,"#, r#"(name: "field","#);
    assert!(moving.contains("height_field needs kind: fixed or kinematic"), "{moving}");
}
