//! A result that is complete when its job ends: data for the page, and files.

use super::answer::Download;
use serde::Serialize;
use serde_json::Value;

/// Data and files.
pub struct Figures {
    data: Value,
    files: Vec<Download>,
}

impl Figures {
    /// A result with its files. The ending of a file is its format.
    pub fn new(data: &impl Serialize, files: Vec<Download>) -> Result<Self, String> {
        let data = serde_json::to_value(data).map_err(|error| error.to_string())?;
        Ok(Self { data, files })
    }

    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        self.files.iter().map(|file| file.bytes.len()).sum()
    }

    /// Data for the page.
    pub fn data(&self) -> Value {
        self.data.clone()
    }

    /// The file in a given format.
    pub fn download(&self, format: &str) -> Result<Download, String> {
        let ending = |file: &Download| file.name.rsplit('.').next().map(str::to_owned);
        let found = self.files.iter().find(|file| ending(file).as_deref() == Some(format));
        let Some(Download { name, kind, bytes }) = found else {
            let known: Vec<String> = self.files.iter().filter_map(ending).collect();
            return Err(format!(
                "this cannot be downloaded as {format:?}; use {}",
                known.join(" or ")
            ));
        };
        Ok(Download { name: name.clone(), kind, bytes: bytes.clone() })
    }
}
