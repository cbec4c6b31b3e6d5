//! drystone's planar world.

use crate::Runs;
use drystone_planar::scenes::PlanarScene;
use drystone_planar::{Exec, PlanarConfig, PlanarWorld};

struct Drystone(PlanarWorld);

pub(crate) fn start(scene: &PlanarScene, threads: usize, partitions: u32) -> Result<Box<dyn Runs>, String> {
    let mut config = PlanarConfig { partitions, ..PlanarConfig::default() };
    config.sleeping.enabled = false;
    let exec = Exec::with_threads(threads).map_err(|e| e.to_string())?;
    Ok(Box::new(Drystone(scene.build(config, exec).map_err(|e| e.to_string())?)))
}

impl Runs for Drystone {
    fn step(&mut self, dt: f32) -> Result<(), String> {
        self.0.step(dt).map(|_| ()).map_err(|e| e.to_string())
    }

    fn centers(&mut self) -> Vec<[f64; 2]> {
        self.0.bodies().map(|b| [b.center.x, b.center.y]).collect()
    }
}
