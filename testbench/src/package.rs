//! The export package: Verilog of a block with file list, self-checking bench, vectors, lint waivers and a README.

use crate::lockstep::icarus::{VectorBench, vector_bench};
use crate::lockstep::{Interface, Recording};
use crate::stimulus::atc::{AtcStimulus, RandomRows};
use cycle::atc::Atc;
use rtl::package::{Design, PackageError, Request};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};
use types::ports::Field;
use types::{BlockDut, UnitCfg};

/// Rows of the vectors in a package.
pub const VECTOR_ROWS: u64 = 4000;
/// The file by which a folder is known as a package that may be replaced.
const LIST: &str = "files.f";

/// Why no package was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The request is refused, or the exporter refuses the block.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The folder holds something else.
    #[error("{0} is not empty and not an export package: choose another folder")]
    Occupied(PathBuf),
    /// The folder cannot be made.
    #[error("cannot make the folder {path}: {reason}")]
    Place {
        /// Folder.
        path: PathBuf,
        /// Cause.
        reason: io::ErrorKind,
    },
    /// A file could not be written.
    #[error("cannot write {path}: {source}")]
    Io {
        /// File or folder.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
}

impl WriteError {
    /// Whether the request is at fault.
    pub fn is_input(&self) -> bool {
        match self {
            Self::Package(e) => e.is_input(),
            Self::Occupied(_) | Self::Place { .. } => true,
            Self::Io { .. } => false,
        }
    }
}

/// Warnings of `verilator --lint-only -Wall` that are meant, with the reason; each is a rule for one signal.
pub const WAIVERS: &[(&str, &str, &str)] = &[
    (
        "fill_key_pasid_exec",
        "rnic_xlat_atc_*.v",
        "Execute Requested is not part of a translation; it is in the common port group",
    ),
    ("invalidate_pasid_exec", "rnic_xlat_atc_*.v", "an invalidation names a PASID, not an access"),
    ("invalidate_pasid_priv", "rnic_xlat_atc_*.v", "an invalidation names a PASID, not an access"),
    ("fill_key_iova", "rnic_xlat_atc_*.v", "bits 11:0 lie inside the page"),
    ("fill_address", "rnic_xlat_atc_*.v", "bits 11:0 lie inside the page"),
    ("invalidate_iova", "rnic_xlat_atc_*.v", "bits 11:0 lie inside the page"),
    ("fill_mask", "rnic_xlat_atc_requests_*.v", "bits 11:0 lie inside the page"),
    ("invalidate_mask", "rnic_xlat_atc_requests_*.v", "bits 11:0 lie inside the page"),
    ("write_ways", "rnic_xlat_atc_base_*.v", "there are bits for four ways; a smaller configuration uses fewer"),
    ("write_valid", "rnic_xlat_atc_base_*.v", "there are bits for four ways; a smaller configuration uses fewer"),
    ("owner_same_function", "rnic_xlat_atc_large_*.v", "the large-page array keeps no old generations"),
];

/// The waivers as a Verilator configuration file.
pub fn waiver_file() -> String {
    let mut out = String::from("`verilator_config\n");
    for (signal, file, reason) in WAIVERS {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "// {signal}: {reason}.");
        let _ = writeln!(out, "lint_off -rule UNUSEDSIGNAL -file \"*{file}\" -match \"*'{signal}'*\"");
    }
    out
}

/// A recording of `block` from the cycle model.
pub fn recording(cfg: &UnitCfg, seed: u64, rows: u64) -> Recording {
    let mut stimulus = AtcStimulus::new(cfg, RandomRows::new(cfg, seed), seed);
    Recording::of(&Interface::of::<Atc>(cfg), &mut BlockDut::<Atc>::new(cfg), &mut stimulus, rows)
}

