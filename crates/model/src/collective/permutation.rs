//! Permutations: every processor that is not lost sends one message to its image. Fixed points send
//! nothing.

use super::build::CollectiveError;
use super::{Collective, ListedMessage};
use crate::ids::ProcessorId;
use crate::network::Network;
use crate::split_mix::SplitMix;
use crate::words::{excerpt, plain};
use std::sync::LazyLock;

/// A kind of permutations.
struct Family {
    /// How it is written: its name, and a colon and a sample of its parameter if it has one.
    usage: &'static str,
    meaning: &'static str,
    images: Images,
}

/// Computes the processor that each living processor sends to. The text says how many processors
/// there are, for errors.
enum Images {
    /// Without a parameter.
    Fixed(fn(&[ProcessorId], &str) -> Result<Vec<ProcessorId>, String>),
    /// With a parameter, whose canonical text is also returned.
    Of(fn(&str, &[ProcessorId], &str) -> Result<NamedImages, String>),
}

/// A canonical name or parameter, and the images.
type NamedImages = (String, Vec<ProcessorId>);

/// All families. The list of images is the last one.
#[rustfmt::skip]
static FAMILIES: &[Family] = &[
    Family { usage: "transpose", meaning: "permutation (i, j) -> (j, i) of n x n processors", images: Images::Fixed(transpose) },
    Family { usage: "bit-reversal", meaning: "permutation that reverses the bits of the numbers of 2^d processors", images: Images::Fixed(bit_reversal) },
    Family { usage: "shift:K", meaning: "permutation i -> i + K", images: Images::Of(shift) },
    Family { usage: "random-permutation:SEED", meaning: "random permutation from a seed", images: Images::Of(random) },
    Family { usage: "permutation:3,0,1,2", meaning: "permutation given by the list of its images", images: Images::Of(explicit) },
];

/// How permutations are written, for errors.
static USAGE: LazyLock<String> = LazyLock::new(|| {
    let usages: Vec<&str> = FAMILIES.iter().map(|family| family.usage).collect();
    let (last, others) = usages.split_last().expect("the table has families");
    format!("{} or {last} (the images)", others.join(", "))
});

/// The permutations as they are written, with their meanings.
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    FAMILIES.iter().map(|family| (family.usage, family.meaning))
}

impl Family {
    fn name(&self) -> &'static str {
        cut(self.usage).0
    }
}

/// A parsed permutation name: its family, and the text of its parameter.
pub(super) struct Permutation<'a> {
    family: &'static Family,
    parameter: Option<&'a str>,
}

impl<'a> Permutation<'a> {
    /// Recognises the name of a permutation without parsing its parameter. `None` if it is not one.
    /// Every family may be written after `permutation:`, as in `permutation:shift:1` and
    /// `permutation:random:1`.
    pub(super) fn parse(name: &'a str) -> Option<Self> {
        let (word, parameter) = cut(name);
        let (explicit, others) = FAMILIES.split_last()?;
        let find = |word: &str, ending: &str| {
            let is_it = |family: &&Family| {
                let known = plain(family.name());
                known.strip_suffix(ending).unwrap_or(&known) == plain(word)
            };
            others.iter().find(is_it)
        };
        if plain(word) != plain(explicit.name()) {
            return find(word, "").map(|family| Self { family, parameter });
        }
        let inner = parameter.map(cut).and_then(|(word, parameter)| {
            find(word, &plain(explicit.name())).map(|family| Self { family, parameter })
        });
        inner.or(Some(Self { family: explicit, parameter }))
    }

