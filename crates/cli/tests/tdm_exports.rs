//! Exports of TDM schedules, read back by independent simple readers and compared with the file.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::{exported, pavane};
use pavane_model::tdm::{TdmSchedule, read_file};
use pavane_model::{ChannelId, ProcessorId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Finds a TDM schedule and returns its file.
pub fn slot_table(folder: &Path, problem: &str) -> PathBuf {
    let name: String =
        problem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let path = folder.join(name + ".json");
    let mut arguments = vec!["tdm"];
    arguments.extend(problem.split_whitespace());
    arguments.extend(["--quiet", "--threads", "1", "--evaluations", "300000"]);
    arguments.extend(["-o", path.to_str().unwrap()]);
    pavane(&arguments);
    path
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// The distinct words: sender, receiver, start, channels.
fn words(schedule: &TdmSchedule) -> BTreeSet<(u32, u32, u32, Vec<ChannelId>)> {
    let words = schedule.words.iter();
    words.map(|word| (word.from.0, word.to.0, word.start, word.path.clone())).collect()
}

#[test]
fn csv_has_every_word() {
    let folder = tempfile::tempdir().unwrap();
    for problem in ["torus:3x3", "octagon:8@2 --depth 2", "mesh:3x3 --fault 1,1"] {
        let file = slot_table(folder.path(), problem);
        let schedule = read_file(&file, 1 << 20).unwrap();
        let depth = schedule.problem.rules().depth;
        let mut found = BTreeSet::new();
        let csv = text(&exported(&file, "csv"));
        assert_eq!(csv.lines().next(), Some("from,to,word,start,end,routers,channels"));
        for line in csv.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let [from, to, _, start, end] =
                [0, 1, 2, 3, 4].map(|at| cells[at].parse::<u32>().unwrap());
            let numbers =
                |text: &str| text.split_whitespace().map(|n| n.parse().unwrap()).collect();
            let (routers, channels): (Vec<u32>, Vec<u32>) = (numbers(cells[5]), numbers(cells[6]));
            assert_eq!(end, start + depth * (channels.len() as u32 + 1), "{line}");
            let network = schedule.problem.network();
            assert_eq!(network.home(ProcessorId(to)).unwrap().0, *routers.last().unwrap());
            for (pair, &channel) in routers.windows(2).zip(&channels) {
                let ends = network.channel(ChannelId(channel));
                assert_eq!([ends.tail.0, ends.head.0], pair, "{line}");
            }
            found.insert((from, to, start, channels.into_iter().map(ChannelId).collect()));
        }
        assert_eq!(found, words(&schedule), "{problem}");
    }
}

/// The value of an attribute in a line of XML.
fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

fn tile(text: &str) -> (u32, u32) {
    let (x, y) = text.trim_matches(['(', ')']).split_once(',').unwrap();
    (x.parse().unwrap(), y.parse().unwrap())
}

/// A slot of a tile in poseidon's file.
#[derive(Default)]
struct TileSlot {
    rx: (u32, u32),
    tx: (u32, u32),
    route: Option<String>,
    word: Option<(u32, u32)>,
    /// By input: the output.
    outputs: BTreeMap<char, char>,
}

/// Follows every packet through the tables of the routers.
#[test]
fn packets_follow_the_tables_of_poseidon() {
    let folder = tempfile::tempdir().unwrap();
    for problem in ["torus:3x4", "mesh:3x3 --depth 2 --phits 2", "unidirectional-torus:3x3"] {
        let file = slot_table(folder.path(), problem);
        let schedule = read_file(&file, 1 << 20).unwrap();
        let xml = text(&exported(&file, "poseidon"));
        let head = xml.lines().find(|line| line.contains("<schedule")).unwrap();
        let number = |name: &str| attribute(head, name).unwrap().parse::<u32>().unwrap();
        let (width, height, period) = (number("width"), number("height"), number("length"));
        assert_eq!(period, schedule.period);
        let mut slots: BTreeMap<((u32, u32), u32), TileSlot> = BTreeMap::new();
        let (mut place, mut slot) = ((0, 0), 0);
        for line in xml.lines() {
            if line.contains("<tile ") {
                place = tile(attribute(line, "id").unwrap());
            } else if let Some(value) = attribute(line, "value") {
                slot = value.parse().unwrap();
            } else if line.contains("<na ") {
                let one = slots.entry((place, slot)).or_default();
                one.rx = tile(attribute(line, "rx").unwrap());
                one.tx = tile(attribute(line, "tx").unwrap());
                one.route = attribute(line, "route").map(str::to_owned);
                let id = |name: &str| attribute(line, name)?.parse::<u32>().ok();
                one.word = id("chan-id").zip(id("pkt-id"));
            } else if line.contains("<output ") {
                let letter = |name: &str| attribute(line, name).unwrap().chars().next().unwrap();
                let outputs = &mut slots.get_mut(&(place, slot)).unwrap().outputs;
                if letter("input") != 'D' {
                    assert_eq!(outputs.insert(letter("input"), letter("id")), None, "{line}");
                }
            }
        }
        assert_eq!(slots.len() as u32, width * height * period);
        let rules = schedule.problem.rules();
        let mut packets = BTreeMap::new();
        for (&(from, start), one) in slots.iter().filter(|(_, one)| one.route.is_some()) {
            let (mut at, mut time, mut input, mut route) = (from, start, 'L', String::new());
            loop {
                let output = slots[&(at, time)].outputs[&input];
                route.push(output);
                time = (time + rules.depth) % period;
                let (x, y) = at;
                (at, input) = match output {
                    'N' => ((x, (y + height - 1) % height), 'S'),
                    'S' => ((x, (y + 1) % height), 'N'),
                    'E' => (((x + 1) % width, y), 'W'),
                    'W' => (((x + width - 1) % width, y), 'E'),
                    _ => break,
                };
            }
            assert_eq!(
                (at, Some(route)),
                (one.tx, one.route.clone()),
                "{problem}: {from:?} {start}"
            );
            assert_eq!(slots[&(at, time)].rx, from, "{problem}: {from:?} {start}");
            *packets.entry((from, at, one.word.unwrap())).or_insert(0) += 1;
        }
        assert_eq!(packets.len(), schedule.words.len(), "{problem}");
        assert!(packets.values().all(|&slots| slots == rules.phits), "{problem}");
    }
}

/// Reads a table as S4NoC does: every letter sets a crossbar, and the carriage return ends the way.
#[test]
fn the_table_of_s4noc_is_free_of_conflicts() {
    let folder = tempfile::tempdir().unwrap();
    for side in [3, 4, 5, 6] {
        let file = slot_table(folder.path(), &format!("torus:{side}x{side} --no-wrap"));
        let schedule = read_file(&file, 1 << 20).unwrap();
        let shd = text(&exported(&file, "shd"));
        let mut used = BTreeSet::new();
        let mut reached = BTreeSet::new();
        for line in shd.split_terminator('\n') {
            let start = line.len() - line.trim_start_matches(' ').len();
            let (mut x, mut y) = (0, 0);
            for (at, letter) in line.chars().enumerate().skip(start) {
                assert!(used.insert((at, letter)), "{side}: two words leave at {letter} in {at}");
                match letter {
                    'n' => y += side - 1,
                    's' => y += 1,
                    'e' => x += 1,
                    'w' => x += side - 1,
                    other => assert_eq!(other, '\r'),
                }
            }
            assert!(line.ends_with('\r') && reached.insert((x % side, y % side)), "{side}: {line}");
        }
        assert_eq!(reached.len() as i32, side * side - 1);
        let columns = used.iter().map(|&(at, _)| at as u32 + 1).max().unwrap();
        assert!(columns < schedule.period, "{side}: {columns} columns, {} slots", schedule.period);
    }
}
