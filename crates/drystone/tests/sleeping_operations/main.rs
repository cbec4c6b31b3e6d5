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

/// Sequences after which something slept that only a sleeper held up: a box pushed away below one, and one that hung over an edge.
#[test]
fn nothing_sleeps_on_what_was_pushed_away() {
    use Operation::{Push, Remove, Set, Wait, Wake};
    let set = |column, above, straddles| Set { column, above, straddles };
    let lists = [
        vec![
            set(0, 0, true),
            set(1, 140, false),
            set(3, 0, false),
            set(2, 0, false),
            set(0, 0, false),
            set(0, 0, false),
            Wait(51),
            set(2, 110, false),
            Push(200, [-6, -8]),
        ],
        vec![
            set(2, 0, false),
            set(0, 180, true),
            set(0, 140, false),
            set(1, 0, false),
            set(1, 115, false),
            Wait(40),
            Wait(16),
            Remove(144),
            Push(181, [6, -8]),
            Wake(11),
            Wake(31),
        ],
        vec![set(3, 100, false), set(3, 0, false), Wait(40), Wait(1), Push(188, [10, 0])],
    ];
    for list in lists {
        hold(&WorldConfig::fast(), 60.0, &list).unwrap_or_else(|found| panic!("{list:?}: {found}"));
    }
}
