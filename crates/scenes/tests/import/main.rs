//! Files of other programs: what becomes of them, what is noted, what is refused.

mod chains;
mod coupled;
mod field;
mod level;
mod mjcf;
mod names;
mod urdf;

use drystone_scenes::{Body, ImportOptions, Imported, RunOptions, Runner, SceneError, import};
use std::path::PathBuf;

/// A folder of its own for a test, with files in it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("drystone-import-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        Self(folder)
    }

    pub(crate) fn add(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("a temporary folder");
        std::fs::write(&path, bytes).expect("a temporary file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn read(
    folder: &Folder,
    name: &str,
    text: &str,
    options: &ImportOptions,
) -> Result<Imported, SceneError> {
    import(folder.add(name, text), options)
}

pub(crate) fn body<'a>(imported: &'a Imported, name: &str) -> &'a Body {
    imported
        .scene
        .bodies
        .iter()
        .find(|body| body.name == name)
        .unwrap_or_else(|| panic!("there is no body {name:?}"))
}

/// Runs what came out for so many seconds; returns where the bodies are.
pub(crate) fn run(imported: &Imported, seconds: f64) -> Runner {
    let options = RunOptions { seconds: Some(seconds), ..RunOptions::default() };
    let mut runner = Runner::new(&imported.scene, &options).expect("what was imported runs");
    while runner.step().expect("it steps") {}
    runner
}

pub(crate) fn place(runner: &Runner, imported: &Imported, name: &str) -> [f64; 3] {
    let index = imported.scene.bodies.iter().position(|body| body.name == name).expect("there is one");
    let handle = runner.body(index).expect("it is there");
    runner.world().body(handle).expect("alive").center.coords.into()
}

/// Runs what came out for three seconds; says what is no more, if anything: every body is there, finite, and not gone far.
pub(crate) fn stays(imported: &Imported) -> Runner {
    let runner = run(imported, 3.0);
    for (index, body) in imported.scene.bodies.iter().enumerate() {
        let handle = runner.body(index).expect("it is there");
        let at = runner.world().body(handle).expect("alive").center.coords;
        assert!(at.iter().all(|c| c.is_finite() && c.abs() < 100.0), "{:?} is at {at:?}", body.name);
    }
    for (handle, _) in runner.world().joints() {
        let joint = runner.world().joint(handle).expect("it holds");
        assert!(joint.error[0] < 0.02 && joint.error[1] < 0.1, "{:?}", joint.error);
    }
    runner
}

/// Mass of all bodies that move, kg.
pub(crate) fn total_mass(imported: &Imported) -> f32 {
    imported.scene.bodies.iter().filter_map(|body| body.mass).map(|mass| mass.mass).sum()
}

#[test]
fn what_is_no_file_of_these_is_refused_by_name() {
    let folder = Folder::new("none");
    let refused = |name: &str, text: &str| {
        read(&folder, name, text, &ImportOptions::default()).expect_err("refused").to_string()
    };
    assert!(refused("a.txt", "").contains("known are urdf"), "{}", refused("a.txt", ""));
    assert!(refused("a.urdf", "<mujoco/>").contains("expected the element `robot`, got `mujoco`"));
    assert!(refused("a.xml", "<robot/>").contains("expected the element `mujoco`, got `robot`"));
    let broken = refused("b.urdf", "<robot>\n  <link name='a'>\n</robot>");
    assert!(broken.contains("b.urdf:3:"), "{broken}");
    let folded = "<!DOCTYPE r [<!ENTITY a 'aaaa'>]><robot name='&a;'/>";
    assert!(!refused("c.urdf", folded).is_empty());
    assert!(import("/no/such/file.urdf", &ImportOptions::default()).is_err());
}
