//! JSON files: Pavane's own format or NetworkX node-link, depending on the fields.

use super::{ImportError, entry_error, formats, node_link, own, whole_error};
use crate::description::Description;
use pavane_model::entry_place::EntryPlace;
use pavane_model::strict_json;
use pavane_model::words::excerpt;
use serde::Deserialize;
use serde::de::IgnoredAny;

pub(super) fn parse(text: &str, file: &str, name: &str) -> Result<Description, ImportError> {
    if is_node_link(text, file)? {
        formats::finish(node_link::parse(text, file)?, file, name)
    } else {
        own::parse_json(text, file, name)
    }
}

/// Whether JSON is in NetworkX node-link format rather than Pavane's own.
fn is_node_link(text: &str, file: &str) -> Result<bool, ImportError> {
    #[derive(Deserialize)]
    #[serde(
        expecting = "an object with \"routers\" and \"links\", or with \"nodes\" and \"links\""
    )]
    struct Probe {
        format: Option<String>,
        nodes: Option<IgnoredAny>,
        routers: Option<IgnoredAny>,
    }
    let probe: Probe =
        strict_json::from_str(text).map_err(|error| own::json_error(file, &error))?;
    match (probe.format.as_deref(), probe.nodes, probe.routers) {
        (Some(own::FORMAT), ..) | (None, None, Some(_)) => Ok(false),
        (None, Some(_), _) => Ok(true),
        (Some(format), ..) => {
            let problem = format!("its format is {:?}, not {:?}", excerpt(format), own::FORMAT);
            let place = EntryPlace::Field(&["format"]);
            Err(entry_error(file, place, place.line_in_json(text), &problem))
        }
        (None, None, None) => {
            let problem = format!(
                "neither a Pavane network (\"format\": {:?}) nor node-link JSON (\"nodes\" and \
                 \"links\")",
                own::FORMAT
            );
            Err(whole_error(file, &problem))
        }
    }
}
