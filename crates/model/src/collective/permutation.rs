//! Permutations: every processor that is not lost sends one message to its image. Fixed points send
//! nothing.

use super::build::CollectiveError;
use super::{Collective, ListedMessage};
use crate::ids::ProcessorId;
use crate::network::Network;
use crate::split_mix::SplitMix;
use crate::words::{excerpt, plain};

/// The permutations as they are written, with their meanings.
pub(super) const NAMES: &[(&str, &str)] = &[
    ("transpose", "permutation (i, j) -> (j, i) of n x n processors"),
    ("bit-reversal", "permutation that reverses the bits of the numbers of 2^d processors"),
    ("shift:K", "permutation i -> i + K"),
    ("random-permutation:SEED", "random permutation from a seed"),
    ("permutation:3,0,1,2", "permutation given by the list of its images"),
];

const USAGE: &str = "transpose, bit-reversal, shift:K, random-permutation:SEED or \
                     permutation:3,0,1,2 (the images)";

/// A parsed permutation name: its form, and the text of its parameter.
pub(super) struct Permutation<'a> {
    form: Form,
    parameter: Option<&'a str>,
}

enum Form {
    Transpose,
    BitReversal,
    Shift,
    Random,
    Explicit,
}

impl<'a> Permutation<'a> {
    /// Recognises the name of a permutation without parsing its parameter. `None` if it is not one.
    pub(super) fn parse(name: &'a str) -> Option<Self> {
        let (word, parameter) = cut(name);
        if plain(word) != "permutation" {
            return Self::family(name, "randompermutation");
        }
        let family = parameter.and_then(|rest| Self::family(rest, "random"));
        family.or(Some(Self { form: Form::Explicit, parameter }))
    }

    fn family(name: &'a str, random: &str) -> Option<Self> {
        let (word, parameter) = cut(name);
        let form = match plain(word).as_str() {
            "transpose" => Form::Transpose,
            "bitreversal" => Form::BitReversal,
            "shift" => Form::Shift,
            word if word == random => Form::Random,
            _ => return None,
        };
        Some(Self { form, parameter })
    }

    /// Builds its messages on the processors that are not lost, in processor order.
    pub(super) fn build(
        &self,
        name: &str,
        network: &Network,
    ) -> Result<Collective, CollectiveError> {
        let wrong = |problem: String| {
            let name = excerpt(name).into_owned();
            CollectiveError::Permutation { name, problem, usage: USAGE }
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
    fn images(
        &self,
        living: &[ProcessorId],
        total: usize,
    ) -> Result<(String, Vec<ProcessorId>), String> {
        let there = match living.len() {
            all if all == total => format!("{total} processors"),
            some => format!("{some} processors ({total} less those lost to faults)"),
        };
        match (&self.form, self.parameter) {
            (Form::Transpose, None) => Ok(("transpose".to_owned(), transpose(living, &there)?)),
            (Form::BitReversal, None) => {
                Ok(("bit-reversal".to_owned(), bit_reversal(living, &there)?))
            }
            (Form::Transpose | Form::BitReversal, Some(parameter)) => {
                Err(format!("it takes no parameter, but {:?} is given", excerpt(parameter)))
            }
            (_, None) => Err("it needs a parameter".to_owned()),
            (Form::Shift, Some(parameter)) => {
                let by: i64 = number(parameter)?;
                let mut images = living.to_vec();
                images.rotate_left(by.rem_euclid(living.len() as i64) as usize);
                Ok((format!("shift:{by}"), images))
            }
            (Form::Random, Some(parameter)) => {
                let seed: u64 = number(parameter)?;
                let mut images = living.to_vec();
                SplitMix::seeded(seed).shuffle(&mut images);
                Ok((format!("random-permutation:{seed}"), images))
            }
            (Form::Explicit, Some(parameter)) => {
                Ok((format!("permutation:{parameter}"), explicit(parameter, living, &there)?))
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

fn explicit(text: &str, living: &[ProcessorId], there: &str) -> Result<Vec<ProcessorId>, String> {
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
        None => Ok(images),
        Some((_, missing)) => match sorted.iter().find(|p| living.binary_search(p).is_err()) {
            Some(image) => Err(format!("image {image} is not a processor, or is lost to a fault")),
            None => Err(format!(
                "processor {missing} is missing from the images, and another is there twice"
            )),
        },
    }
}
