//! Files that are either whole or not there, and standard output that may be closed.

use crate::failure::Failure;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file in the making: its name appears with [`Target::finish`], whole. Dropped before, it leaves nothing.
pub(crate) struct Target {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl Target {
    /// Opens a temporary file beside `path`, so that a place that cannot be written is known before the run.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let cannot = |why: &dyn std::fmt::Display| Failure::Input(format!("cannot write {}: {why}", path.display()));
        if path.is_dir() || path.file_name().is_none() {
            return Err(cannot(&"it is a folder"));
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".rnic-xlat-");
        // The usual permissions of a new file, less the umask, instead of a private temporary file's.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // The reason without the temporary file's name.
        let file = builder.tempfile_in(folder).map_err(|e| match e.get_ref().and_then(std::error::Error::source) {
            Some(source) => cannot(&source),
            None => cannot(&e),
        })?;
        Ok(Self { path: path.into(), file: BufWriter::new(file) })
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<PathBuf, Failure> {
        let path = self.path;
        let cannot = |e: io::Error| Failure::run(format!("cannot write {}: {e}", path.display()));
        let file = self.file.into_inner().map_err(|e| cannot(e.into_error()))?;
        file.persist(&path).map_err(|e| cannot(e.error))?;
        Ok(path)
    }

    /// Writes all of `text` and gives the file its name.
    pub(crate) fn finish_with(mut self, text: &str) -> Result<PathBuf, Failure> {
        let cannot = |e| Failure::run(format!("cannot write {}: {e}", self.path.display()));
        self.file.write_all(text.as_bytes()).map_err(cannot)?;
        self.finish()
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A folder for results. When it was made here and nothing came into it, it goes away again.
pub(crate) struct Folder<'a>(Option<&'a Path>);

impl<'a> Folder<'a> {
    /// Makes the folder and those around it, unless it is there.
    pub(crate) fn create(path: &'a Path) -> Result<Self, Failure> {
        if path.is_dir() {
            return Ok(Self(None));
        }
        std::fs::create_dir_all(path)
            .map_err(|e| Failure::Input(format!("cannot make the folder {}: {e}", path.display())))?;
        Ok(Self(Some(path)))
    }
}

impl Drop for Folder<'_> {
    fn drop(&mut self) {
        if let Some(made) = self.0 {
            // Refused by the system when something is in it, which is the usual case.
            _ = std::fs::remove_dir(made);
        }
    }
}

/// Writes to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::stdout)
}

/// Writes a remark to standard error; a closed one is nobody's loss.
pub(crate) fn remark(text: &str) {
    _ = io::stderr().write_all(text.as_bytes());
}
