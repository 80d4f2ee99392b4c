//! The page of a TDM schedule, which plays one period, and its data: the words on every channel, slot by
//! slot, in the colour of their receivers.

use super::data::{MOST_IN_ALL, MOST_MARKS, MOST_TRANSFERS, PlayedTransfer, PlayerData, drawing};
use super::page::{picture_page, player_page};
use crate::picture::Map;
use crate::picture::labels::faults;
use crate::picture::tdm::{status, title, usage};
use crate::picture::{DrawError, Theme, check_size, svg, tdm};
use pavane_model::words::counted;
use pavane_model::{ProcessorId, TdmSchedule};
use pavane_verify::CheckedTdm;
use serde_json::Value;
use std::collections::BTreeMap;

/// The page of a TDM schedule. It plays one period, or shows the slot table if there are too many words.
/// `reason` explains the bound.
pub fn tdm_page(checked: &CheckedTdm, reason: &str) -> Result<String, DrawError> {
    let schedule = checked.schedule();
    check_size(schedule.problem.network())?;
    if is_tdm_playable(schedule) {
        return Ok(player_page(&title(schedule), &tdm_data(checked, reason)));
    }
    let picture = svg::write(&tdm(checked, reason)?, Theme::Auto);
    Ok(picture_page(&title(schedule), &picture))
}

/// Whether a schedule can be animated in a browser.
pub fn is_tdm_playable(schedule: &TdmSchedule) -> bool {
    let (period, phits) = (schedule.period as usize, schedule.problem.rules().phits as usize);
    let places: usize = schedule.words.iter().map(|word| word.path.len() + 2).sum();
    let marks = period.saturating_mul(schedule.problem.network().processor_count());
    // At most one word per channel and slot.
    let at_once = schedule.problem.network().channel_count();
    places.saturating_mul(phits) <= MOST_IN_ALL && marks <= MOST_MARKS && at_once <= MOST_TRANSFERS
}

/// The data of the player as JSON. `reason` explains the bound.
pub fn tdm_data(checked: &CheckedTdm, reason: &str) -> Value {
    let schedule = checked.schedule();
    let network = schedule.problem.network();
    let map = Map::new(network);
    let slots = slots(schedule);
    let channels = network.channel_count().max(1) as f64;
    let share = |transfers: &Vec<PlayedTransfer<'_>>| {
        let uses: usize = transfers.iter().map(|transfer| transfer.4.len()).sum();
        (1000.0 * uses as f64 / channels).round() / 1000.0
    };
    let data = PlayerData {
        drawing: drawing(network, &map),
        title: title(schedule),
        words: Some(("slot", "receiver")),
        facts: facts(checked, reason),
        legend: ("sends a word", "receives a word"),
        phases: Vec::new(),
        overlap: None,
        both: Some("sends one word and receives another"),
        senders: network.living_processors().collect(),
        usage: slots.iter().map(share).collect(),
        steps: slots,
        marks: marks(schedule),
        motion: None,
    };
    data.json()
}

/// The words on channels in every slot. A word of several phits may be on several channels.
fn slots(schedule: &TdmSchedule) -> Vec<Vec<PlayedTransfer<'static>>> {
    let mut slots: Vec<Vec<PlayedTransfer<'static>>> = Vec::new();
    slots.resize_with(schedule.period as usize, Vec::new);
    let name = |end| schedule.problem.network().processor_name(end);
    for word in &schedule.words {
        let mut places: BTreeMap<u32, Vec<_>> = BTreeMap::new();
        for (hop, &channel) in word.path.iter().enumerate() {
            for slot in schedule.slots(word, hop + 1) {
                places.entry(slot).or_default().push(channel);
            }
        }
        for (slot, path) in places {
            let label = format!("{}→{}", name(word.from), name(word.to));
            let transfer = PlayedTransfer(label, word.from, word.to, word.to, path.into());
            slots[slot as usize].push(transfer);
        }
    }
    slots
}

/// The mark of every processor in every slot.
fn marks(schedule: &TdmSchedule) -> Vec<String> {
    let processors = schedule.problem.network().processor_count();
    let mut marks = vec![vec!['.'; processors]; schedule.period as usize];
    let mut mark = |slot: u32, processor: ProcessorId, letter| {
        let place = &mut marks[slot as usize][processor.index()];
        *place = if *place == '.' || *place == letter { letter } else { 'b' };
    };
    for word in &schedule.words {
        schedule.slots(word, 0).for_each(|slot| mark(slot, word.from, 'y'));
    }
    for word in &schedule.words {
        schedule.slots(word, word.path.len() + 1).for_each(|slot| mark(slot, word.to, 'g'));
    }
    marks.into_iter().map(|letters| letters.into_iter().collect()).collect()
}

fn facts(checked: &CheckedTdm, reason: &str) -> Vec<(&'static str, String)> {
    let schedule = checked.schedule();
    let rules = schedule.problem.rules();
    let mut period = counted(schedule.period, "slot");
    let mut facts = Vec::new();
    if let (Some(proved), Some(bound)) = (checked.proved(), &schedule.bound) {
        period += &format!(", {}", status(checked));
        facts.push(("bound", format!("{proved} ({})", bound.certificate.reason())));
    }
    facts.insert(0, ("period", period));
    facts.push(("words", schedule.words.len().to_string()));
    facts.push(("channels in use", format!("{:.0} %", 100.0 * usage(schedule))));
    let wrap = if rules.wraps { "words wrap" } else { "no wrap" };
    let (hop, phits) = (counted(rules.depth, "slot"), counted(rules.phits, "phit"));
    let routing = rules.routing;
    facts.push(("rules", format!("{hop} per hop, {phits} per word, {wrap}, {routing} routing")));
    let network = schedule.problem.network();
    if !network.faults().is_empty() {
        facts.push(("broken", faults(network)));
    }
    if !reason.is_empty() {
        facts.push(("because", reason.to_owned()));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::tdm::{TdmDemand, TdmRules, Word};
    use pavane_model::{ChannelId, TdmProblem};

    #[test]
    fn a_processor_that_sends_and_receives_has_a_mark_of_its_own() {
        let network = pavane_networks::topology::build("path:2").unwrap();
        let between = |from: u32| {
            let channel = (0..2).map(ChannelId).find(|&it| network.channel(it).tail.0 == from);
            let (from, to) = (ProcessorId(from), ProcessorId(1 - from));
            Word { from, to, start: 0, path: vec![channel.unwrap()] }
        };
        let words = vec![between(0), between(1)];
        let rules = TdmRules::default();
        let problem = TdmProblem::new(network, TdmDemand::AllToAll, rules, 10).unwrap();
        let of_period = |period| {
            marks(&TdmSchedule {
                problem: problem.clone(),
                period,
                words: words.clone(),
                bound: None,
            })
        };
        // Both words are sent in slot 0 and received two slots later.
        assert_eq!(of_period(3), ["yy", "..", "gg"]);
        assert_eq!(of_period(2), ["bb", ".."]);
    }
}
