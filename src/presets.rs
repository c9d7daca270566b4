//! `rnic-xlat presets`: what is built in, and where its values come from.

use crate::args::{PresetsArgs, PresetsCommand};
use crate::failure::Failure;
use crate::output::print;
use experiments::{Model, describe, presets};

/// Lists the presets or shows one.
pub(crate) fn run(args: &PresetsArgs) -> Result<(), Failure> {
    match args.command.as_ref().unwrap_or(&PresetsCommand::List) {
        PresetsCommand::List => {
            let presets = presets().map_err(Failure::input)?;
            let width = presets.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
            print(&presets.iter().map(|(name, title)| format!("{name:width$}  {title}\n")).collect::<String>())
        }
        PresetsCommand::Show { preset, set } => print(&describe(&Model::load(preset, set).map_err(Failure::input)?)),
    }
}
