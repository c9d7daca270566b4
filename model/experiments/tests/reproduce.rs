//! Do the published experiments come out, in their small versions? Each with its own tolerances and controls.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use experiments::reproduce::{Context, EXPERIMENTS, Effort, find};

fn comes_out(name: &str) {
    let report = find(name).unwrap().run(&Context { effort: Effort::Small, threads: 2, sets: Vec::new() }).unwrap();
    assert_eq!(report.failed(), 0, "{}", report.text());
    assert!(!report.checks.is_empty() && !report.answer.is_empty());
    for picture in &report.pictures {
        assert!(
            picture.svg.contains("polyline") || picture.svg.matches("<rect").count() > 5,
            "{}: no line was drawn",
            picture.name
        );
    }
}

#[test]
fn stellar() {
    comes_out("stellar");
}

#[test]
fn pciebench() {
    comes_out("pciebench");
}

#[test]
fn farm() {
    comes_out("farm");
}

#[test]
fn gdr2013() {
    comes_out("gdr2013");
}

#[test]
fn gdr2014() {
    comes_out("gdr2014");
}

#[test]
fn isolation() {
    comes_out("isolation");
}

#[test]
fn scale() {
    comes_out("scale");
}

#[test]
fn layouts() {
    comes_out("layouts");
}

#[test]
fn p2p() {
    comes_out("p2p");
}

#[test]
fn every_preset_of_an_experiment_exists() {
    for experiment in EXPERIMENTS {
        for preset in experiment.presets {
            system::Config::load::<&str>(preset, &[]).unwrap();
        }
    }
}
