//! Collectives in the arguments of Python.

use crate::errors::bad;
use crate::files::content;
use pavane_model::FileSource;
use pavane_model::collective::message_file::is_content;
use pavane_model::words::excerpt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A collective as the command line names it: a name, the path of a file, or the content of a message file.
pub struct CollectiveArgument(pub String);

impl<'py> FromPyObject<'_, 'py> for CollectiveArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Some(bytes) = content(&value)? {
            let text = FileSource::Bytes(bytes).text().map_err(bad)?.trim_start().to_owned();
            // A text with lines is the content of a message file.
            return Ok(Self(if is_content(&text) { text } else { text + "\n" }));
        }
        if let Ok(path) = value.extract::<PathBuf>() {
            let text = path.into_os_string().into_string();
            return text.map(Self).map_err(|_| bad("the name of the collective is not UTF-8"));
        }
        match listed(&value) {
            Some(text) => Ok(Self(text)),
            None => {
                let shown = value.repr()?.to_string();
                Err(bad(format!(
                    "{} is not a collective; use a name such as \"all-to-all\", the path of a message file, a list of \
                     numbers (a permutation) or a list of pairs (sender, receivers)",
                    excerpt(&shown)
                )))
            }
        }
    }
}

/// The name of a collective in results.
pub fn title(collective: &str) -> &str {
    if is_content(collective) { "messages" } else { collective }
}

/// A permutation as the list of its images, or messages as pairs of a sender and one receiver or several.
fn listed(value: &Bound<'_, PyAny>) -> Option<String> {
    if let Ok(receivers) = value.cast::<PyDict>() {
        return listed(receivers.items().as_any());
    }
    let items = items(value)?;
    let images: Option<Vec<String>> = items
        .iter()
        .map(|item| item.extract::<u32>().ok().map(|image| image.to_string()))
        .collect();
    if let Some(images) = images.filter(|images| !images.is_empty()) {
        return Some(format!("permutation:{}", images.join(",")));
    }
    let messages = items.iter().map(|item| {
        let [from, to] = &self::items(item)?[..] else { return None };
        let to: Vec<u32> = match to.extract::<u32>() {
            Ok(to) => vec![to],
            Err(_) => self::items(to)?.iter().map(|to| to.extract().ok()).collect::<Option<_>>()?,
        };
        Some(json!({"from": from.extract::<u32>().ok()?, "to": to}))
    });
    messages.collect::<Option<Vec<Value>>>().map(|messages| Value::Array(messages).to_string())
}

fn items<'py>(value: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    value.try_iter().ok()?.collect::<PyResult<_>>().ok()
}
