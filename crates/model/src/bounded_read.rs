//! Reads user-named files into memory, up to a limit. Every file that is read as a whole goes
//! through here, so that an endless device or pipe cannot exhaust memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of a text file, and of what is read from a pipe or device, in bytes.
pub const LARGEST_TEXT: u64 = 256 << 20;

/// The maximum size in bytes of a file that the program wrote itself: a checkpoint, an index, table
/// rows.
pub const LARGEST_OWN: u64 = 4 << 30;

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file does not exist.
    #[error("{file}: there is no such file")]
    Missing {
        /// The file.
        file: String,
    },
    /// The operating system reports an error.
    #[error("{file}: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// The reason, in words.
        reason: String,
    },
    /// The path names a directory.
    #[error("{file} is a directory; give a file in it")]
    Directory {
        /// The directory.
        file: String,
    },
    /// The file exceeds the limit.
    #[error("{file} is larger than {} MiB, the maximum", largest >> 20)]
    TooLarge {
        /// The file.
        file: String,
        /// The limit, in bytes.
        largest: u64,
    },
    /// The file is not UTF-8 text.
    #[error(
        "{file} is not UTF-8 text: line {line}, byte {offset} of the file (0x{byte:02x}) is invalid"
    )]
    NotText {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The byte offset in the file, counted from 0.
        offset: usize,
        /// The invalid byte.
        byte: u8,
    },
}

/// Reads a file of at most `largest` bytes. The size of a pipe or device is not known in advance,
/// so at most [`LARGEST_TEXT`] bytes are read from it.
pub fn read(path: &Path, largest: u64) -> Result<Vec<u8>, FileError> {
    let file = path.display().to_string();
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => FileError::Missing { file: file.clone() },
        io::ErrorKind::PermissionDenied => {
            let reason = "permission to read it is denied".to_owned();
            FileError::Unreadable { file: file.clone(), reason }
        }
        _ => FileError::Unreadable { file: file.clone(), reason: error.to_string() },
    };
    let handle = File::open(path).map_err(unreadable)?;
    let metadata = handle.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(FileError::Directory { file });
    }
    let largest = if metadata.is_file() { largest } else { largest.min(LARGEST_TEXT) };
    if metadata.len() > largest {
        return Err(FileError::TooLarge { file, largest });
    }
    let mut bytes = Vec::new();
    // The file may grow while it is being read.
    handle.take(largest + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > largest {
        return Err(FileError::TooLarge { file, largest });
    }
    Ok(bytes)
}

/// As [`read`], but returns `None` if the file does not exist.
pub fn read_if_there(path: &Path, largest: u64) -> Result<Option<Vec<u8>>, FileError> {
    match read(path, largest) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FileError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_the_limit_is_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        let too_large = FileError::TooLarge { file: path.display().to_string(), largest: 4 };
        assert_eq!(read(&path, 4).unwrap_err(), too_large);
        assert_eq!(read_if_there(&path, 9).unwrap().unwrap(), b"12345");
        assert_eq!(read_if_there(&place.path().join("none"), 9).unwrap(), None);
        assert!(matches!(read_if_there(place.path(), 9), Err(FileError::Directory { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_that_never_ends_is_refused() {
        let error = read(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "/dev/zero is larger than 1 MiB, the maximum");
        assert_eq!(read(Path::new("/dev/null"), 1 << 20).unwrap(), b"");
    }
}
