//! Which word of a schedule is which item of an instance, and how a schedule is rotated to match another one.

use crate::instance::{Instance, Placement};
use pavane_model::tdm::Word;
use pavane_model::{ChannelId, ProcessorId};
use std::collections::BTreeMap;

/// The items of every pair of processors.
pub(super) type PairItems = BTreeMap<(ProcessorId, ProcessorId), Vec<u32>>;

pub(super) fn items_of_pairs(instance: &Instance) -> PairItems {
    let mut items = PairItems::new();
    for (number, item) in (0..).zip(&instance.items) {
        items.entry(instance.pairs[item.routes as usize]).or_default().push(number);
    }
    items
}

/// Assigns words to items of their pair that allow their starts, as far as there are some.
pub(super) fn matched<'a>(
    words: impl Iterator<Item = &'a Word>,
    instance: &Instance,
    items: &PairItems,
) -> Vec<(u32, &'a Word)> {
    let mut free = items.clone();
    let mut found = Vec::new();
    for word in words {
        let Some(numbers) = free.get_mut(&(word.from, word.to)) else { continue };
        let allows = |&number: &u32| {
            let item = instance.items[number as usize];
            let after = (word.start + instance.period - item.first) % instance.period;
            word.start < instance.period && after < item.count
        };
        if let Some(at) = numbers.iter().position(allows) {
            found.push((numbers.remove(at), word));
        }
    }
    found
}

/// The placements of all items; `None` if some words match none.
pub(super) fn placements_of(
    words: &[Word],
    instance: &Instance,
    items: &PairItems,
) -> Option<Vec<Placement>> {
    let mut matched = matched(words.iter(), instance, items);
    matched.sort_unstable_by_key(|(item, _)| *item);
    let place = |(_, word): &(u32, &Word)| Placement { start: word.start, path: word.path.clone() };
    (matched.len() == instance.items.len()).then(|| matched.iter().map(place).collect())
}

/// Starts all words later by the same number of slots, so that most of them are where old words were.
pub(super) fn rotated(mut words: Vec<Word>, old: &[&Word], instance: &Instance) -> Vec<Word> {
    if !instance.rules.wraps {
        return words;
    }
    let period = instance.period;
    type Way<'a> = (ProcessorId, ProcessorId, &'a [ChannelId]);
    let mut starts: BTreeMap<Way<'_>, Vec<u32>> = BTreeMap::new();
    for word in &words {
        starts.entry((word.from, word.to, &word.path)).or_default().push(word.start);
    }
    let mut matches = vec![0u32; period as usize];
    for word in old {
        let of_way = starts.get(&(word.from, word.to, &word.path[..]));
        for &start in of_way.into_iter().flatten() {
            matches[((word.start + period - start) % period) as usize] += 1;
        }
    }
    // Of several equal ones the first, so that a schedule that is not rotated stays.
    let most = matches.iter().max().copied().unwrap_or(0);
    let shift = matches.iter().position(|&count| count == most).unwrap_or(0) as u32;
    for word in &mut words {
        word.start = (word.start + shift) % period;
    }
    words.sort_by_key(|word| (word.from, word.to, word.start));
    words
}
