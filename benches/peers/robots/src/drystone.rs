//! drystone: an articulation, or joints as constraints.

use crate::Runs;
use crate::robots::Robot;
use crate::robots::world::RobotWorld;

impl Runs for RobotWorld {
    fn step(&mut self) -> Result<(), String> {
        Self::step(self).map_err(|error| error.to_string())
    }

    fn look(&self) -> Result<[f64; 3], String> {
        let [height, error] = self.pose().map_err(|error| error.to_string())?;
        Ok([f64::from(self.world.report().contacts), height, error])
    }
}

pub(crate) fn start(robot: &Robot, is_articulated: bool) -> Result<Box<dyn Runs>, String> {
    let mut world = RobotWorld::new(robot).map_err(|error| error.to_string())?;
    if is_articulated {
        world.articulate().map_err(|error| error.to_string())?;
    }
    Ok(Box::new(world))
}
