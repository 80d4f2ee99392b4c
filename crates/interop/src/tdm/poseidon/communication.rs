//! Reads poseidon's communication XML: who sends how many packets per period to whom, and the phits of
//! a packet.

use crate::tdm::grid::{Grid, only_resident};
use pavane_model::tdm::{TdmDemand, TdmMessage};
use pavane_model::words::{counted, excerpt};
use pavane_model::{Network, ProcessorId};
use pavane_networks::import::ImportError;
use pavane_networks::poseidon::{SpecificationElement, specification};
use std::collections::BTreeMap;

/// The communication of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Communication {
    /// The words per period.
    pub demand: TdmDemand,
    /// The phits of a word, if the file gives them.
    pub phits: Option<u32>,
}

/// Why a file has no usable communication.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CommunicationError {
    /// The file is not a specification of poseidon.
    #[error(transparent)]
    File(#[from] ImportError),
    /// The text as a whole, or a line of CSV, is wrong.
    #[error("{file}: {problem}")]
    Text {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
    /// An element has no meaning here.
    #[error("{file}: line {line}: {problem}")]
    Element {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// Reads the communication in a text; `None` if it has none. Channels name tiles of the network.
/// Errors refer to `file`.
pub fn read_communication(
    text: &str,
    file: &str,
    network: &Network,
) -> Result<Option<Communication>, CommunicationError> {
    let elements = specification(text, file)?;
    let is_one = |element: &&SpecificationElement| {
        ["communication", "channels"].contains(&element.name.as_str())
    };
    let Some(element) = elements.iter().find(is_one) else { return Ok(None) };
    let communication = of(element, network).map_err(|(line, problem)| {
        CommunicationError::Element { file: file.to_owned(), line, problem }
    })?;
    Ok(Some(communication))
}

/// An error with its line.
type At<T> = Result<T, (usize, String)>;

fn of(element: &SpecificationElement, network: &Network) -> At<Communication> {
    let at = |problem: String| (element.line, problem);
    let phits = element.number("phits").map_err(at)?;
    let bandwidth = element.number("bandwidth").map_err(at)?.unwrap_or(1);
    if let Some(master) = element.attribute("reconfig").filter(|&text| text != "(-1,-1)") {
        return Err(at(format!(
            "reconfig is {:?}, but packets of another length for reconfiguration are not supported; \
             leave the attribute out",
            excerpt(master)
        )));
    }
    let kind = element.attribute("type").or(element.attribute("comType"));
    let demand = match kind {
        Some("all2all") if bandwidth == 1 => TdmDemand::AllToAll,
        Some("all2all") => TdmDemand::Messages(all_to_all(network, bandwidth)),
        Some("custom" | "arbitrary") | None => {
            let (messages, own) = channels(element, network, phits.unwrap_or(1), bandwidth)?;
            let phits = phits.or((own != 1).then_some(own)).map(|_| own);
            return Ok(Communication { demand: TdmDemand::Messages(messages), phits });
        }
        Some(other) => {
            let other = excerpt(other);
            return Err(at(format!("the type is {other:?}; known are custom and all2all")));
        }
    };
    Ok(Communication { demand, phits })
}

fn all_to_all(network: &Network, weight: u32) -> Vec<TdmMessage> {
    let all: Vec<ProcessorId> = network.living_processors().collect();
    let pairs = all.iter().flat_map(|&from| all.iter().map(move |&to| (from, to)));
    let message = |(from, to)| TdmMessage { from, to, weight, max_latency: None };
    pairs.filter(|(from, to)| from != to).map(message).collect()
}

/// The messages of a custom communication and the phits of their packets, which are the same for all. The
/// packets of several channels of a pair are added up. `phits` and `bandwidth` are the defaults.
fn channels(
    element: &SpecificationElement,
    network: &Network,
    phits: u32,
    bandwidth: u32,
) -> At<(Vec<TdmMessage>, u32)> {
    let Some(grid) = Grid::of(network) else {
        let name = network.name();
        return Err((
            element.line,
            format!(
                "tiles are named by column and row, but {name} is not a grid of two dimensions; use \
                 mesh:AxB, torus:AxB or a platform file"
            ),
        ));
    };
    let mut common: Option<u32> = None;
    let mut weights: BTreeMap<(ProcessorId, ProcessorId), u32> = BTreeMap::new();
    for channel in element.children.iter().filter(|child| child.name == "channel") {
        let at = |problem: String| (channel.line, problem);
        let end = |name: &str| {
            let place = channel.tile(name).map_err(at)?;
            let router = grid.router(place);
            router.and_then(|router| only_resident(network, router)).ok_or_else(|| {
                let (x, y) = place;
                at(format!("{} has no tile with one processor at ({x},{y})", network.name()))
            })
        };
        let (from, to) = (end("from")?, end("to")?);
        if from == to {
            return Err(at("the channel leads from a tile to itself; leave it out".to_owned()));
        }
        let own = channel.number("phits").map_err(at)?.unwrap_or(phits);
        let phits = *common.get_or_insert(own);
        if own != phits {
            return Err(at(format!(
                "a packet of this channel has {}, but those of channels before it have {phits}; all \
                 packets must have the same length",
                counted(own, "phit")
            )));
        }
        let weight = channel.number("bandwidth").map_err(at)?.unwrap_or(bandwidth);
        if weight == 0 {
            return Err(at("the bandwidth of the channel is 0; leave it out".to_owned()));
        }
        let sum = weights.entry((from, to)).or_default();
        *sum = sum
            .checked_add(weight)
            .ok_or_else(|| at("the bandwidths of this pair add up to more than 2^32".to_owned()))?;
    }
    let message = |((from, to), weight)| TdmMessage { from, to, weight, max_latency: None };
    let messages: Vec<TdmMessage> = weights.into_iter().map(message).collect();
    if messages.is_empty() {
        return Err((element.line, "there is no <channel>".to_owned()));
    }
    Ok((messages, common.unwrap_or(phits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(channels: &str) -> Result<Communication, CommunicationError> {
        let network = pavane_networks::topology::build("mesh:2x2").unwrap();
        let text = format!("<communication type=\"custom\">{channels}</communication>");
        read_communication(&text, "some.xml", &network).map(Option::unwrap)
    }

    #[test]
    fn a_channel_needs_a_packet_and_two_tiles() {
        for (to, bandwidth, part) in [
            ("(1,0)", "0", "line 1: the bandwidth of the channel is 0"),
            ("(0,0)", "1", "to itself"),
        ] {
            let error =
                read(&format!("<channel from=\"(0,0)\" to=\"{to}\" bandwidth=\"{bandwidth}\"/>"));
            let error = error.unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn packets_have_the_length_that_all_channels_give() {
        let of = |phits: &str| {
            read(&format!(
                "<channel from=\"(0,0)\" to=\"(1,0)\" phits=\"2\"/><channel from=\"(1,0)\" to=\"(0,1)\"{phits}/>"
            ))
        };
        assert_eq!(of(" phits=\"2\"").unwrap().phits, Some(2));
        let error = of("").unwrap_err().to_string();
        assert!(
            error.contains(
                "a packet of this channel has 1 phit, but those of channels before it have 2"
            ),
            "{error}"
        );
    }
}
