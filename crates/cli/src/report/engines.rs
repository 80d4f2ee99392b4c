//! Output of `pavane engines`.

use pavane_search::parameters::{Parameter, Range};
use serde::Serialize;

/// An engine.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EngineReport {
    /// Its name, as in `--engine`.
    pub name: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// Whether `solve` may select it without `--engine`.
    pub automatic: bool,
    /// Its parameters.
    pub parameters: Vec<ParameterReport>,
}

/// A parameter of an engine.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParameterReport {
    /// Its name, as in `--set NAME=VALUE`.
    name: &'static str,
    /// What it does.
    meaning: &'static str,
    /// The values that it accepts.
    range: RangeReport,
    /// The value in the preset `tuned`.
    tuned: ParameterValue,
    /// The value in the preset `paper`.
    paper: ParameterValue,
}

/// The values that a parameter accepts.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum RangeReport {
    /// Whole numbers.
    Whole { least: u64, most: u64, whole: bool },
    /// Real numbers.
    Real { least: f64, most: f64, whole: bool },
    /// One of these words.
    Words(&'static [&'static str]),
}

/// The value of a parameter.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum ParameterValue {
    Whole(u64),
    Real(f64),
    Word(String),
}

impl From<&Parameter> for ParameterReport {
    fn from(parameter: &Parameter) -> Self {
        let value = |value: f64| match parameter.range {
            Range::Word(_) => ParameterValue::Word(parameter.range.show(value)),
            Range::Whole(..) => ParameterValue::Whole(value as u64),
            Range::Real(..) => ParameterValue::Real(value),
        };
        Self {
            name: parameter.name,
            meaning: parameter.meaning,
            range: match parameter.range {
                Range::Whole(least, most) => RangeReport::Whole { least, most, whole: true },
                Range::Real(least, most) => RangeReport::Real { least, most, whole: false },
                Range::Word(words) => RangeReport::Words(words),
            },
            tuned: value(parameter.tuned),
            paper: value(parameter.paper),
        }
    }
}
