//! Output of `pavane networks`.

use pavane_networks::describe::NetworkProperties;
use serde::Serialize;

/// A network family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// Alternative names.
    pub aliases: &'static [&'static str],
    /// Its syntax, with the names of its parameters.
    pub usage: &'static str,
    /// A valid specification.
    pub example: &'static str,
    /// A description in one line.
    pub description: &'static str,
}

/// The properties of one network.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "network"))]
pub struct NetworkReport<'a> {
    /// The properties.
    #[serde(flatten)]
    pub description: &'a NetworkProperties,
    /// The lost parts, in the syntax of `--fault`.
    pub faults: Vec<String>,
}
