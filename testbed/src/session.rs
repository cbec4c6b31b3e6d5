//! What is simulated: a scene, a clock, a hand; without a window.

use crate::aim::{Aim, free_start};
use crate::args::find_scene;
use crate::hand::Hand;
use crate::history::History;
use drystone::math::{Displacement, Pose, Position, Real, narrow};
use drystone::{BodyHandle, BodySpec, ColliderSpec, Ray, Shape};
use drystone_scenes::{Kind, MAX_STEPS, Preset, RunOptions, Runner, Scene, SceneError};
use std::time::{Duration, Instant};

/// Length of a session, s: so much that nobody sees its end, and that every preset's steps can be counted.
const SECONDS: f64 = 20_000.0;
/// Computing that a picture may wait for: what takes longer runs slower than the clock.
const PATIENCE: Duration = Duration::from_millis(40);
/// Seconds over which it is told how much of the asked speed was reached. Longer breaks are the program's own: a scene was opened, the window moved.
const LATELY: f64 = 1.0;
/// Radius of the ball that is thrown, as a share of the scene's, and its density, kg/m³: iron.
const BALL: f64 = 0.08;
const IRON: f64 = 7800.0;
/// Marks bodies that are not of the scene.
pub(crate) const THROWN: u64 = u64::MAX;

/// A scene being run.
#[derive(Debug)]
pub(crate) struct Session {
    runner: Runner,
    /// As it was asked for, to begin again.
    name: String,
    preset: Preset,
    threads: usize,
    pub(crate) hand: Hand,
    pub(crate) history: History,
    pub(crate) is_paused: bool,
    /// Simulated seconds in a second.
    pub(crate) speed: f64,
    /// Time that is to be simulated, s.
    owed: f64,
    /// Time that was to be simulated lately, s, and how much of it was given up.
    asked: f64,
    lost: f64,
    /// Scenes that were opened before.
    run: u64,
    center: Position,
    size: f64,
}

impl Session {
    /// Begins a scene, by name or from a file.
    ///
    /// # Errors
    /// What [`Runner::new`] refuses, an unknown scene, a file that does not read.
    pub(crate) fn open(name: &str, preset: Preset, threads: usize) -> Result<Self, SceneError> {
        let scene = find_scene(name)?;
        let hz = preset.hz(&scene);
        let seconds = SECONDS.min(0.5 * MAX_STEPS as f64 / hz);
        let options = RunOptions { preset, threads, seconds: Some(seconds), ..RunOptions::default() };
        let runner = Runner::new(&scene, &options)?;
        let (center, size) = extent(&scene, &runner);
        Ok(Self {
            runner,
            name: name.to_owned(),
            preset,
            threads,
            hand: Hand::default(),
            history: History::default(),
            is_paused: false,
            speed: 1.0,
            owed: 0.0,
            asked: 0.0,
            lost: 0.0,
            run: 0,
            center,
            size,
        })
    }

    /// Begins again, or another scene, as it is set now.
    ///
    /// # Errors
    /// As [`Session::open`]; nothing changes then.
    pub(crate) fn reopen(&mut self, name: &str) -> Result<(), SceneError> {
        let next = Self::open(name, self.preset, self.threads)?;
        let (is_paused, speed) = (self.is_paused, self.speed);
        *self = Self { is_paused, speed, run: self.run + 1, ..next };
        Ok(())
    }

    /// Goes on with another preset.
    ///
    /// # Errors
    /// A preset that cannot go on with this scene; nothing changes.
    pub(crate) fn switch(&mut self, preset: Preset) -> Result<(), SceneError> {
        self.runner.switch(preset)?;
        self.preset = preset;
        self.owed = 0.0;
        Ok(())
    }

