//! The title of a picture or page: a collective and its network.

use pavane_model::{Network, collective, words};
use pavane_networks::name_check;

/// A title such as `all-to-all on mesh:4x4`. Collectives have today's names, also if the papers' name was
/// typed.
pub(crate) fn title(name: &str, network: &Network) -> String {
    let network = name_check::network_in_words(network);
    format!("{} on {network}", collective::todays_name(name))
}

/// The name of an all-reduce of `steps` steps whose phases overlap, in a picture that shows one after the
/// other.
pub fn drawn_in_order(name: &str, steps: u32) -> String {
    format!("{name} of {} whose phases overlap, drawn one after the other", words::steps(steps))
}
