//! Parses the parameters of network families, and refuses networks that would be too large before
//! allocating memory.

use super::Family;
use super::error::TopologyError;
use pavane_model::network::{Network, NetworkBuilder, NetworkError};
use pavane_model::words::excerpt;

/// The maximum number of sides of a grid.
const MOST_SIDES: usize = 32;

/// The parameters of one specification.
#[derive(Debug, Clone, Copy)]
pub struct Parameters<'a> {
    spec: &'a str,
    family: &'static Family,
    text: Option<&'a str>,
    fat: u32,
    most: u64,
}

/// The size of a network to be built. Numbers beyond `u128` saturate.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Routers.
    pub routers: u128,
    /// Channels; a link has two.
    pub channels: u128,
    /// Processors.
    pub processors: u128,
}

impl Size {
    /// The size with one processor on every router.
    pub fn direct(routers: u128, channels: u128) -> Self {
        Self { routers, channels, processors: routers }
    }
}

impl<'a> Parameters<'a> {
    /// The parameters `text` of a family in the specification `spec`. `most` limits the number of
    /// routers, channels and processors.
    pub fn new(spec: &'a str, family: &'static Family, text: Option<&'a str>, most: u64) -> Self {
        Self { spec, family, text, fat: 1, most }
    }

    /// Parses the K of `@K`.
    pub fn set_fat(&mut self, text: &str) -> Result<(), TopologyError> {
        match read_number(text).and_then(|count| u32::try_from(count).ok()) {
            None => {
                Err(self
                    .wrong(format!("@{} is not a number of processors per router", excerpt(text))))
            }
            Some(0) => Err(self.wrong("@0 means no processors; use @1 or more".into())),
            Some(count) => {
                self.fat = count;
                Ok(())
            }
        }
    }

    /// The number of processors that replace each processor of the family.
    pub fn fat(&self) -> u32 {
        self.fat
    }

    /// These parameters, or `text` if none were given.
    pub fn or(&self, text: &'a str) -> Self {
        Self { text: self.text.or(Some(text)), ..*self }
    }

    /// An error that states the problem and the correct syntax.
    pub fn wrong(&self, problem: String) -> TopologyError {
        let Family { usage, example, .. } = self.family;
        let usage = if usage == example {
            (*usage).to_owned()
        } else {
            format!("{usage}, for example {example}")
        };
        TopologyError::Parameters { spec: excerpt(self.spec).into_owned(), problem, usage }
    }

    /// Whether no parameters were given.
    pub fn is_empty(&self) -> bool {
        self.text.is_none()
    }

    /// Fails if parameters were given.
    pub fn none(&self) -> Result<(), TopologyError> {
        match self.text {
            None => Ok(()),
            Some(text) => Err(self.wrong(format!("unexpected parameters {:?}", excerpt(text)))),
        }
    }

    /// Parses exactly `COUNT` numbers separated by commas.
    pub fn numbers<const COUNT: usize>(&self) -> Result<[u64; COUNT], TopologyError> {
        let list = self.list()?;
        let count = list.len();
        list.try_into().map_err(|_| {
            let number = if count == 1 { "number" } else { "numbers" };
            self.wrong(format!("{count} {number} given, but {COUNT} required"))
        })
    }

    /// Parses one or more numbers separated by commas.
    pub fn list(&self) -> Result<Vec<u64>, TopologyError> {
        self.text()?.split(',').map(|word| self.number(word)).collect()
    }

    /// Parses the sides of a grid, separated by `x`, all at least 1.
    pub fn sides(&self) -> Result<Vec<u64>, TopologyError> {
        let words = self.text()?.split(['x', 'X']);
        let sides: Vec<u64> = words.map(|word| self.number(word)).collect::<Result<_, _>>()?;
        if sides.contains(&0) {
            return Err(self.wrong("a side is 0, all must be at least 1".into()));
        }
        if sides.len() > MOST_SIDES {
            let problem = format!("{} sides, but at most {MOST_SIDES} are allowed", sides.len());
            return Err(self.wrong(problem));
        }
        Ok(sides)
    }

    /// Fails if a parameter is out of range.
    pub fn within(
        &self,
        what: &str,
        value: u64,
        least: u64,
        most: u64,
    ) -> Result<(), TopologyError> {
        if value < least {
            return Err(self.wrong(format!("{what} is {value}, but must be at least {least}")));
        }
        if value > most {
            return Err(self.wrong(format!("{what} is {value}, but must be at most {most}")));
        }
        Ok(())
    }

    /// Fails if a parameter is too small.
    pub fn at_least(&self, what: &str, value: u64, least: u64) -> Result<(), TopologyError> {
        self.within(what, value, least, u64::MAX)
    }

    /// A builder with the name of this specification; fails if the network is too large.
    pub fn start(&self, size: Size) -> Result<NetworkBuilder, TopologyError> {
        let processors = size.processors.saturating_mul(u128::from(self.fat));
        let counts =
            [(size.routers, "routers"), (size.channels, "channels"), (processors, "processors")];
        for (count, what) in counts {
            if count > u128::from(self.most) {
                let count = match count {
                    u128::MAX => "more than 10^38".to_owned(),
                    count => count.to_string(),
                };
                let name = excerpt(self.spec).into_owned();
                return Err(NetworkError::TooLarge { name, count, what, most: self.most }.into());
            }
        }
        Ok(NetworkBuilder::new(self.canonical(), size.routers as u32))
    }

    /// Builds a network from links, with one processor on every router.
    pub fn direct(
        &self,
        routers: u128,
        link_count: u128,
        links: impl IntoIterator<Item = (u32, u32)>,
    ) -> Result<Network, TopologyError> {
        let channels = link_count.saturating_mul(2);
        let mut builder = self.start(Size::direct(routers, channels))?;
        for (a, b) in links {
            builder.link(a, b);
        }
        debug_assert_eq!(builder.channel_count() as u128, channels, "{}", self.spec);
        builder.processor_on_each_router();
        Ok(builder.build()?)
    }

    fn text(&self) -> Result<&'a str, TopologyError> {
        match self.text {
            Some(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(self.wrong("the parameters are missing".into())),
        }
    }

    fn number(&self, word: &str) -> Result<u64, TopologyError> {
        match read_number(word.trim()) {
            Some(number) => Ok(number),
            None => Err(self.wrong(match word.trim() {
                "" => "a number is missing".to_owned(),
                word if word.bytes().all(|b| b.is_ascii_digit()) => {
                    format!("the number {} is too large", excerpt(word))
                }
                word => format!("{:?} is not a whole number", excerpt(word)),
            })),
        }
    }

    /// The canonical name: the name of the family, and the numbers without spaces and leading
    /// zeros.
    fn canonical(&self) -> String {
        let Some(text) = self.text else { return self.family.name.to_owned() };
        let mut name = format!("{}:", self.family.name);
        let text = text.replace(char::is_whitespace, "").to_ascii_lowercase();
        for word in text.split_inclusive([',', 'x']) {
            let digits = word.trim_end_matches([',', 'x']);
            let number = digits.trim_start_matches('0');
            name.push_str(if number.is_empty() { "0" } else { number });
            name.push_str(&word[digits.len()..]);
        }
        name
    }
}

/// Parses a number that consists of digits only; `None` if it is too large.
fn read_number(word: &str) -> Option<u64> {
    word.bytes().all(|b| b.is_ascii_digit()).then(|| word.parse().ok())?
}
