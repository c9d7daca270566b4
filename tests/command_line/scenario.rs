//! `rnic-xlat scenario`: verdicts, and input that is refused.

use super::{names, refused, refused_in, run, succeed, text};
use std::fs;
use tempfile::TempDir;

/// The scenarios of the test bench.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testbench/scenarios");

fn file(name: &str) -> String {
    format!("{FOLDER}/{name}.toml")
}

/// One write of 64 bytes to a region, which is right.
const WRITE: &str = "\
title = \"One write arrives\"
bound = 20000

[[region]]
name = \"a\"
bytes = 4096

[[step]]
name = \"write\"
do.request = { region = \"a\", op = \"write\", bytes = 64 }

[expect]
all_ok = true
tlps.data-write = [1, 1]
";

#[test]
fn a_scenario_passes_and_says_what_was_seen() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("write.toml"), WRITE).unwrap();
    let said = succeed(dir.path(), &["scenario", "write.toml"]);
    for word in ["PASS     write.toml", "right:   One write arrives", "requests: 1 ok", "1 DataWrite"] {
        assert!(said.contains(word), "'{word}' is not in:\n{said}");
    }
    assert_eq!(names(dir.path()), ["write.toml"]);
}

#[test]
fn a_scenario_fails_and_says_who_found_what_and_when() {
    let dir = TempDir::new().unwrap();
    let out = run(dir.path(), &["scenario", &file("05a-iommu-before-atc"), "--fault", "invalidation-ignored"]);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{said}");
    for word in [
        "FAIL ",
        "right:   IOMMU first, then ATC",
        "planted: invalidation-ignored: Invalidate Requests are answered without effect.",
        "found:   by the judge: ",
        "when:    cycle ",
        "from power-on",
    ] {
        assert!(said.contains(word), "'{word}' is not in:\n{said}");
    }
    assert_eq!(text(&out.stderr), "error: 1 of 1 scenarios failed\n");
    // What the scenario expects is a watcher as well: here one write more than there is.
    fs::write(dir.path().join("two.toml"), WRITE.replace("[1, 1]", "[2, 2]")).unwrap();
    let out = run(dir.path(), &["scenario", "two.toml"]);
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stdout);
    assert!(said.contains("by what the scenario expects: 2 to 2 TLPs of kind DataWrite, seen 1"), "{said}");
}

/// A scenario that is about a run that is wrong passes when the right watcher finds it, and says so.
#[test]
fn what_must_be_found_is_said() {
    let dir = TempDir::new().unwrap();
    let said = succeed(dir.path(), &["scenario", &file("05b-atc-before-iommu")]);
    assert!(said.contains("PASS") && said.contains("found:   as it must be, by use after free: "), "{said}");
}

#[test]
fn several_scenarios_have_a_line_each_and_a_sum() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("all")).unwrap();
    fs::write(dir.path().join("all/b.toml"), WRITE).unwrap();
    fs::write(dir.path().join("all/a.toml"), WRITE.replace("[1, 1]", "[2, 2]")).unwrap();
    fs::write(dir.path().join("all/notes.txt"), "no scenario").unwrap();
    fs::write(dir.path().join("c.toml"), WRITE).unwrap();
    let out = run(dir.path(), &["scenario", "all", "c.toml"]);
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("FAIL  all/a.toml: cycle ") && lines[0].contains("seen 1"), "{said}");
    assert!(lines[1].starts_with("pass  all/b.toml: ") && lines[2].starts_with("pass  c.toml: "), "{said}");
    assert_eq!(lines[3..], ["2 passed, 1 failed"]);
    assert_eq!(text(&out.stderr), "error: 1 of 3 scenarios failed\n");
}

