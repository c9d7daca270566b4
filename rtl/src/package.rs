//! Which blocks exist as hardware, and in which configurations: from a name to Verilog.

use crate::atc::{Large, Medium, Small, Tiny};
use crate::export::{BlockInfo, ExportError, ExportOptions, VerilogFile, export};
use crate::sim::{SimError, connect, with_stack};
use rust_hdl::prelude::Block;
use thiserror::Error;
use types::UnitCfg;
use types::config::NAMED;

/// Blocks that can be exported.
pub const BLOCKS: &[&str] = &["atc"];
/// Stack for the tree of a large block, in bytes.
const STACK: usize = 256 << 20;

/// What is exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Block: one of [`BLOCKS`].
    pub block: String,
    /// Named configuration.
    pub config: String,
    /// Sizes asked for. Hardware exists for the named ones only, so they must be those of `config`.
    pub cfg: UnitCfg,
}

/// Verilog of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    /// Name of the top module: `rnic_xlat_atc_small`.
    pub top: String,
    /// Files; modules come before those that use them.
    pub files: Vec<VerilogFile>,
}

/// Why a request is refused or fails.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PackageError {
    /// Not a block.
    #[error("there is no block `{0}` as hardware; there is {known}", known = BLOCKS.join(", "))]
    Block(String),
    /// Not a named configuration.
    #[error("there is no configuration `{0}`; there are {known}", known = names())]
    Config(String),
    /// Not a size, or not a value of it.
    #[error("cannot set `{assignment}`: {reason}")]
    Value {
        /// What was given.
        assignment: String,
        /// Why not.
        reason: String,
    },
    /// A value that only the model has.
    #[error("{field} = {asked} exists in the model only: the hardware of configuration `{config}` has {field} = {has}")]
    ModelOnly {
        /// The named configuration.
        config: String,
        /// Field of the sizes.
        field: String,
        /// Value asked for.
        asked: String,
        /// Value of the hardware.
        has: String,
    },
    /// rust-hdl refuses the block.
    #[error(transparent)]
    Check(#[from] SimError),
    /// The exporter refuses the block.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The thread with a big stack could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

impl PackageError {
    /// Whether the request is at fault, not the block.
    pub fn is_input(&self) -> bool {
        matches!(self, Self::Block(_) | Self::Config(_) | Self::Value { .. } | Self::ModelOnly { .. })
    }
}

fn names() -> String {
    NAMED.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

impl Request {
    /// Block `block` in the named configuration `config`.
    ///
    /// # Errors
    /// One of the names is unknown.
    pub fn named(block: &str, config: &str) -> Result<Self, PackageError> {
        if !BLOCKS.contains(&block) {
            return Err(PackageError::Block(block.into()));
        }
        let cfg = UnitCfg::named(config).ok_or_else(|| PackageError::Config(config.into()))?;
        Ok(Self { block: block.into(), config: config.into(), cfg })
    }

    /// The request with one value changed: `key=value`.
    ///
    /// # Errors
    /// There is no such key, or it has no such value.
    pub fn set(mut self, assignment: &str) -> Result<Self, PackageError> {
        let wrong = |reason: String| PackageError::Value { assignment: assignment.into(), reason };
        let (key, value) = assignment.split_once('=').ok_or_else(|| wrong("it is not key=value".into()))?;
        let mut cfg = serde_json::to_value(&self.cfg).map_err(|e| wrong(e.to_string()))?;
        let sizes = || cfg.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>().join(", ")).unwrap_or_default();
        if cfg.get(key.trim()).is_none() {
            return Err(wrong(format!("there is no such size; there are {}", sizes())));
        }
        let field = &mut cfg[key.trim()];
        let value = value.trim();
        *field = value.parse::<u32>().map_or_else(|_| value.into(), Into::into);
        self.cfg = serde_json::from_value(cfg).map_err(|e| wrong(e.to_string()))?;
        Ok(self)
    }

    /// Name of the top module.
    pub fn top(&self) -> String {
        format!("rnic_xlat_{}_{}", self.block, self.config)
    }

    /// Refuses values that the hardware does not have.
    fn check(&self) -> Result<(), PackageError> {
        let named = Self::named(&self.block, &self.config)?.cfg;
        let fields =
            |cfg: &UnitCfg| serde_json::to_value(cfg).ok().and_then(|v| v.as_object().cloned()).unwrap_or_default();
        let (asked, has) = (fields(&self.cfg), fields(&named));
        let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
        match has.iter().find(|(field, value)| asked.get(*field) != Some(value)) {
            None => Ok(()),
            Some((field, value)) => Err(PackageError::ModelOnly {
                config: self.config.clone(),
                field: field.clone(),
                asked: asked.get(field).map(text).unwrap_or_default(),
                has: text(value),
            }),
        }
    }

    /// The Verilog.
    ///
    /// # Errors
    /// The request is refused, or the exporter refuses the block.
    pub fn verilog(&self) -> Result<Design, PackageError> {
        self.check()?;
        let request = self.clone();
        with_stack(STACK, move || match request.config.as_str() {
            "tiny" => request.print(Tiny::new().as_mut()),
            "small" => request.print(Small::new().as_mut()),
            "medium" => request.print(Medium::new().as_mut()),
            "large" => request.print(Large::new().as_mut()),
            other => Err(PackageError::Config(other.into())),
        })?
    }

    fn print<B: Block + BlockInfo>(&self, block: &mut B) -> Result<Design, PackageError> {
        connect(block)?;
        let options = ExportOptions {
            module: self.top(),
            prefix: "rnic_xlat_".into(),
            version: concat!("rnic-xlat ", env!("CARGO_PKG_VERSION")).into(),
            config: self.config.clone(),
            parameters: vec![],
        };
        Ok(Design { top: self.top(), files: export(block, &options)? })
    }
}
