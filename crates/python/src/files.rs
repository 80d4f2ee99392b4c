//! Files and pickles of results, and the proofs beside them.

use crate::errors::bad;
use flate2::Compression;
use flate2::write::GzEncoder;
use pavane_model::FileSource;
use pavane_model::write_target::{self, Target};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyTuple};
use std::io::{self, BufRead, Read, Write};
use std::path::Path;

/// Writes a file atomically, following symbolic links; writes directly into a pipe or device.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match write_target::resolve(path)? {
        Target::File(target) if !target.is_dir() => target,
        _ => return std::fs::write(path, bytes),
    };
    let mut part = target.file_name().unwrap_or_default().to_owned();
    part.push(".part");
    let part = target.with_file_name(part);
    std::fs::write(&part, bytes)?;
    std::fs::rename(&part, target)
}

/// Why a file is not written, as the command line says it.
pub fn unwritable(path: &Path, error: &io::Error) -> PyErr {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.exists()) {
        Some(folder) => {
            let (path, folder) = (path.display(), folder.display());
            bad(format!("cannot write {path}: folder {folder} does not exist"))
        }
        None => bad(format!("{}: {error}", path.display())),
    }
}

/// Writes a file, gzipped if its name ends in .gz.
pub fn save_by_name(
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> PyResult<()> {
    let mut bytes = Vec::new();
    let content = if path.extension().is_some_and(|ending| ending == "gz") {
        let mut gzip = GzEncoder::new(&mut bytes, Compression::fast());
        write(&mut gzip).and_then(|()| gzip.finish().map(drop))
    } else {
        write(&mut bytes)
    };
    let written = content.and_then(|()| write_whole(path, &bytes));
    written.map_err(|error| unwritable(path, &error))
}

/// A file in the arguments of Python: its path, or its content as bytes.
pub struct FileArgument(pub FileSource);

impl<'py> FromPyObject<'_, 'py> for FileArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(match content(&value)? {
            Some(bytes) => FileSource::Bytes(bytes),
            None => FileSource::Path(value.extract()?),
        }))
    }
}

/// The content of bytes, a bytearray or a memoryview; `None` for anything else.
pub fn content(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    let is_content = value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>();
    if !is_content {
        return Ok(None);
    }
    let bytes = value.py().get_type::<PyBytes>().call1((value,))?.cast_into::<PyBytes>()?;
    Ok(Some(bytes.as_bytes().to_vec()))
}

/// Where the proof that a bound needs is.
pub enum Proofs<'a> {
    /// Beside a file, under the name in the bound.
    Beside(&'a FileSource),
    /// In memory.
    Kept(&'a [u8]),
}

impl Proofs<'_> {
    /// Opens a proof.
    pub fn open(&self, name: &str) -> io::Result<Box<dyn BufRead>> {
        match self {
            Self::Beside(source) => source.open_beside(name),
            Self::Kept([]) => Err(io::ErrorKind::NotFound.into()),
            Self::Kept(bytes) => Ok(Box::new(io::Cursor::new(bytes.to_vec()))),
        }
    }

    /// The content of a proof.
    pub fn read(&self, name: &str) -> PyResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.open(name).and_then(|mut file| file.read_to_end(&mut bytes));
        read.map_err(|error| bad(format!("{name}: {error}")))?;
        Ok(bytes)
    }
}

/// Writes a proof, gzipped.
pub fn save_proof(path: &Path, proof: &[u8]) -> PyResult<()> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let bytes = gzip.write_all(proof).and_then(|()| gzip.finish());
    let written = bytes.and_then(|bytes| write_whole(path, &bytes));
    written.map_err(|error| unwritable(path, &error))
}

/// The answer of `__reduce__`: `_restore` of the class with this name makes the object of the state.
pub fn reduced<'py>(
    py: Python<'py>,
    class: &str,
    state: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let restore = py.import("pavane._pickle")?.getattr("restore")?;
    let mut all = vec![class.into_pyobject(py)?.into_any()];
    all.extend(state.into_pyobject(py)?.iter());
    Ok((restore, PyTuple::new(py, all)?))
}

/// Bytes of Python.
pub fn bytes<'py>(
    py: Python<'py>,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut content = Vec::new();
    write(&mut content).map_err(bad)?;
    Ok(PyBytes::new(py, &content))
}