#[test]
fn faults_are_listed_and_an_unknown_one_is_refused_with_those_there_are() {
    let dir = TempDir::new().unwrap();
    let list = succeed(dir.path(), &["scenario", "--list-faults"]);
    assert!(list.lines().any(|l| l.starts_with("wrong-at ") && l.contains("AT 00 instead of 10")), "{list}");
    assert!(list.lines().count() > 40, "{list}");
    let says = ["'wrongat'", "--fault", "wrong-at, wrong-owner", "done-before-sent"];
    refused(&["scenario", &file("05a-iommu-before-atc"), "--fault", "wrongat"], &says);
}

#[test]
fn a_failing_scenario_leaves_whole_waves_and_a_refused_one_none() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("two.toml"), WRITE.replace("[1, 1]", "[2, 2]")).unwrap();
    let out = run(dir.path(), &["scenario", "two.toml", "--trace", "two.vcd"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stdout).contains("cycles in two.vcd") && text(&out.stdout).contains("gtkwave two.gtkw"));
    assert_eq!(names(dir.path()), ["two.gtkw", "two.toml", "two.vcd"]);

    // Known at the end only: there is no such counter. Nothing is left but what was there.
    fs::write(dir.path().join("two.toml"), WRITE.replace("tlps.data-write", "counter.\"dma.no_such\"")).unwrap();
    refused_in(dir.path(), &["scenario", "two.toml", "--trace", "new.vcd"], &["two.toml", "dma.no_such"]);
    refused_in(dir.path(), &["scenario", "two.toml", "--trace", "no/folder/w.vcd"], &["no/folder/w.vcd"]);
    refused_in(dir.path(), &["scenario", "two.toml", "--trace", "waves.txt"], &["--trace waves.txt", ".vcd"]);
    refused_in(dir.path(), &["scenario", ".", "--trace", "w.vcd"], &["--trace", "one scenario"]);
    refused_in(dir.path(), &["scenario", "two.toml", "two.toml", "--trace", "w.vcd"], &["--trace", "one scenario"]);
}

#[test]
fn a_place_without_scenarios_is_refused() {
    refused(&["scenario"], &["FILE|DIR"]);
    refused(&["scenario", "no-such.toml"], &["no-such.toml", "No such file"]);
    refused(&["scenario", "."], &[".: no .toml file is in this folder"]);
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("bytes.toml"), [0xff, 0xfe, 0]).unwrap();
    refused_in(dir.path(), &["scenario", "bytes.toml"], &["bytes.toml", "UTF-8"]);
    fs::write(dir.path().join("empty.toml"), "").unwrap();
    refused_in(dir.path(), &["scenario", "empty.toml"], &["empty.toml: ", "title"]);
    // All files are read before the first is run.
    fs::write(dir.path().join("a.toml"), WRITE).unwrap();
    refused_in(dir.path(), &["scenario", "a.toml", "empty.toml"], &["empty.toml"]);
}

