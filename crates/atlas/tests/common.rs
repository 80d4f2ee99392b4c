//! Copies of a few entries, and networks with other labels.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_atlas::Atlas;
use pavane_model::{ChannelId, Network, NetworkBuilder};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The atlas of this repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../atlas")
}

/// A folder with one index file, whose entries are the given ones of the repository.
pub fn copy(ids: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let atlas = Atlas::open(&repository()).unwrap();
    let mut index = String::new();
    for id in ids {
        let entry = atlas.find(id).unwrap();
        let file = folder.path().join(&entry.file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::copy(atlas.path(entry).unwrap(), file).unwrap();
        let family = repository().join(format!("{}.toml", entry.family));
        let text = std::fs::read_to_string(family).unwrap();
        let start = text.find(&format!("[[entry]]\nid = \"{id}\"\n")).unwrap();
        let rest = &text[start + 1..];
        let end = rest.find("[[entry]]").unwrap_or(rest.len());
        index += &format!("[{}", &rest[..end]);
    }
    std::fs::write(folder.path().join("copies.toml"), index).unwrap();
    folder
}

/// The index file of a copy.
pub fn index(folder: &TempDir) -> PathBuf {
    folder.path().join("copies.toml")
}

/// Replaces a text in the index, which must be there.
pub fn replace(folder: &TempDir, old: &str, new: &str) {
    let text = std::fs::read_to_string(index(folder)).unwrap();
    assert!(text.contains(old), "{old} is not in {text}");
    std::fs::write(index(folder), text.replacen(old, new, 1)).unwrap();
}

/// The same network with routers, processors and channels in another order.
pub fn shuffled(network: &Network, seed: u64) -> Network {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut image: Vec<u32> = (0..network.router_count() as u32).collect();
    image.shuffle(&mut random);
    let mut channels: Vec<u32> = (0..network.channel_count() as u32).collect();
    channels.shuffle(&mut random);
    let mut builder = NetworkBuilder::new("shuffled", network.router_count() as u32);
    for channel in channels.into_iter().map(ChannelId) {
        let ends = network.channel(channel);
        let (tail, head) = (image[ends.tail.index()], image[ends.head.index()]);
        match network.opposite(channel) {
            None => builder.channel(tail, head),
            Some(opposite) if channel < opposite => builder.link(tail, head),
            Some(_) => continue,
        };
        builder.timing(network.timing(channel));
    }
    let homes = network.living_processors().map(|p| network.home(p));
    let mut homes: Vec<Option<u32>> = homes.map(|home| home.map(|r| image[r.index()])).collect();
    homes.shuffle(&mut random);
    for home in homes {
        builder.processor(home);
    }
    builder.multicast(network.multicast().iter().map(|r| image[r.index()]).collect());
    builder.build().unwrap()
}
