//! The network of the form as a network file, for the editor of the page.

use super::request::load_network;
use crate::report::studio::{FaultNumbers, NetworkPicture, NetworkSize};
use crate::words::printable;
use pavane_model::strict_json::{self, Object};
use pavane_model::{Fault, Network};
use pavane_networks::export_network::FORMATS;
use pavane_render::layout;
use pavane_render::picture::{self, Theme, svg};
use serde::Deserialize;
use serde_json::Value;

/// Largest number of routers and channels that the editor takes.
const MOST_ROUTERS: usize = 400;
const MOST_CHANNELS: usize = 4_000;

/// A network that the page wants to edit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkAsked {
    #[serde(default)]
    network: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    text_name: String,
    /// A fault as on the command line, for [`fault`].
    #[serde(default)]
    fault: String,
}

impl NetworkAsked {
    /// Parses a request.
    pub fn parse(body: &[u8]) -> serde_json::Result<Self> {
        strict_json::from_slice(body).map(|Object(asked)| asked)
    }
}

/// The size of a network, or why the studio does not open it.
pub fn size(asked: &NetworkAsked) -> Result<NetworkSize, String> {
    let network = load_network(&asked.network, &asked.text, &asked.text_name)?;
    Ok(NetworkSize { routers: network.router_count(), channels: network.channel_count() })
}

/// The fault that a text denotes, with router numbers: `r5`, `r0-r1` or `r0:r1`.
pub fn fault(asked: &NetworkAsked) -> Result<FaultNumbers, String> {
    let network = load_network(&asked.network, &asked.text, &asked.text_name)?;
    let numbers = |fault| match fault {
        Fault::Link(tail, head) => format!("r{tail}-r{head}"),
        Fault::Channel(tail, head) => format!("r{tail}:r{head}"),
        Fault::Router(router) => format!("r{router}"),
    };
    Ok(FaultNumbers { fault: Fault::parse(&network, asked.fault.trim()).ok().map(numbers) })
}

/// The picture of a network; `None` if there is no such network, which the search tells, or if it is so large that
/// drawing it takes longer than finding a first schedule.
pub fn picture(asked: &NetworkAsked) -> Result<Option<NetworkPicture>, String> {
    const MOST: usize = 1_000;
    let network = load_network(&asked.network, &asked.text, &asked.text_name).ok();
    let is_small =
        |network: &Network| network.router_count() <= MOST && network.channel_count() <= 16 * MOST;
    let drawn = network.filter(is_small).and_then(|network| {
        let scene = picture::network(&network).ok()?;
        let name = printable(network.name()).into_owned();
        Some(NetworkPicture { name, svg: svg::write(&scene, Theme::Auto) })
    });
    Ok(drawn)
}

/// The network as Pavane's own JSON, with the places of its routers in the picture.
pub fn file(asked: &NetworkAsked) -> Result<Value, String> {
    let network = load_network(&asked.network, &asked.text, &asked.text_name)?;
    let (routers, channels) = (network.router_count(), network.channel_count());
    if routers > MOST_ROUTERS || channels > MOST_CHANNELS {
        return Err(format!(
            "{} has {routers} routers and {channels} channels; the editor accepts at most \
             {MOST_ROUTERS} and {MOST_CHANNELS}, edit a network file instead",
            network.name()
        ));
    }
    if !network.faults().is_empty() {
        return Err(format!("{} has faults; give the network without them", network.name()));
    }
    let writer = FORMATS.iter().find(|(name, _)| *name == "json").map(|(_, write)| write);
    let write = writer.ok_or("networks cannot be written as JSON")?;
    let mut text = Vec::new();
    write(&network, &mut text).map_err(|error| error.to_string())?;
    let mut file: Value = strict_json::from_slice(&text).map_err(|error| error.to_string())?;
    let places = layout::places(&network).into_iter();
    file["positions"] = places.map(|(x, y)| serde_json::json!([x, y])).collect();
    Ok(file)
}
