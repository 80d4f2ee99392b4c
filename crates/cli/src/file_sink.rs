//! Where the files of a folder go: into a folder on disk, or into memory for an archive.

use crate::output::{Failure, write_file};
use std::io::{self, Write};
use std::path::Path;

/// Writes the content of a file.
pub type FileWriter<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Receives files by name, which may begin with a folder and `/`.
pub trait FileSink {
    /// Stores a file.
    fn add(&mut self, name: &str, write: FileWriter<'_>) -> Result<(), Failure>;
}

/// A folder on disk. Folders in names must exist.
pub struct DiskFolder<'a>(pub &'a Path);

impl FileSink for DiskFolder<'_> {
    fn add(&mut self, name: &str, write: FileWriter<'_>) -> Result<(), Failure> {
        write_file(&self.0.join(name), write)
    }
}

/// Files in memory.
#[derive(Default)]
pub struct FilesInMemory(pub Vec<(String, Vec<u8>)>);

impl FileSink for FilesInMemory {
    fn add(&mut self, name: &str, write: FileWriter<'_>) -> Result<(), Failure> {
        let mut bytes = Vec::new();
        write(&mut bytes)?;
        self.0.push((name.to_owned(), bytes));
        Ok(())
    }
}
