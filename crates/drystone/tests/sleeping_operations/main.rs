//! Sleeping under any sequence of operations: nothing hangs in the air, nothing sleeps under a load that moves it, nothing wakes without a cause
//! (promise 5 of the design; S1-33..44).
//!
//! Small worlds of boxes on a ground, a shelf and a lift are played with, by operations drawn at random (`play.rs`); after every step
//! `rules.rs` compares what the world says with a plain reading of its contacts. The reference is that reading, which knows nothing of
//! how the engine decides: a body is carried when a chain of contacts below each other leads from it to what cannot fall.

#[path = "../common/mod.rs"]
mod common;

mod play;
mod rules;

use drystone::WorldConfig;
use play::{Operation, Player, operations};
use proptest::prelude::*;

/// Plays a sequence, and checks the rules after every step.
fn hold(config: &WorldConfig, hz: f32, list: &[Operation]) -> Result<(), TestCaseError> {
    let mut player = Player::new(config, hz);
    for operation in list {
        player.play(operation)?;
    }
    player.rest()
}

/// No files of failed cases: what is found becomes a test of its own.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(400))]

    /// The preset for games.
    #[test]
    fn sleep_of_fast_holds_its_promises(list in operations()) {
        hold(&WorldConfig::fast(), 60.0, &list)?;
    }

    /// S1's rules to the letter.
    #[test]
    fn sleep_of_the_thesis_holds_its_promises(list in operations()) {
        hold(&WorldConfig::thesis_fast(), 240.0, &list)?;
    }
}

proptest! {
    #![proptest_config(cases(100))]

    /// Groups solved jointly.
    #[test]
    fn sleep_of_nsgs_holds_its_promises(list in operations()) {
        hold(&WorldConfig::nsgs(), 240.0, &list)?;
    }
}
