//! Reads text files from users: at most so many bytes, UTF-8, and every error names the file.

use crate::bounded_read::{self, FileError, LARGEST_TEXT};
use crate::words::shortened;
use std::path::Path;

/// What some programs write before text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What keeps a file from being read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// There is no such file.
    #[error("{file}: there is no such file")]
    Missing {
        /// The file.
        file: String,
    },
    /// The operating system says no.
    #[error("{file}: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why, in words.
        reason: String,
    },
    /// A directory.
    #[error("{file} is a directory; give a file in it")]
    Directory {
        /// The directory.
        file: String,
    },
    /// More bytes than are read.
    #[error("{file} is larger than {} MiB, the most that is read", .most >> 20)]
    TooLarge {
        /// The file.
        file: String,
        /// The most bytes that are read.
        most: u64,
    },
    /// Bytes that are not text.
    #[error(
        "{file} is not UTF-8 text: line {line}, byte {offset} of the file (0x{byte:02x}) cannot stand there"
    )]
    NotText {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// Where in the file, counted from 0.
        offset: usize,
        /// The byte.
        byte: u8,
    },
}

/// The text of a file, of at most [`LARGEST_FILE`] bytes, without a byte order mark.
pub fn read(path: &Path) -> Result<String, FileError> {
    decode(read_bytes(path, LARGEST_FILE)?, &path.display().to_string())
}

/// The same, or nothing if there is no such file.
pub fn read_if_any(path: &Path) -> Result<Option<String>, FileError> {
    match read(path) {
        Err(FileError::Missing { .. }) => Ok(None),
        read => read.map(Some),
    }
}

/// The bytes of a file, at most so many; of a device or pipe at most [`LARGEST_FILE`].
pub fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let file = path.display().to_string();
    let unreadable = |error: io::Error| {
        let file = file.clone();
        let reason = match error.kind() {
            io::ErrorKind::NotFound => return FileError::Missing { file },
            io::ErrorKind::PermissionDenied => "reading it is not permitted".to_owned(),
            _ => error.to_string(),
        };
        FileError::Unreadable { file, reason }
    };
    let handle = File::open(path).map_err(unreadable)?;
    let metadata = handle.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(FileError::Directory { file });
    }
    // A device may have no end.
    let most = if metadata.is_file() { most } else { most.min(LARGEST_FILE) };
    if metadata.len() > most {
        return Err(FileError::TooLarge { file, most });
    }
    let mut bytes = Vec::new();
    // A device or pipe has no length in its metadata, so the limit is kept while reading too.
    handle.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    match bytes.len() as u64 > most {
        true => Err(FileError::TooLarge { file, most }),
        false => Ok(bytes),
    }
}

/// Where JSON goes wrong, and how, without the place that serde_json writes at the end.
pub(crate) fn json_problem(error: &serde_json::Error) -> (usize, usize, String) {
    let (line, column) = (error.line(), error.column());
    let whole = error.to_string();
    let problem = whole.strip_suffix(&format!(" at line {line} column {column}"));
    (line, column, shortened(problem.unwrap_or(&whole), 300).into_owned())
}

fn decode(mut bytes: Vec<u8>, file: &str) -> Result<String, FileError> {
    let mark = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    bytes.drain(..mark);
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[valid];
        let line = error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count() + 1;
        FileError::NotText { file: file.to_owned(), line, offset: mark + valid, byte }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device has no length that could be looked at before.
    #[cfg(unix)]
    #[test]
    fn an_endless_device_is_read_up_to_the_limit() {
        let zeros = Path::new("/dev/zero");
        let error = read_bytes(zeros, 3 << 20).unwrap_err();
        assert_eq!(error.to_string(), "/dev/zero is larger than 3 MiB, the most that is read");
    }

    #[test]
    fn a_file_that_cannot_be_read_says_why() {
        let place = tempfile::tempdir().unwrap();
        let message = |path: &Path| read(path).unwrap_err().to_string();
        assert!(message(&place.path().join("none")).ends_with("there is no such file"));
        assert!(message(place.path()).contains("is a directory"));
        let binary = place.path().join("binary");
        std::fs::write(&binary, b"a\nb\xFFc").unwrap();
        assert!(message(&binary).ends_with("line 2, byte 3 of the file (0xff) cannot stand there"));
        let marked = place.path().join("marked");
        std::fs::write(&marked, b"\xEF\xBB\xBFring").unwrap();
        assert_eq!(read(&marked).unwrap(), "ring");
        let large = place.path().join("large");
        std::fs::File::create(&large).unwrap().set_len(LARGEST_TEXT + 1).unwrap();
        assert!(message(&large).contains("larger than 256 MiB"));
        assert_eq!(read_if_any(&place.path().join("none")), Ok(None));
        assert_eq!(read_if_any(&marked), Ok(Some("ring".to_owned())));
        assert!(read_if_any(&large).is_err());
    }
}
