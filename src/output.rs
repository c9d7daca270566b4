//! Files that are either whole or not there, and standard output that may be closed.

use crate::failure::Failure;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that is going to be written. Its name appears when it is whole; before that, and after an error, there is nothing.
pub(crate) struct Target {
    path: PathBuf,
}

impl Target {
    /// The file at `path`. That its place can be written is tried now, before the run.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        if path.is_dir() || path.file_name().is_none() {
            return Err(Failure::Input(format!("cannot write {}: it is a folder", path.display())));
        }
        let target = Self { path: path.into() };
        target.temporary().map_err(|e| Failure::Input(target.cannot(&e)))?;
        Ok(target)
    }

    /// Writes all of `text` and gives the file its name.
    pub(crate) fn finish_with(self, text: &str) -> Result<PathBuf, Failure> {
        let mut file = self.open()?;
        file.write_all(text.as_bytes()).map_err(|e| Failure::run(file.target.cannot(&e)))?;
        file.finish()
    }

    /// Opens the file, to be written bit by bit.
    pub(crate) fn open(self) -> Result<Growing, Failure> {
        let file = self.temporary().map_err(|e| Failure::run(self.cannot(&e)))?;
        Ok(Growing { target: self, file: BufWriter::new(file) })
    }

    /// A file beside the target under another name. Dropped, it is gone.
    fn temporary(&self) -> io::Result<NamedTempFile> {
        let folder = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".rnic-xlat-");
        // The usual permissions of a new file, less the umask, instead of a private temporary file's.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // The error's own text would name the temporary file.
        builder.tempfile_in(folder).map_err(|e| e.kind().into())
    }

    fn cannot(&self, error: &io::Error) -> String {
        format!("cannot write {}: {error}", self.path.display())
    }
}

/// A file in the making.
pub(crate) struct Growing {
    target: Target,
    file: BufWriter<NamedTempFile>,
}

impl Growing {
    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<PathBuf, Failure> {
        let Self { target, file } = self;
        let cannot = |e: &io::Error| Failure::run(target.cannot(e));
        let file = file.into_inner().map_err(|e| cannot(e.error()))?;
        file.persist(&target.path).map_err(|e| cannot(&e.error))?;
        Ok(target.path)
    }
}

impl Write for Growing {
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