#[test]
fn a_scenario_that_cannot_be_run_is_refused_with_key_value_and_what_is_allowed() {
    let dir = TempDir::new().unwrap();
    let step = "do.request = { region = \"a\", op = \"write\", bytes = 64 }";
    for (old, new, says) in [
        // The form.
        ("bound = 20000", "bound = ", &["line 2"][..]),
        ("bound = 20000", "", &["missing field `bound`"]),
        ("bound = 20000", "bound = -1", &["line 2", "bound = -1", "u64"]),
        ("bytes = 4096", "byte = 4096", &["line 6", "region[0].byte = 4096", "unknown field", "`bytes`"]),
        ("op = \"write\"", "op = \"wriet\"", &["step[0].do.request.op = \"wriet\"", "`write`, `read`, `fetch-add`"]),
        ("bytes = 64", "bytes = 99999999999", &["step[0].do.request.bytes = 99999999999", "u32"]),
        ("do.request", "do.reqest", &["line 10", "step[0].do: ", "`reqest`", "`request`"]),
        ("data-write", "data-wrote", &["expect.tlps", "data-wrote", "`data-write`"]),
        // The machine.
        ("bound = 20000", "bound = 9\nmachine = { \"unit.mod\" = 1 }", &["machine: unit.mod = 1", "`mode`"]),
        ("bound = 20000", "bound = 9\nmachine = { \"unit.mode\" = \"x\" }", &["machine: unit.mode = \"x\"", "emtt"]),
        // Names.
        ("region = \"a\"", "region = \"b\"", &["step[0].do.request.region = \"b\"", "a region or a window: a"]),
        (step, &format!("{step}\nwhen.done = \"x\""), &["step[0].when.done = \"x\"", "a step: write"]),
        (step, "do.release = \"x\"", &["step[0].do.release = \"x\"", "a hold: none"]),
        ("all_ok = true", "found_by = \"me\"", &["expect.found_by = \"me\"", "a watcher: judge, checker"]),
        ("all_ok = true", "outcome.write = [\"fine\"]", &["expect.outcome.write = \"fine\"", "ok, invalid-key"]),
        ("all_ok = true", "outcome.read = [\"ok\"]", &["expect.outcome.read = \"read\"", "with requests: write"]),
        ("bound = 20000", "bound = 9\nfails_with.wrong-at = \"me\"", &["fails_with.wrong-at = \"me\"", "judge"]),
        ("[[step]]", "[[region]]\nname = \"a\"\nbytes = 1\n[[step]]", &["region[1].name = \"a\"", "has this name"]),
        // Numbers.
        ("bound = 20000", "bound = 0", &["bound = 0", "1 to 1000000000"]),
        ("bytes = 4096", "bytes = 0", &["region[0].bytes = 0", "must be 1 to"]),
        ("bytes = 4096", "bytes = 1\npage_bytes = 5000", &["region[0].page_bytes = 5000", "power of two"]),
        ("bytes = 4096", "bytes = 1\npasid = 1048576", &["region[0].pasid = 1048576", "0 to 1048575"]),
        ("bytes = 4096", "bytes = 1\nfunction = 9", &["region[0].function = 9", "must be 0 to"]),
        ("bytes = 4096", "bytes = 1\nrights = \"X\"", &["region[0].rights = \"X\"", "LRWA"]),
        ("bytes = 64", "bytes = 64, stream = 999", &["step[0].do.request.stream = 999", "must be 0 to"]),
        ("bytes = 64", "bytes = 64, count = 0", &["step[0].do.request.count = 0", "1 to 65536"]),
        ("bytes = 64", "bytes = 64, count = 70000", &["step[0].do.request.count = 70000", "1 to 65536"]),
        (step, &format!("{step}\nplus = 99999999999"), &["step[0].plus = 99999999999", "0 to 1000000000"]),
        (step, &format!("{step}\nwhen.nth = 2"), &["step[0].when", "one of cycle, tlp"]),
        (step, "do.remap = { region = \"a\", pages = 3 }", &["step[0].do.remap.pages = 3", "power of two"]),
        (step, "do.remap = { region = \"a\", page = 9 }", &["step[0].do.remap.page = 9", "must be 0 to 1"]),
        (step, "do.remap = { region = \"a\", pages = 128 }", &["step[0].do.remap.pages", "= 128", "must be 1 to 64"]),
        ("bytes = 64", "bytes = 4294967295, count = 5", &["step[0].do.request.bytes", "= 21474836475", "17179869184"]),
        (step, "do.configure = { number = 77 }", &["step[0].do.configure.number = 77", "0 to"]),
        ("[1, 1]", "[2, 1]", &["expect.tlps.data-write = [2, 1]", "[least, most]"]),
    ] {
        let content = WRITE.replacen(old, new, 1);
        assert_ne!(content, WRITE, "{old}");
        fs::write(dir.path().join("s.toml"), content).unwrap();
        refused_in(dir.path(), &["scenario", "s.toml"], &[&["s.toml: "], says].concat());
    }
}
