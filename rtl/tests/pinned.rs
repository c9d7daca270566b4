//! The Verilog of `atc` in configuration `small` stands in the repository, so that a change of the hardware shows in a
//! review.

use rtl::package::Request;
use std::collections::BTreeMap;
use std::path::Path;

/// How to renew the files.
const REFRESH: &str = "if the change is meant: RENEW_PINNED=1 cargo test -p rnic-xlat-rtl --test pinned";

#[test]
fn the_pinned_verilog_is_what_the_exporter_prints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pinned/atc_small");
    let design = Request::named("atc", "small").and_then(|r| r.verilog()).expect("exports");
    let printed: BTreeMap<String, String> = design.files.into_iter().map(|f| (f.name, f.text)).collect();
    if std::env::var_os("RENEW_PINNED").is_some() {
        std::fs::remove_dir_all(&folder).ok();
        for (name, text) in &printed {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("in the folder")).expect("folder");
            std::fs::write(path, text).expect("file");
        }
    }
    let mut pinned = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).expect("rtl/pinned/atc_small exists") {
        let path = entry.expect("entry").path();
        let name = path.file_name().and_then(|n| n.to_str()).expect("a name").to_string();
        pinned.insert(name, std::fs::read_to_string(path).expect("text"));
    }
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&printed), names(&pinned), "files differ; {REFRESH}");
    for (name, text) in &printed {
        let old = &pinned[name];
        let line = text.lines().zip(old.lines()).position(|(a, b)| a != b).map_or(0, |n| n + 1);
        assert!(text == old, "{name} differs from the pinned file from line {line} on; {REFRESH}");
    }
}

#[test]
fn what_the_hardware_does_not_have_is_refused() {
    let refused = |request: Result<Request, rtl::package::PackageError>| {
        let error = request.and_then(|r| r.verilog()).expect_err("is refused");
        assert!(error.is_input());
        error.to_string()
    };
    assert_eq!(refused(Request::named("atx", "small")), "there is no block `atx` as hardware; there is atc");
    let config = refused(Request::named("atc", "smal"));
    assert_eq!(config, "there is no configuration `smal`; there are tiny, small, medium, large");
    let fifo = Request::named("atc", "small").and_then(|r| r.set("atc_replacement=fifo"));
    assert_eq!(
        refused(fifo),
        "atc_replacement = fifo exists in the model only: the hardware of configuration `small` has atc_replacement = lru"
    );
    let sets = Request::named("atc", "small").and_then(|r| r.set("atc_sets=128"));
    assert!(refused(sets).contains("atc_sets = 128 exists in the model only"));
    let unknown = Request::named("atc", "small").and_then(|r| r.set("atc_setz=128"));
    let message = refused(unknown);
    assert!(message.starts_with("cannot set `atc_setz=128`: there is no such size; there are "), "{message}");
    assert!(message.contains("atc_sets, atc_ways"), "{message}");
    assert!(refused(Request::named("atc", "small").and_then(|r| r.set("atc_replacement=plru"))).contains("plru"));
}
