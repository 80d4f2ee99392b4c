//! Parameters of engines: their ranges and the values of the two presets.

/// A parameter of an engine that the user can set.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The name, as in `name=value`.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// The values that it accepts.
    pub range: Range,
    /// The value in the preset `paper`; for a word, its index in the range.
    pub paper: f64,
    /// The value in the preset `tuned`.
    pub tuned: f64,
}

/// The values that a parameter accepts.
#[derive(Debug, Clone, Copy)]
pub enum Range {
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// A number from the first to the second.
    Real(f64, f64),
    /// One of these words.
    Word(&'static [&'static str]),
}

/// A named set of values for all parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// The values of the papers.
    Paper,
    /// The values that work best.
    #[default]
    Tuned,
}

impl Preset {
    /// The presets with their names.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("tuned", Self::Tuned), ("paper", Self::Paper)];
}

/// Why parameters are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// Not of the form `name=value`.
    #[error("parameter {text:?}: write NAME=VALUE, such as islands=10")]
    NoValue {
        /// The text given.
        text: String,
    },
    /// The engine has no such parameter.
    #[error("the engine {engine} has no parameter {name:?}; it has {}", listed(.known))]
    Unknown {
        /// The engine.
        engine: &'static str,
        /// The name given.
        name: String,
        /// The parameters that the engine has.
        known: Vec<&'static str>,
    },
    /// The value is not in the range.
    #[error("{name}={value}: {name} must be {range}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: String,
        /// The values that it accepts.
        range: String,
    },
    /// The individuals would not fit into memory.
    #[error(
        "{name}={value}: for this problem that would take about {gigabytes} GB; set {name} to at most {most}"
    )]
    TooMany {
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: u64,
        /// The memory needed.
        gigabytes: u64,
        /// The largest value that fits.
        most: u64,
    },
    /// Not even the smallest population fits into memory.
    #[error(
        "the engine {engine} would take about {gigabytes} GB for this problem; use another engine"
    )]
    NoRoom {
        /// The engine.
        engine: &'static str,
        /// The memory needed.
        gigabytes: u64,
    },
    /// The final temperature is above the initial one.
    #[error("cold is {cold} and hot is {hot}; set both so that cold is not above hot")]
    Colder {
        /// The temperature at the end.
        cold: String,
        /// The temperature at the start.
        hot: String,
    },
    /// A preset was given for an engine without parameters.
    #[error("the engine {engine} has no parameters, so it has no presets")]
    NoPreset {
        /// The engine.
        engine: &'static str,
    },
    /// A parameter was given twice.
    #[error("parameter {name} is set twice; give one value")]
    Twice {
        /// The parameter.
        name: &'static str,
    },
    /// Parameters were given without an engine.
    #[error("parameters and presets belong to one engine; name the engine")]
    NoEngine,
}

/// The names of parameters, in words.
fn listed(names: &[&str]) -> String {
    if names.is_empty() { "no parameters".to_owned() } else { names.join(", ") }
}

impl Range {
    /// Describes the range.
    pub fn words(&self) -> String {
        match self {
            Self::Whole(least, u64::MAX) => format!("a whole number of at least {least}"),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Real(least, most) => format!("a number from {least} to {most}"),
            Self::Word(words) => format!("one of {}", words.join(", ")),
        }
    }

    /// Formats a value of the range.
    pub fn show(&self, value: f64) -> String {
        match self {
            Self::Word(words) => words.get(value as usize).copied().unwrap_or_default().to_owned(),
            _ => value.to_string(),
        }
    }

    fn read(&self, text: &str) -> Option<f64> {
        match *self {
            Self::Word(words) => words.iter().position(|word| *word == text).map(|at| at as f64),
            Self::Whole(least, most) => {
                let value: u64 = text.parse().ok()?;
                (least..=most).contains(&value).then_some(value as f64)
            }
            Self::Real(least, most) => {
                let value: f64 = text.parse().ok()?;
                (least..=most).contains(&value).then_some(value)
            }
        }
    }
}

/// The values of all parameters of an engine: a preset and settings that override it.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    preset: Preset,
    settings: Vec<(&'static str, f64)>,
}

impl Parameters {
    /// Checks settings of the form `name=value` for an engine with this table of parameters.
    pub fn new(
        engine: &'static str,
        table: &[Parameter],
        preset: Preset,
        settings: &[String],
    ) -> Result<Self, ParameterError> {
        let mut parameters = Self { preset, settings: Vec::new() };
        for text in settings {
            let named = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
            let Some((name, value)) = named else {
                return Err(ParameterError::NoValue { text: text.clone() });
            };
            let Some(parameter) = table.iter().find(|parameter| parameter.name == name.trim())
            else {
                let known = table.iter().map(|parameter| parameter.name).collect();
                let name = name.to_owned();
                return Err(ParameterError::Unknown { engine, name, known });
            };
            let Some(number) = parameter.range.read(value.trim()) else {
                let (value, range) = (value.to_owned(), parameter.range.words());
                return Err(ParameterError::OutOfRange { name: parameter.name, value, range });
            };
            if parameters.settings.iter().any(|(name, _)| *name == parameter.name) {
                return Err(ParameterError::Twice { name: parameter.name });
            }
            parameters.settings.push((parameter.name, number));
        }
        parameters.check_temperatures(table)?;
        Ok(parameters)
    }

    /// Fails if the final temperature is above the initial one.
    fn check_temperatures(&self, table: &[Parameter]) -> Result<(), ParameterError> {
        let value = |name: &str| {
            let parameter = table.iter().find(|parameter| parameter.name == name);
            parameter.map(|parameter| self.value(parameter))
        };
        match (value("cold"), value("hot")) {
            (Some(cold), Some(hot)) if cold > hot => {
                Err(ParameterError::Colder { cold: cold.to_string(), hot: hot.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// The preset.
    pub fn preset(&self) -> Preset {
        self.preset
    }

    /// The value of a parameter.
    pub fn value(&self, parameter: &Parameter) -> f64 {
        let set = self.settings.iter().rev().find(|(name, _)| *name == parameter.name);
        match (set, self.preset) {
            (Some(&(_, value)), _) => value,
            (None, Preset::Paper) => parameter.paper,
            (None, Preset::Tuned) => parameter.tuned,
        }
    }

    /// The value of an integer parameter.
    pub fn whole(&self, parameter: &Parameter) -> u64 {
        self.value(parameter) as u64
    }

    /// Whether the value is this word.
    pub fn is(&self, parameter: &Parameter, word: &str) -> bool {
        parameter.range.show(self.value(parameter)) == word
    }
}
