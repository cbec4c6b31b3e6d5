//! Settings and reports as data: what is written is read again, what is not named keeps its default, what is unknown is refused.
#![cfg(feature = "serde")]

mod common;

use common::*;
use drystone::{StepReport, WorldConfig};

fn again<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("plain data");
    serde_json::from_str(&text).expect("its own")
}

#[test]
fn all_presets_are_read_as_they_were_written() {
    let mut changed = WorldConfig::fast().planar();
    changed.gravity.x = 0.1;
    changed.events.queue = true;
    changed.coherence.sleepy.steps = 7;
    changed.escalation.enabled = true;
    for config in [
        WorldConfig::fast(),
        WorldConfig::fine(),
        WorldConfig::thesis_fast(),
        WorldConfig::thesis_accurate(),
        WorldConfig::nsgs(),
        WorldConfig::lcp(),
        #[cfg(feature = "convex")]
        WorldConfig::qp_suite(),
        changed,
    ] {
        assert_eq!(again(&config), config);
    }
}

#[test]
fn what_is_not_named_keeps_its_default_and_what_is_unknown_is_refused() {
    let text = r#"{"gravity":[0.0,-1.6,0.0],"sleeping":{"threshold":0.5}}"#;
    let config: WorldConfig = serde_json::from_str(text).expect("two settings");
    let mut expected = WorldConfig::default();
    expected.gravity.y = -1.6;
    expected.sleeping = drystone::SleepConfig { threshold: 0.5, ..drystone::SleepConfig::default() };
    assert_eq!(config, expected);
    let error =
        serde_json::from_str::<WorldConfig>(r#"{"gravty":[0.0,0.0,0.0]}"#).expect_err("no such setting");
    assert!(error.to_string().contains("gravty"), "{error}");
}

#[test]
fn the_report_of_a_busy_step_is_read_as_it_was_written() {
    let mut run = Scene::on_ground().with_all(heap(12, 0.0, 0.0, 1)).start(&WorldConfig::fast(), 1);
    run.steps(60.0, 1.0, |_| {});
    let report = run.world.report().clone();
    assert!(report.contacts > 5 && report.worst_overlap_contact.is_some());
    let read: StepReport = again(&report);
    assert_eq!(read, report, "stage times too");
}
