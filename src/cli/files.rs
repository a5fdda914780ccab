//! Files that are read, and files that are written.
//!
//! In: paths of the command line. Out: texts of bounded length without a byte-order mark, or errors, whatever a path
//! leads to (an endless device, a pipe to which nobody writes, a directory); outputs that are distinct from all inputs
//! and from each other under any name, and that are written whole or not at all.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use same_file::is_same_file;
use tempfile::Builder;

/// The largest size of a model file, in bytes.
pub(super) const MODEL: u64 = 16 << 20;
/// The largest size of a file of input values, in bytes.
pub(super) const TABLE: u64 = 256 << 20;
/// The time for which a pipe or a device may be silent.
const PATIENCE: Duration = Duration::from_secs(10);
/// The number of bytes read from a pipe or a device at once.
const CHUNK: usize = 1 << 16;

/// Why a file cannot be read.
#[derive(Debug)]
pub(super) enum ReadError {
    /// An error of the system.
    System(io::Error),
    /// It is a directory.
    Directory,
    /// It is longer than the limit.
    TooLong {
        /// The limit in bytes.
        limit: u64,
    },
    /// It is a pipe or a device, and nothing came from it.
    Silent,
    /// It is not text.
    NotText,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::System(error) => error.fmt(f),
            ReadError::Directory => f.write_str("it is a directory"),
            ReadError::TooLong { limit } => write!(f, "it is longer than {} MiB", limit >> 20),
            ReadError::Silent => write!(f, "nothing came from it for {} seconds", PATIENCE.as_secs()),
            ReadError::NotText => f.write_str("it is no text in UTF-8"),
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        ReadError::System(error)
    }
}

/// The text of a file of at most `limit` bytes.
pub(super) fn read(path: &Path, limit: u64) -> Result<String, ReadError> {
    let kind = std::fs::metadata(path)?;
    if kind.is_dir() {
        return Err(ReadError::Directory);
    }
    let bytes = if kind.is_file() { regular(path, kind.len(), limit)? } else { stream(path, limit)? };
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLong { limit });
    }
    let text = String::from_utf8(bytes).map_err(|_| ReadError::NotText)?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_string(),
        None => text,
    })
}

/// Reads a regular file, at most one byte more than the limit.
fn regular(path: &Path, length: u64, limit: u64) -> Result<Vec<u8>, ReadError> {
    if length > limit {
        return Err(ReadError::TooLong { limit });
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a pipe or a device in another thread, because reading, and even opening it, may block for ever.
fn stream(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let (sender, chunks) = sync_channel(1);
    let path = path.to_path_buf();
    std::thread::spawn(move || send(&path, &sender));
    let mut bytes = Vec::new();
    while bytes.len() as u64 <= limit {
        match chunks.recv_timeout(PATIENCE) {
            Ok(chunk) => bytes.extend(chunk?),
            Err(RecvTimeoutError::Timeout) => return Err(ReadError::Silent),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(bytes)
}

/// Sends the content of a file while somebody receives it.
fn send(path: &Path, sender: &SyncSender<io::Result<Vec<u8>>>) {
    let chunks = || -> io::Result<()> {
        let mut file = File::open(path)?;
        let mut chunk = vec![0; CHUNK];
        loop {
            match file.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(length) if sender.send(Ok(chunk[..length].to_vec())).is_err() => return Ok(()),
                Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
        }
    };
    if let Err(error) = chunks() {
        // If nobody receives any more, the error does not matter.
        let _ = sender.send(Err(error));
    }
}

/// A file that is read or written, and its role.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    /// The option that names it, or what it is, for messages.
    pub(super) role: &'a str,
    /// Its path.
    pub(super) path: &'a Path,
}

/// Why an output is not written.
#[derive(Debug)]
pub(super) enum OutputError {
    /// It is also an input or another output.
    Same {
        /// The role and path of the output.
        output: (String, PathBuf),
        /// The role and path of the other file.
        other: (String, PathBuf),
    },
    /// It cannot be written.
    Unwritable {
        /// Its path.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutputError::Same { output: (role, path), other: (other_role, other) } => write!(
                f,
                "{role} `{}` is the same file as {other_role} `{}`, which would be lost",
                path.display(),
                other.display()
            ),
            OutputError::Unwritable { path, error } => write!(f, "`{}` cannot be written: {error}", path.display()),
        }
    }
}

/// Checks that outputs can be written, and that they replace neither an input nor one another, whatever the names,
/// symbolic links or hard links.
pub(super) fn check(outputs: &[Named<'_>], inputs: &[Named<'_>]) -> Result<(), OutputError> {
    for (k, output) in outputs.iter().enumerate() {
        let unwritable = |error| OutputError::Unwritable { path: output.path.to_path_buf(), error };
        writable(output.path).map_err(unwritable)?;
        if let Some(other) = inputs.iter().chain(&outputs[..k]).find(|other| is_same(output.path, other.path)) {
            let of = |named: &Named<'_>| (named.role.to_string(), named.path.to_path_buf());
            return Err(OutputError::Same { output: of(output), other: of(other) });
        }
    }
    Ok(())
}

/// Whether both paths lead to the same file; `false` for devices and pipes, which hold nothing that could be lost.
fn is_same(one: &Path, other: &Path) -> bool {
    let holds_nothing = |path: &Path| std::fs::metadata(path).is_ok_and(|kind| !kind.is_file());
    if holds_nothing(one) || holds_nothing(other) {
        return false;
    }
    is_same_file(one, other).unwrap_or(false) || target(one).is_some_and(|place| target(other) == Some(place))
}

/// The path at which a file is or will be, following symbolic links even if their target does not exist yet; `None` if
/// its folder does not exist, or the links form a cycle.
fn target(path: &Path) -> Option<PathBuf> {
    /// The largest number of symbolic links that Linux follows.
    const LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.canonicalize(),
            _ => Path::new(".").canonicalize(),
        };
        let place = folder.ok()?.join(path.file_name()?);
        match std::fs::read_link(&place) {
            Ok(next) => path = place.parent()?.join(next),
            Err(_) => return Some(place),
        }
    }
    None
}

/// Fails where it is clear in advance that writing would fail; changes nothing.
fn writable(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(kind) if kind.is_file() => std::fs::OpenOptions::new().write(true).open(path).map(drop),
        Ok(kind) if kind.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(_) => Ok(()),
        Err(_) => {
            let folder = target(path).and_then(|place| place.parent().map(Path::to_path_buf));
            match folder.is_some_and(|folder| folder.is_dir()) {
                true => Ok(()),
                false => Err(ErrorKind::NotFound.into()),
            }
        }
    }
}

/// Writes a text so that a regular file holds either all of it or what it held before; the permissions of an existing
/// file are kept.
pub(super) fn write(path: &Path, text: &str) -> Result<(), OutputError> {
    let place = target(path).unwrap_or_else(|| path.to_path_buf());
    replace(&place, text).map_err(|error| OutputError::Unwritable { path: path.to_path_buf(), error })
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let existing = std::fs::metadata(path);
    // A device or a pipe is written to, never replaced.
    if existing.as_ref().is_ok_and(|kind| !kind.is_file()) {
        return std::fs::OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    builder.prefix(".dae-");
    // The system subtracts the user's umask, as for any new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(text.as_bytes())?;
    temporary.as_file().sync_all()?;
    if let Ok(existing) = existing {
        std::fs::set_permissions(temporary.path(), existing.permissions())?;
    }
    temporary.persist(path).map_err(|error| error.error).map(drop)
}
