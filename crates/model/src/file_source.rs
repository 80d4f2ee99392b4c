//! A file to read: a path, or the content in memory.

use crate::bounded_read::FileError;
use crate::format::{FormatError, Stored, open_beside, open_bytes, open_file, read_stored};
use crate::text_file;
use std::io::{self, BufRead};
use std::path::PathBuf;

/// Where the content of a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileSource {
    /// On disk.
    Path(PathBuf),
    /// In memory, plain or gzipped.
    Bytes(Vec<u8>),
}

impl FileSource {
    /// The name in messages.
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Bytes(_) => "the bytes".to_owned(),
        }
    }

    /// Opens the content, which is unpacked if it is gzipped.
    pub fn open(&self) -> Result<Box<dyn BufRead>, FormatError> {
        let opened = match self {
            Self::Path(path) => open_file(path),
            Self::Bytes(bytes) => open_bytes(bytes.clone()),
        };
        opened.map_err(|source| FormatError::Io { path: self.name(), source })
    }

    /// Opens a file beside this one, such as a proof. Content in memory has no such files.
    pub fn open_beside(&self, name: &str) -> io::Result<Box<dyn BufRead>> {
        match self {
            Self::Path(path) => open_beside(path, name),
            Self::Bytes(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The content as text.
    pub fn text(&self) -> Result<String, FileError> {
        match self {
            Self::Path(path) => text_file::read(path),
            Self::Bytes(bytes) => text_file::decode(bytes.clone(), &self.name()),
        }
    }

    /// Reads a schedule, plan or refutation. `limit` is the maximum number of deliveries.
    pub fn stored(&self, limit: u64) -> Result<Stored, FormatError> {
        read_stored(self.open()?, &self.name(), limit)
    }
}

impl From<PathBuf> for FileSource {
    fn from(path: PathBuf) -> Self {
        Self::Path(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn bytes_are_read_as_a_file_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        let content = b"{\"format\": \"pavane/schedule/9\"}";
        std::fs::write(&path, content).unwrap();
        std::fs::write(folder.path().join("x.lrat"), b"proof").unwrap();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(content).unwrap();
        let on_disk = FileSource::from(path);
        let in_memory = FileSource::Bytes(content.to_vec());
        let gzipped = FileSource::Bytes(gzip.finish().unwrap());
        for source in [&on_disk, &in_memory, &gzipped] {
            let error = source.stored(1).unwrap_err().to_string();
            assert!(error.starts_with(&source.name()), "{error}");
            assert!(error.contains("unknown format \"pavane/schedule/9\""), "{error}");
        }
        assert_eq!(on_disk.text(), in_memory.text());
        assert!(on_disk.open_beside("x.lrat").is_ok());
        assert!(in_memory.open_beside("x.lrat").is_err());
        let binary = FileSource::Bytes(vec![b'a', 0xff]).text().unwrap_err().to_string();
        assert!(
            binary.starts_with("the bytes is not UTF-8") || binary.contains("0xff"),
            "{binary}"
        );
    }
}
