//! Why the program stops early, and with which status.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// A reason to stop.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The user asked for something that cannot be done: status 2.
    #[error("{0}")]
    Input(String),
    /// A run failed, or bytes were wrong: status 1.
    #[error("{0}")]
    Run(String),
    /// The reader of standard output has gone (`| head`): nothing is said, and the status is the shell's for SIGPIPE.
    #[error("standard output was closed")]
    Closed,
}

impl Failure {
    pub(crate) fn input(error: impl Display) -> Self {
        Self::Input(error.to_string())
    }

    pub(crate) fn run(error: impl Display) -> Self {
        Self::Run(error.to_string())
    }

    /// A point that could not be measured: what was asked for, or the run.
    pub(crate) fn point(error: experiments::PointError) -> Self {
        if error.is_input() { Self::input(error) } else { Self::run(error) }
    }

    /// A run counts only when every byte was right at the far end.
    pub(crate) fn if_wrong(bytes: u64) -> Result<(), Self> {
        if bytes == 0 { Ok(()) } else { Err(Self::Run(format!("{bytes} bytes were wrong at the far end"))) }
    }

    /// A write to standard output that failed.
    pub(crate) fn stdout(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::Closed
        } else {
            Self::Run(format!("cannot write to standard output: {error}"))
        }
    }

    /// Says why on standard error and gives the exit status.
    pub(crate) fn report(&self) -> ExitCode {
        // Nobody is left to tell when standard error is closed as well.
        let say = || _ = io::Write::write_fmt(&mut io::stderr(), format_args!("error: {self}\n"));
        match self {
            Self::Input(_) => {
                say();
                ExitCode::from(2)
            }
            Self::Run(_) => {
                say();
                ExitCode::from(1)
            }
            Self::Closed => ExitCode::from(141),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_byte_is_a_failure() {
        assert!(Failure::if_wrong(0).is_ok());
        let failure = Failure::if_wrong(1).unwrap_err();
        assert_eq!(failure.report(), ExitCode::from(1));
        assert!(failure.to_string().starts_with("1 bytes were wrong"));
    }
}
