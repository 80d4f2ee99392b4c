//! Reading a text file that somebody gave us: bounded, UTF-8, and every failure says which file.

use crate::words::shortened;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most bytes that a file of text may have.
pub const LARGEST_FILE: u64 = 256 << 20;

/// What some programs write before text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What keeps a file from being read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
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
    /// More than [`LARGEST_FILE`] bytes.
    #[error("{file} is larger than {} MiB, the most that is read", LARGEST_FILE >> 20)]
    TooLarge {
        /// The file.
        file: String,
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
    let file = path.display().to_string();
    let unreadable = |error: io::Error| {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            io::ErrorKind::PermissionDenied => "reading it is not permitted".to_owned(),
            _ => error.to_string(),
        };
        FileError::Unreadable { file: file.clone(), reason }
    };
    let handle = File::open(path).map_err(unreadable)?;
    let metadata = handle.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(FileError::Directory { file });
    }
    if metadata.len() > LARGEST_FILE {
        return Err(FileError::TooLarge { file });
    }
    let mut bytes = Vec::new();
    // A device or pipe has no length in its metadata, so the limit is kept while reading too.
    handle.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(FileError::TooLarge { file });
    }
    decode(bytes, &file)
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
        File::create(&large).unwrap().set_len(LARGEST_FILE + 1).unwrap();
        assert!(message(&large).contains("larger than 256 MiB"));
    }
}
