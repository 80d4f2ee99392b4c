//! Permutations of the literature on interconnection networks: every processor sends to one other
//! (Dally and Towles, Principles and Practices of Interconnection Networks, 2004, section 3.2).

use crate::error::TrafficError;
use crate::routing::coordinates;
use pavane_model::{Network, ProcessorId};

/// A permutation of the processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permutation {
    /// A random one without fixed points.
    Random,
    /// (i, j) sends to (j, i).
    Transpose,
    /// The bits of the number in reverse order.
    BitReversal,
    /// All bits of the number inverted.
    BitComplement,
    /// The bits of the number rotated to the left.
    Shuffle,
    /// Almost half way around every dimension.
    Tornado,
    /// One further in every dimension.
    Neighbour,
}

const ALL: [(&str, Permutation); 7] = [
    ("random", Permutation::Random),
    ("transpose", Permutation::Transpose),
    ("bit-reversal", Permutation::BitReversal),
    ("bit-complement", Permutation::BitComplement),
    ("shuffle", Permutation::Shuffle),
    ("tornado", Permutation::Tornado),
    ("neighbour", Permutation::Neighbour),
];

impl Permutation {
    /// The permutation with this name.
    pub fn find(name: &str) -> Result<Self, TrafficError> {
        let found =
            ALL.iter().find(|(known, _)| *known == name).map(|(_, permutation)| *permutation);
        found.ok_or_else(|| TrafficError::Unknown {
            what: "permutation",
            name: name.to_owned(),
            known: Self::names().join(", "),
        })
    }

    /// The names of all permutations.
    pub fn names() -> [&'static str; 7] {
        ALL.map(|(name, _)| name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        ALL.iter().find(|(_, permutation)| *permutation == self).map_or("random", |(name, _)| name)
    }

    /// The processor that each processor sends to; `None` for a random permutation. Fixed points send
    /// nothing.
    pub(crate) fn images(
        self,
        network: &Network,
    ) -> Result<Option<Vec<ProcessorId>>, TrafficError> {
        if self == Self::Random {
            return Ok(None);
        }
        let wrong = |problem: String| {
            let name = self.name();
            TrafficError::Combination(format!("the permutation {name} needs {problem}"))
        };
        let count = network.processor_count();
        if network.living_processors().count() < count {
            return Err(wrong("all processors, and some are lost to faults".to_owned()));
        }
        let bits = count.max(1).ilog2();
        let is_power = count == 1 << bits;
        let of_bits = |image: &dyn Fn(usize) -> usize| {
            if is_power {
                Ok((0..count).map(image).collect())
            } else {
                Err(wrong(format!("a power of two of processors, not {count}")))
            }
        };
        let images: Vec<usize> = match self {
            Self::Random => return Ok(None),
            Self::Transpose => {
                let side = count.isqrt();
                if side * side != count {
                    return Err(wrong(format!("a square number of processors, not {count}")));
                }
                (0..count).map(|at| at % side * side + at / side).collect()
            }
            Self::BitReversal => {
                of_bits(&|at| (0..bits).fold(0, |image, bit| image << 1 | (at >> bit & 1)))?
            }
            Self::BitComplement => of_bits(&|at| count - 1 - at)?,
            Self::Shuffle => of_bits(&|at| {
                if bits == 0 { 0 } else { (at << 1 | at >> (bits - 1)) & (count - 1) }
            })?,
            Self::Tornado => shifted(network, |side| side.div_ceil(2) - 1),
            Self::Neighbour => shifted(network, |_| 1),
        };
        let images = images.into_iter().map(|image| ProcessorId(image as u32));
        let images: Vec<ProcessorId> = images.collect();
        if images.iter().zip(0..).all(|(image, at)| image.0 == at) {
            return Err(wrong(
                "more processors: here every processor would send to itself".to_owned(),
            ));
        }
        Ok(Some(images))
    }
}

/// The images if every coordinate is shifted, around its dimension, by an amount that depends on the
/// length of the dimension. Without coordinates the processors are one ring.
fn shifted(network: &Network, by: impl Fn(usize) -> usize) -> Vec<usize> {
    let count = network.processor_count();
    let ring = || (0..count).map(|at| (at + by(count)) % count.max(1)).collect();
    let Ok(coordinates) = coordinates(network) else { return ring() };
    let dimensions = coordinates.first().map_or(0, Vec::len);
    let sides: Vec<usize> = (0..dimensions)
        .map(|dimension| {
            coordinates.iter().map(|place| place[dimension] as usize + 1).max().unwrap_or(1)
        })
        .collect();
    let image = |processor: usize| {
        let home = network.home(ProcessorId(processor as u32))?;
        let place = coordinates[home.index()].iter().zip(&sides);
        let target: Vec<u32> =
            place.map(|(&at, &side)| ((at as usize + by(side)) % side) as u32).collect();
        let router = network.routers().find(|router| coordinates[router.index()] == target)?;
        match network.residents(router) {
            [other] => Some(other.index()),
            _ => None,
        }
    };
    let images: Option<Vec<usize>> = (0..count).map(image).collect();
    images.unwrap_or_else(ring)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    #[test]
    fn named_permutations_are_those_of_the_literature() {
        let images = |permutation: &str, network: &str| {
            let network = topology::build(network).unwrap();
            let images = Permutation::find(permutation).unwrap().images(&network);
            images.map(|images| images.unwrap().iter().map(|it| it.0).collect::<Vec<u32>>())
        };
        for (permutation, network, expected) in [
            ("transpose", "mesh:3x3", vec![0, 3, 6, 1, 4, 7, 2, 5, 8]),
            ("bit-reversal", "hypercube:3", vec![0, 4, 2, 6, 1, 5, 3, 7]),
            ("bit-complement", "ring:4", vec![3, 2, 1, 0]),
            ("shuffle", "hypercube:3", vec![0, 2, 4, 6, 1, 3, 5, 7]),
            ("tornado", "ring:8", vec![3, 4, 5, 6, 7, 0, 1, 2]),
            ("tornado", "torus:4x2", vec![2, 3, 4, 5, 6, 7, 0, 1]),
            ("neighbour", "ring:3", vec![1, 2, 0]),
        ] {
            assert_eq!(images(permutation, network).unwrap(), expected, "{permutation} {network}");
        }
        for (permutation, network, problem) in [
            ("transpose", "ring:6", "a square number of processors, not 6"),
            ("shuffle", "ring:6", "a power of two of processors, not 6"),
            ("tornado", "path:2", "more processors"),
        ] {
            let error = images(permutation, network).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