    /// Lets `wall` seconds pass: steps that are due, as far as patience goes. How many there were.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(crate) fn pass(&mut self, wall: f64) -> Result<u32, SceneError> {
        if self.is_paused {
            return Ok(0);
        }
        let asked = wall.clamp(0.0, LATELY) * self.speed;
        // After a pause of the program itself nothing is caught up.
        let caught = wall.clamp(0.0, 0.1) * self.speed;
        self.owed += caught;
        let mut lost = asked - caught;
        let (start, mut steps) = (Instant::now(), 0);
        while self.owed >= f64::from(self.dt()) && start.elapsed() < PATIENCE {
            self.step()?;
            self.owed -= f64::from(self.dt());
            steps += 1;
        }
        if self.owed >= f64::from(self.dt()) {
            lost += self.owed;
            self.owed = 0.0;
        }
        let kept = (-wall.max(0.0) / LATELY).exp();
        self.asked = kept * self.asked + asked;
        self.lost = kept * self.lost + lost;
        Ok(steps)
    }

    /// Share of the asked speed that was reached lately. What waits for its step to be due is not lost.
    pub(crate) fn reached(&self) -> f64 {
        if self.asked > 0.0 { 1.0 - (self.lost / self.asked).min(1.0) } else { 1.0 }
    }

    /// One step.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(crate) fn step(&mut self) -> Result<(), SceneError> {
        let (dt, size) = (self.dt(), self.size as Real);
        self.hand.pull(self.runner.world_mut(), dt, size);
        let start = Instant::now();
        self.runner.step()?;
        let cost = start.elapsed();
        if let Some(report) = self.runner.report() {
            self.history.note(self.runner.time(), cost, report);
        }
        Ok(())
    }

    /// Takes the body that a ray points at, of those that are not hidden; which one, even if it cannot be moved.
    pub(crate) fn pick(&mut self, ray: &Ray) -> Option<BodyHandle> {
        let aim = Aim::at_seen(&self.runner, ray)?;
        self.hand.take(self.runner.world(), &aim);
        Some(aim.body)
    }

    /// Whether a body is held.
    pub(crate) fn is_holding(&self) -> bool {
        self.hand.line(self.runner.world()).is_some()
    }

    /// Throws a ball from a place into a direction, so fast that it crosses the scene in half a second, and so that it meets what is there although it falls. It
    /// begins behind what is hidden on the way.
    ///
    /// # Errors
    /// A direction without length, a way that hidden bodies fill, or a world that is full.
    pub(crate) fn throw(
        &mut self,
        from: &Position,
        direction: &Displacement,
    ) -> Result<BodyHandle, SceneError> {
        let radius = BALL * self.size;
        let mass = IRON * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let shape = Shape::sphere(radius as Real).map_err(drystone::WorldError::from)?;
        let ray = Ray::new(*from, *direction).map_err(drystone::WorldError::from)?;
        let distance = Aim::at_seen(&self.runner, &ray).map_or(2.0 * self.size, |aim| aim.distance);
        let start = free_start(&self.runner, &ray, distance, &shape, radius).ok_or_else(|| {
            let reason = "hidden walls fill all of its way".to_owned();
            SceneError::Refused { path: "the ball".to_owned(), name: String::new(), reason }
        })?;
        let place = ray.at(start);
        let speed = 3.0 + 4.0 * self.size;
        // Half of what gravity takes on the way.
        let gravity = self.runner.world().config().gravity;
        let lift = gravity * (-0.5 * (distance - start).max(0.0) / speed) as Real;
        let velocity = narrow(&(direction.normalize() * speed)) + lift;
        let ball = BodySpec::dynamic()
            .pose(Pose::at(place.x, place.y, place.z))
            .linear_velocity(velocity)
            .total_mass(mass as Real)
            .user_data(THROWN)
            .collider(ColliderSpec::new(shape));
        Ok(self.runner.world_mut().add_body(ball)?)
    }

    /// The run.
    pub(crate) fn runner(&self) -> &Runner {
        &self.runner
    }

    /// The name that the scene was asked for with.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Which of the scenes that were opened this is: another one has other bodies and shapes.
    pub(crate) fn run(&self) -> u64 {
        self.run
    }

    /// The preset in use.
    pub(crate) fn preset(&self) -> Preset {
        self.preset
    }

    /// Middle of the scene as it began, m.
    pub(crate) fn center(&self) -> &Position {
        &self.center
    }

    /// Radius of a ball around all that could move then, m.
    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    fn dt(&self) -> Real {
        self.runner.schedule().dt()
    }
}

