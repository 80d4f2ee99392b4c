//! Writes poseidon's schedule XML: for every tile and slot, the tiles that its network interface sends
//! to and receives from, the route, and the input that each output of the router is connected to. A row
//! of the router has the slot in which a phit is on the input.

use crate::export::{ExportError, File, one_file};
use crate::tdm::grid::{Grid, Side, only_resident};
use crate::tdm::unsuitable;
use crate::tdm::uses::{Connection, RouterPort, connections};
use pavane_model::tdm::{TdmMessage, TdmSchedule, Word};
use pavane_model::{Network, RouterId};
use pavane_verify::CheckedTdm;
use std::fmt::Write;

const NAME: &str = "poseidon";

/// Maximum number of tiles times slots: about 300 MB.
const MOST_ROWS: u64 = 1 << 20;

/// The outputs of a router in the order of the file; the last one is the local one.
const OUTPUTS: [char; 5] = ['N', 'S', 'E', 'W', 'L'];

/// What happens in a tile in a slot.
#[derive(Clone, Default)]
struct Row {
    /// The number of the word that is injected.
    sent: Option<u32>,
    /// The tile of the sender of the word that is ejected.
    received: Option<RouterId>,
    /// The input of every output.
    inputs: [Option<char>; 5],
}

/// A schedule as the rows of its tiles.
struct Rows<'a> {
    schedule: &'a TdmSchedule,
    grid: Grid,
    sides: Vec<Side>,
    rows: Vec<Row>,
    /// By word: the index of its message, and its number among the words of the message.
    numbers: Vec<(u32, u32)>,
    /// By message: its words, by start.
    words: Vec<Vec<u32>>,
}

pub(crate) fn write(checked: &CheckedTdm) -> Result<Vec<File>, ExportError> {
    let schedule = checked.schedule();
    let network = schedule.problem.network();
    let grid = Grid::of(network);
    let is_plain = network.routers().all(|router| network.residents(router).len() <= 1);
    let sides = grid.and_then(|grid| grid.sides(network)).filter(|_| is_plain);
    let (Some(grid), Some(sides)) = (grid, sides) else {
        let name = network.name();
        return Err(unsuitable(
            NAME,
            format!("{name} is not a grid of two dimensions with one processor per router"),
            "use mesh:AxB, torus:AxB, unidirectional-torus:AxB or a platform of poseidon",
        ));
    };
    let count = network.router_count() as u64 * u64::from(schedule.period);
    if count > MOST_ROWS {
        return Err(ExportError::TooLarge {
            format: NAME,
            problem: format!("{count} slots of all tiles exceed the maximum of {MOST_ROWS}"),
            remedy: "export a smaller schedule",
        });
    }
    let rows = vec![Row::default(); count as usize];
    let words = words_of_messages(schedule);
    let mut numbers = vec![(0, 0); schedule.words.len()];
    for (message, own) in (0..).zip(&words) {
        for (number, &word) in (0..).zip(own) {
            numbers[word as usize] = (message, number);
        }
    }
    let mut rows = Rows { schedule, grid, sides, rows, numbers, words };
    rows.fill();
    Ok(one_file(rows.text(network)))
}

/// The words of every message, by start.
fn words_of_messages(schedule: &TdmSchedule) -> Vec<Vec<u32>> {
    let messages = schedule.problem.messages();
    let mut words = vec![Vec::new(); messages.len()];
    for (number, word) in (0..).zip(&schedule.words) {
        let key = (word.from, word.to);
        if let Ok(at) = messages.binary_search_by_key(&key, |one| (one.from, one.to)) {
            words[at].push(number);
        }
    }
    for own in &mut words {
        own.sort_by_key(|&word| schedule.words[word as usize].start);
    }
    words
}