/// Writes the package of `request` into folder `out` and returns its files. Nothing is left half written: the files are
/// prepared beside `out` and moved there at once. A package that stands there is replaced.
///
/// # Errors
/// See [`WriteError`].
pub fn write(request: &Request, out: &Path) -> Result<Vec<String>, WriteError> {
    let design = request.verilog()?;
    let files = files(request, &design);
    let error = |path: &Path| {
        let path = path.to_path_buf();
        move |source| WriteError::Io { path, source }
    };
    if out.exists() && !out.join(LIST).is_file() {
        let empty = out.is_dir() && fs::read_dir(out).map_err(error(out))?.next().is_none();
        if !empty {
            return Err(WriteError::Occupied(out.into()));
        }
    }
    // The name as it was given, and no temporary one.
    let place = |e: io::Error| WriteError::Place { path: out.into(), reason: e.kind() };
    let absolute = std::path::absolute(out).map_err(place)?;
    let parent = absolute.parent().unwrap_or(&absolute);
    fs::create_dir_all(parent).map_err(place)?;
    let prepared = tempfile::Builder::new().prefix(".export-").tempdir_in(parent).map_err(place)?;
    let out = absolute.as_path();
    let new = prepared.path().join("new");
    for (name, text) in &files {
        let path = new.join(name);
        let folder = path.parent().unwrap_or(&new);
        fs::create_dir_all(folder).map_err(error(folder))?;
        fs::write(&path, text).map_err(error(&path))?;
    }
    if out.exists() {
        fs::rename(out, prepared.path().join("old")).map_err(error(out))?;
    }
    fs::rename(&new, out).map_err(error(out))?;
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

/// Names and contents of all files.
fn files(request: &Request, design: &Design) -> Vec<(String, String)> {
    let interface = Interface::of::<Atc>(&request.cfg);
    let VectorBench { bench, stimulus, expected } =
        vector_bench(&design.top, &interface, &recording(&request.cfg, 1, VECTOR_ROWS));
    let mut out: Vec<(String, String)> = design.files.iter().map(|f| (f.name.clone(), f.text.clone())).collect();
    let list: String = out.iter().filter(|(n, _)| n.ends_with(".v")).map(|(n, _)| format!("{n}\n")).collect();
    out.push((LIST.into(), list));
    out.push((format!("tb_{}.v", design.top), bench));
    out.push(("stimulus.hex".into(), stimulus));
    out.push(("expected.hex".into(), expected));
    out.push(("waivers.vlt".into(), waiver_file()));
    out.push(("README.md".into(), readme(request, design, &interface)));
    out
}

fn readme(request: &Request, design: &Design, interface: &Interface) -> String {
    let top = &design.top;
    let table = |fields: &[Field], direction: &str| -> String {
        fields.iter().map(|f| format!("| `{}` | {direction} | {} | {} |\n", f.name, f.width, f.doc.trim())).collect()
    };
    format!(
        "# {top}\n\n\
         Block `{block}` in configuration `{config}`, exported by rnic-xlat {version}. One clock (`clock`, rising edge), synchronous\n\
         active-high `reset`, every output from a register.\n\n\
         ```\n\
         iverilog -g2005 -s tb_{top} -o tb.vvp -f {LIST} tb_{top}.v && vvp -n tb.vvp   # prints PASS: {VECTOR_ROWS} rows\n\
         verilator --lint-only -Wall --top-module {top} waivers.vlt -f {LIST}\n\
         yosys -p 'read_verilog {list}; synth_ecp5 -top {top}; stat'\n\
         ```\n\n\
         The bench applies `stimulus.hex` and compares every output with `expected.hex` at every clock edge after reset; run it in\n\
         this folder. `waivers.vlt` names the lint warnings that are meant, each with its reason.\n\n\
         | port | | bits | |\n|---|---|---|---|\n| `clock` | in | 1 | rising edge |\n{inputs}{outputs}",
        block = request.block,
        config = request.config,
        version = env!("CARGO_PKG_VERSION"),
        list = design
            .files
            .iter()
            .filter(|f| f.name.ends_with(".v"))
            .map(|f| f.name.as_str())
            .collect::<Vec<_>>()
            .join(" "),
        inputs = table(&interface.inputs, "in"),
        outputs = table(&interface.outputs, "out"),
    )
}
