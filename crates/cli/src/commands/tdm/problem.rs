//! The problem of `pavane tdm`: a network, by name or from a file, and its traffic. A platform XML of
//! poseidon also has a depth and may have the communication.

use crate::args::tdm::TdmArgs;
use crate::output::Failure;
use pavane_interop::tdm::poseidon::{Communication, read_communication};
use pavane_interop::tdm::read_traffic;
use pavane_model::problem::DELIVERIES;
use pavane_model::tdm::{TdmDemand, TdmProblemError};
use pavane_model::{Network, TdmProblem, text_file};
use pavane_networks::import::{self, FileKind};
use pavane_networks::poseidon::read_platform;
use std::path::Path;

/// Reads the files and checks the problem.
pub fn load(args: &TdmArgs) -> Result<TdmProblem, Failure> {
    let given = &args.network.network;
    // A file is read once: it may be a pipe.
    let (network, platform) = match import::file_of(given) {
        None => (import::load(given)?, None),
        Some(path) => {
            let text = text_file::read(path).map_err(Failure::bad_input)?;
            let kind = FileKind::of(path, &text);
            let network = import::parse(&text, given, kind).map_err(Failure::bad_input)?;
            (network, Some(text))
        }
    };
    let network = args.network.with_faults(&network)?;
    let text = platform.unwrap_or_default();
    let (depth, mut communication) = match &args.traffic {
        None => specified(&text, given, &network).map_err(Failure::bad_input)?,
        Some(_) => (depth(&text, given).map_err(Failure::bad_input)?, None),
    };
    if let Some(path) = &args.traffic {
        let text = text_file::read(path).map_err(Failure::bad_input)?;
        let read = read_traffic(&text, &path.display().to_string(), &network);
        let wrong = |error| Failure::bad_input(format!("--traffic {error}"));
        communication = Some(read.map_err(wrong)?);
    }
    let (demand, phits) = match communication {
        None => (TdmDemand::AllToAll, None),
        Some(Communication { demand, phits }) => (demand, phits),
    };
    let rules = args.rules(depth, phits);
    TdmProblem::new(network, demand, rules, DELIVERIES).map_err(refused)
}

/// A problem that no schedule solves is impossible; others are wrong.
pub fn refused(error: TdmProblemError) -> Failure {
    let is_impossible = matches!(error, TdmProblemError::Unreachable { .. });
    let advice = match error {
        TdmProblemError::TooLarge { .. } => {
            "; use a smaller network, or --traffic with fewer words"
        }
        _ => "",
    };
    let failure = Failure::bad_input(format!("{error}{advice}"));
    if is_impossible { failure.into_impossible() } else { failure }
}

/// The depth and the communication of a text, if it is a platform XML.
pub fn specified(
    text: &str,
    file: &str,
    network: &Network,
) -> Result<(Option<u32>, Option<Communication>), String> {
    let Some(depth) = depth(text, file)? else { return Ok((None, None)) };
    let communication = read_communication(text, file, network);
    Ok((Some(depth), communication.map_err(|error| error.to_string())?))
}

/// The depth of a text, if it is a platform XML.
fn depth(text: &str, file: &str) -> Result<Option<u32>, String> {
    if FileKind::of(Path::new(file), text) != FileKind::Poseidon {
        return Ok(None);
    }
    let platform = read_platform(text, file).map_err(|error| error.to_string())?;
    Ok(platform.map(|platform| platform.depth))
}