impl Rows<'_> {
    fn row(&mut self, router: RouterId, slot: u32) -> &mut Row {
        &mut self.rows[router.index() * self.schedule.period as usize + slot as usize]
    }

    fn fill(&mut self) {
        let schedule = self.schedule;
        let network = schedule.problem.network();
        for (number, word) in (0..).zip(&schedule.words) {
            let (Some(from), Some(to)) = (network.home(word.from), network.home(word.to)) else {
                continue;
            };
            for slot in schedule.slots(word, 0) {
                self.row(from, slot).sent = Some(number);
            }
            for slot in schedule.slots(word, word.path.len() + 1) {
                self.row(to, slot).received = Some(from);
            }
            for Connection { router, slot, input, output } in connections(schedule, word) {
                let letter = match input {
                    RouterPort::Local(_) => 'L',
                    RouterPort::Channel(channel) => self.sides[channel.index()].opposite().letter(),
                };
                let output = match output {
                    RouterPort::Local(_) => 'L',
                    RouterPort::Channel(channel) => self.sides[channel.index()].letter(),
                };
                let at = OUTPUTS.iter().position(|&one| one == output).unwrap_or_default();
                self.row(router, slot).inputs[at] = Some(letter);
            }
        }
    }

    /// The file. Writing to a string cannot fail.
    fn text(&self, network: &Network) -> String {
        let (period, Grid { width, height }) = (self.schedule.period, self.grid);
        let mut text = format!(
            "<?xml version=\"1.0\"?>\n<schedule length=\"{period}\" width=\"{width}\" \
             height=\"{height}\">\n"
        );
        let tiles = self.rows.chunks(period as usize).zip(network.routers());
        for (rows, router) in tiles.filter(|(_, router)| !network.is_lost(*router)) {
            let tile = self.grid.name(router);
            let _ = writeln!(text, "\t<tile id=\"{tile}\">");
            for (slot, row) in rows.iter().enumerate() {
                self.slot(&mut text, slot, row, &tile);
            }
            text += "\t\t<latency>\n";
            let sender = only_resident(network, router);
            let messages = self.schedule.problem.messages();
            for (number, message) in messages.iter().enumerate() {
                if Some(message.from) == sender {
                    self.guarantee(&mut text, number as u32, message);
                }
            }
            text += "\t\t</latency>\n\t</tile>\n";
        }
        text + "</schedule>\n"
    }

    fn slot(&self, text: &mut String, slot: usize, row: &Row, tile: &str) {
        let name = |router: RouterId| self.grid.name(router);
        let network = self.schedule.problem.network();
        let received = row.received.map_or(tile.to_owned(), name);
        let _ = write!(text, "\t\t<timeslot value=\"{slot}\">\n\t\t\t<na rx=\"{received}\"");
        match row.sent {
            None => {
                let _ = writeln!(text, " tx=\"{tile}\" />");
            }
            Some(sent) => {
                let word = &self.schedule.words[sent as usize];
                let to = network.home(word.to).map(name).unwrap_or_default();
                let route = word.path.iter().map(|channel| self.sides[channel.index()].letter());
                let route: String = route.collect();
                let (message, number) = self.numbers[sent as usize];
                let _ = writeln!(
                    text,
                    " tx=\"{to}\" route=\"{route}L\" chan-id=\"{message}\" config-ch=\"false\" \
                     pkt-id=\"{number}\" />"
                );
            }
        }
        text.push_str("\t\t\t<router>\n");
        for (output, input) in OUTPUTS.iter().zip(row.inputs) {
            let input = input.unwrap_or('D');
            let _ = writeln!(text, "\t\t\t\t<output id=\"{output}\" input=\"{input}\" />");
        }
        text.push_str("\t\t\t</router>\n\t\t</timeslot>\n");
    }

    /// The longest wait and the way of a message, as poseidon counts them.
    fn guarantee(&self, text: &mut String, number: u32, message: &TdmMessage) {
        let rules = self.schedule.problem.rules();
        let own = self.words[number as usize].iter();
        let own: Vec<&Word> = own.map(|&word| &self.schedule.words[word as usize]).collect();
        let starts: Vec<u32> = own.iter().map(|word| word.start).collect();
        let Some((&first, &last)) = starts.first().zip(starts.last()) else { return };
        let around = first + self.schedule.period - last;
        let gap = starts.windows(2).map(|pair| pair[1] - pair[0]).fold(around, u32::max);
        let hops = own.iter().map(|word| word.path.len()).max().unwrap_or_default() as u64;
        let (wait, way) = (gap, u64::from(rules.depth) * (hops + 1));
        let home = self.schedule.problem.network().home(message.to);
        let to = home.map(|router| self.grid.name(router)).unwrap_or_default();
        let rate =
            f64::from(message.weight) * f64::from(rules.phits) / f64::from(self.schedule.period);
        let _ = writeln!(
            text,
            "\t\t\t<destination id=\"{to}\" slotwaittime=\"{wait}\" channellatency=\"{way}\" \
             chan-id=\"{number}\" chan-bw=\"{}\" config-ch=\"false\" pkt-len=\"{}\" rate=\"{rate}\" />",
            message.weight, rules.phits
        );
    }
}
