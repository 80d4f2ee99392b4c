//! The title of a picture or page: a collective and its network.

use pavane_model::{Network, collective};
use pavane_networks::name_check;

/// A title such as `all-to-all on mesh:4x4`. Collectives have today's names, also if the papers' name was
/// typed.
pub(crate) fn title(name: &str, network: &Network) -> String {
    let network = name_check::network_in_words(network);
    format!("{} on {network}", collective::todays_name(name))
}