    /// Builds its messages on the processors that are not lost, in processor order.
    pub(super) fn build(
        &self,
        name: &str,
        network: &Network,
    ) -> Result<Collective, CollectiveError> {
        let wrong = |problem: String| {
            let name = excerpt(name).into_owned();
            CollectiveError::Permutation { name, problem, usage: &USAGE }
        };
        let living: Vec<ProcessorId> = network.living_processors().collect();
        let (canonical, images) = self.images(&living, network.processor_count()).map_err(wrong)?;
        let pairs = living.iter().zip(&images).filter(|(from, to)| from != to);
        let list: Vec<ListedMessage> =
            pairs.map(|(&from, &to)| ListedMessage { from, to: vec![to] }).collect();
        if list.is_empty() {
            return Err(wrong(
                "it maps every processor to itself, so there is no message".to_owned(),
            ));
        }
        Ok(Collective::listed(&canonical, list))
    }

    /// The canonical name, and the processor that each processor sends to.
    fn images(&self, living: &[ProcessorId], total: usize) -> Result<NamedImages, String> {
        let there = match living.len() {
            all if all == total => format!("{total} processors"),
            some => format!("{some} processors ({total} less those lost to faults)"),
        };
        let name = self.family.name();
        match (&self.family.images, self.parameter) {
            (Images::Fixed(images), None) => Ok((name.to_owned(), images(living, &there)?)),
            (Images::Fixed(_), Some(parameter)) => {
                Err(format!("it takes no parameter, but {:?} is given", excerpt(parameter)))
            }
            (Images::Of(_), None) => Err("it needs a parameter".to_owned()),
            (Images::Of(images), Some(parameter)) => {
                let (parameter, images) = images(parameter, living, &there)?;
                Ok((format!("{name}:{parameter}"), images))
            }
        }
    }
}

/// The text before the first colon, and the text after it.
fn cut(name: &str) -> (&str, Option<&str>) {
    match name.split_once(':') {
        Some((word, parameter)) => (word, Some(parameter)),
        None => (name, None),
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{:?} is not a whole number in range", excerpt(text)))
}

fn transpose(living: &[ProcessorId], there: &str) -> Result<Vec<ProcessorId>, String> {
    let side = living.len().isqrt();
    if side * side != living.len() {
        return Err(format!("{there} do not form a square n x n"));
    }
    Ok((0..living.len()).map(|at| living[at % side * side + at / side]).collect())
}

fn bit_reversal(living: &[ProcessorId], there: &str) -> Result<Vec<ProcessorId>, String> {
    if !living.len().is_power_of_two() {
        return Err(format!("it needs a power of two, not {there}"));
    }
    let bits = living.len().trailing_zeros();
    let reverse = |at: usize| (0..bits).fold(0, |image, bit| image << 1 | (at >> bit & 1));
    Ok((0..living.len()).map(|at| living[reverse(at)]).collect())
}

fn shift(text: &str, living: &[ProcessorId], _: &str) -> Result<NamedImages, String> {
    let by: i64 = number(text)?;
    let mut images = living.to_vec();
    images.rotate_left(by.rem_euclid(living.len() as i64) as usize);
    Ok((by.to_string(), images))
}

fn random(text: &str, living: &[ProcessorId], _: &str) -> Result<NamedImages, String> {
    let seed: u64 = number(text)?;
    let mut images = living.to_vec();
    SplitMix::seeded(seed).shuffle(&mut images);
    Ok((seed.to_string(), images))
}

fn explicit(text: &str, living: &[ProcessorId], there: &str) -> Result<NamedImages, String> {
    let images: Vec<ProcessorId> = text
        .split(',')
        .map(|image| number(image.trim()).map(ProcessorId))
        .collect::<Result<_, _>>()?;
    if images.len() != living.len() {
        return Err(format!("{} images are given for {there}", images.len()));
    }
    let mut sorted = images.clone();
    sorted.sort_unstable();
    match sorted.iter().zip(living).find(|(image, processor)| image != processor) {
        None => Ok((text.to_owned(), images)),
        Some((_, missing)) => match sorted.iter().find(|p| living.binary_search(p).is_err()) {
            Some(image) => Err(format!("image {image} is not a processor, or is lost to a fault")),
            None => Err(format!(
                "processor {missing} is missing from the images, and another is there twice"
            )),
        },
    }
}