/// Middle (m) and radius (m) of what can move: where the scene's bodies begin, those too that appear later; of all bodies where none can move.
fn extent(scene: &Scene, runner: &Runner) -> (Position, f64) {
    let around = |fixed_too: bool| {
        let mut bounds: Option<[Position; 2]> = None;
        for (index, body) in scene.bodies.iter().enumerate() {
            if body.trigger || body.hidden || !fixed_too && body.kind == Kind::Fixed {
                continue;
            }
            let radius = runner.body(index).and_then(|handle| runner.world().body(handle).ok());
            let radius = radius.map_or(0.0, |facts| f64::from(facts.radius)).min(1e3);
            let center = Position::from(body.position);
            let corner = Displacement::repeat(radius);
            let [low, high] = bounds.unwrap_or([center - corner, center + corner]);
            bounds = Some([
                low.coords.inf(&(center - corner).coords).into(),
                high.coords.sup(&(center + corner).coords).into(),
            ]);
        }
        bounds
    };
    let [low, high] = around(false).or_else(|| around(true)).unwrap_or([Position::origin(); 2]);
    let half = (high - low) * 0.5;
    (low + half, half.norm().clamp(1e-3, 1e4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(name: &str) -> Session {
        Session::open(name, Preset::Fast, 1).expect("a scene of the library")
    }

    #[test]
    fn time_passes_as_fast_as_it_is_set() {
        let mut session = open("tower:3");
        for _ in 0..30 {
            session.pass(1.0 / 30.0).expect("it steps");
        }
        assert!((session.runner().time() - 1.0).abs() < 0.05, "{} s", session.runner().time());
        session.speed = 0.25;
        for _ in 0..30 {
            session.pass(1.0 / 30.0).expect("it steps");
        }
        assert!((session.runner().time() - 1.25).abs() < 0.05, "{} s", session.runner().time());
        session.is_paused = true;
        let before = session.runner().step_count();
        assert_eq!(session.pass(1.0).expect("nothing happens"), 0);
        session.step().expect("it steps");
        assert_eq!(session.runner().step_count(), before + 1);
        assert!(session.history.last(0).is_some());
    }

    /// A screen of 144 Hz and steps of 1/60 s: in most pictures no step is due, which counted as a speed of 0.
    #[test]
    fn only_time_that_is_given_up_makes_it_slow() {
        let mut session = open("tower:3");
        for _ in 0..288 {
            session.pass(1.0 / 144.0).expect("it steps");
        }
        assert!((session.runner().time() - 2.0).abs() < 0.02, "{} s", session.runner().time());
        assert!(session.reached() > 0.999, "{}", session.reached());
        // Two pictures a second: a tenth of a second is caught up in each.
        for _ in 0..20 {
            session.pass(0.5).expect("it steps");
        }
        assert!(session.reached() < 0.2001, "{}", session.reached());
    }

    /// Rays ended at the hidden walls of cages, within which the eye is: nothing was picked, and balls were pushed out of them.
    #[test]
    fn what_is_hidden_is_in_nobodys_way() {
        for name in ["cage384", "heap:60", "cubejam:60", "drum:60"] {
            let mut session = open(name);
            let towards = Displacement::new(0.55, 0.6, 0.77).normalize();
            let eye = session.center() + towards * (3.3 * session.size());
            let ray = Ray::new(eye, -towards).expect("finite");
            let body = session.pick(&ray).expect("the heap is in the middle");
            let facts = session.runner().world().body(body).expect("in the world");
            let spec = &session.runner().scene().bodies[facts.user_data as usize];
            assert!(!spec.hidden && session.is_holding(), "{name}: {}", spec.name);
            session.hand.release();
            let ball = session.throw(&eye, &-towards).expect("it has room");
            let place = session.runner().world().pose(ball).expect("in the world").translation;
            let radius = BALL * session.size();
            let shape = Shape::sphere(radius as Real).expect("positive");
            let here = Ray::new(place, -towards).expect("finite");
            let free = free_start(session.runner(), &here, 0.0, &shape, radius);
            assert_eq!(free, Some(0.0), "{name}: it begins within nothing that is hidden");
            session.step().expect("it steps");
        }
    }

    #[test]
    fn solvers_are_switched_while_it_runs() {
        let mut session = open("tower:5");
        for &preset in Preset::ALL {
            session.switch(preset).expect("it has no joints");
            for _ in 0..5 {
                session.step().expect("it steps");
            }
            assert_eq!(session.preset(), preset);
        }
        let mut chain = open("chain:4");
        chain.switch(Preset::Lcp).expect("it knows joints");
        chain.step().expect("it goes on");
        let error = chain.switch(Preset::QpSuite).expect_err("it knows no joints").to_string();
        assert!(error.contains("joints") && chain.preset() == Preset::Lcp, "{error}");
        chain.step().expect("it goes on");
    }

    #[test]
    fn a_ball_is_thrown_and_a_scene_begins_again() {
        let mut session = open("tower:5");
        let from = session.center() + Displacement::new(0.0, 0.0, 2.0 * session.size());
        let ball = session.throw(&from, &Displacement::new(0.0, 0.0, -1.0)).expect("it has room");
        let index = session.runner().scene().bodies.len() - 1;
        let top = session.runner().body(index).expect("in the world");
        let before = session.runner().world().pose(top).expect("in the world").translation;
        for _ in 0..120 {
            session.step().expect("it steps");
        }
        let world = session.runner().world();
        assert_eq!(world.body(ball).expect("in the world").user_data, THROWN);
        let moved = (world.pose(top).expect("in the world").translation - before).norm();
        assert!(moved > 0.1, "it hit the tower: {moved} m");
        session.is_paused = true;
        session.reopen("tower:5").expect("a scene");
        assert!(session.is_paused && session.runner().step_count() == 0);
        assert!(session.reopen("nothing").is_err() && session.name() == "tower:5");
    }
}
