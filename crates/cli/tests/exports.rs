//! Exports, read back by independent simple readers and compared with the schedule file.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::{exported, pavane, solved};
use pavane_model::format::{Phase, read_file};
use pavane_model::{ChannelId, Network, ProcessorId, strict_json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const PROBLEMS: &[&str] = &[
    "torus:4x4 all-to-all",
    "kautz:2,2 all-gather",
    "ring:6 all-reduce --switching sf",
    "octagon:8@2 gather --ports 1",
    "fat-tree:4 reduce-scatter",
    "mesh:3x3 scatter --fault 1,1 --routing any --duplex half",
];

/// A transfer of a schedule file.
#[derive(Debug, Clone, PartialEq)]
struct Transfer {
    phase: usize,
    step: u32,
    label: String,
    from: u32,
    to: u32,
    path: Vec<ChannelId>,
}

fn transfers(schedule: &Path) -> (Network, Vec<Transfer>) {
    let phases = read_file(schedule, 1 << 20).unwrap();
    let network = phases[0].problem.network().clone();
    let mut list = Vec::new();
    let mut start = 0;
    for (phase, Phase { problem, schedule, .. }) in phases.iter().enumerate() {
        for step in 0..schedule.step_count() {
            list.extend(schedule.step(step).map(|transfer| Transfer {
                phase,
                step: start + step,
                label: problem.label(transfer.message).to_string(),
                from: transfer.from.0,
                to: transfer.to.0,
                path: transfer.path.to_vec(),
            }));
        }
        start += schedule.step_count();
    }
    (network, list)
}

/// The processor of every rank.
fn living(network: &Network) -> Vec<u32> {
    network.living_processors().map(|p| p.0).collect()
}

#[test]
fn csv_has_every_use_of_a_channel() {
    let folder = tempfile::tempdir().unwrap();
    for problem in PROBLEMS {
        let schedule = solved(folder.path(), problem);
        let (network, wanted) = transfers(&schedule);
        let text = std::fs::read_to_string(exported(&schedule, "csv")).unwrap();
        let mut found: Vec<Transfer> = Vec::new();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |at: usize| fields[at].parse::<u32>().unwrap();
            if number(4) == 0 {
                let label = format!("[{}]", fields[1].replace('>', ", "));
                let (from, to, path) = (number(2), number(3), Vec::new());
                // The file does not distinguish phases.
                let phase = wanted[found.len()].phase;
                found.push(Transfer { phase, step: number(0), label, from, to, path });
            }
            if !fields[5].is_empty() {
                let channel = ChannelId(number(5));
                let ends = network.channel(channel);
                assert_eq!((ends.tail.0, ends.head.0), (number(6), number(7)), "{line}");
                found.last_mut().unwrap().path.push(channel);
            }
        }
        assert_eq!(found, wanted, "{problem}");
    }
}

#[test]
fn tables_have_a_row_for_every_step() {
    let folder = tempfile::tempdir().unwrap();
    let schedule = solved(folder.path(), "octagon:8 aas");
    let read = |format| std::fs::read_to_string(exported(&schedule, format)).unwrap();
    let is_row = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit() || c == '|');
    assert_eq!(read("markdown").lines().filter(is_row).count(), 4 + 2);
    assert_eq!(read("latex").lines().filter(is_row).count(), 4);
    assert!(read("latex").contains("\\caption{all-to-all on octagon:8 in 4 steps}"));
}

/// An operation of a rank, with its dependencies.
#[derive(Debug, Default)]
pub struct Operation {
    pub is_send: bool,
    pub peer: u32,
    pub bytes: u64,
    pub nic: u32,
    pub after: Vec<String>,
}

/// Parses GOAL: the operations of every rank by label.
pub fn read_goal(text: &str) -> Vec<BTreeMap<String, Operation>> {
    let mut ranks: Vec<BTreeMap<String, Operation>> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && *line != "}") {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["num_ranks", _] => {}
            ["rank", number, "{"] => {
                assert_eq!(number.parse(), Ok(ranks.len()));
                ranks.push(BTreeMap::new());
            }
            [label, "requires", other] => {
                let rank = ranks.last_mut().unwrap();
                assert!(rank.contains_key(other), "{line}: it comes later");
                rank.get_mut(label).unwrap().after.push(other.to_owned());
            }
            [label, what, bytes, _, peer, "tag", tag, "cpu", "0", "nic", nic] => {
                let label = label.strip_suffix(':').unwrap();
                assert_eq!(&label[1..], tag);
                let operation = Operation {
                    is_send: what == "send",
                    peer: peer.parse().unwrap(),
                    bytes: bytes.strip_suffix('b').unwrap().parse().unwrap(),
                    nic: nic.parse().unwrap(),
                    after: Vec::new(),
                };
                assert!(ranks.last_mut().unwrap().insert(label.to_owned(), operation).is_none());
            }
            _ => panic!("{line}"),
        }
    }
    ranks
}

/// Checks that every transfer is sent and received once and waits for its data. Returns the longest
/// chain.
fn check_operations(
    ranks: &[BTreeMap<String, Operation>],
    network: &Network,
    wanted: &[Transfer],
) -> u32 {
    let processors = living(network);
    let mut levels: BTreeMap<(usize, String), u32> = BTreeMap::new();
    let mut nics: BTreeSet<(u32, bool, u32, u32)> = BTreeSet::new();
    for (number, transfer) in wanted.iter().enumerate() {
        let rank = |processor: u32| processors.iter().position(|&p| p == processor).unwrap();
        let (from, to) = (rank(transfer.from), rank(transfer.to));
        let (send, receive) =
            (&ranks[from][&format!("s{number}")], &ranks[to][&format!("r{number}")]);
        assert!(send.is_send && !receive.is_send);
        assert_eq!((send.peer as usize, receive.peer as usize), (to, from));
        assert_eq!((send.bytes, receive.bytes), (1000, 1000));
        for (rank, operation) in [(from, send), (to, receive)] {
            let is_new =
                nics.insert((transfer.step, operation.is_send, rank as u32, operation.nic));
            assert!(is_new, "two transfers of a step on one nic");
        }
        // A sender that received the data earlier waits for that receive. Receives of an earlier
        // phase count only if there is none in this phase.
        let brought: Vec<usize> = (0..number)
            .filter(|&other| {
                wanted[other].label == transfer.label && wanted[other].to == transfer.from
            })
            .collect();
        let is_now = |other: &&usize| wanted[**other].phase == transfer.phase;
        let now: Vec<usize> = brought.iter().filter(is_now).copied().collect();
        for other in if now.is_empty() { brought } else { now } {
            assert!(send.after.contains(&format!("r{other}")), "{transfer:?} does not wait");
        }
        let level = |rank: usize, operation: &Operation| {
            let before = operation.after.iter().map(|label| levels[&(rank, label.clone())]);
            before.max().unwrap_or(0) + 1
        };
        let sent = level(from, send);
        let received = level(to, receive).max(sent);
        levels.insert((from, format!("s{number}")), sent);
        levels.insert((to, format!("r{number}")), received);
    }
    assert_eq!(ranks.iter().map(BTreeMap::len).sum::<usize>(), 2 * wanted.len());
    levels.values().copied().max().unwrap_or(0)
}

#[test]
fn goal_and_chakra_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    for problem in PROBLEMS {
        let schedule = solved(folder.path(), problem);
        let (network, wanted) = transfers(&schedule);
        let steps = wanted.last().unwrap().step + 1;
        let goal = std::fs::read_to_string(exported(&schedule, "goal")).unwrap();
        let chain = check_operations(&read_goal(&goal), &network, &wanted);
        assert!(chain <= steps, "{problem}: a chain of {chain} operations in {steps} steps");
        let prefix = exported(&schedule, "chakra");
        let read = |rank: usize| {
            let path = format!("{}.{rank}.et", prefix.display());
            read_chakra(&std::fs::read(path).unwrap())
        };
        let mut ranks: Vec<_> = (0..living(&network).len()).map(read).collect();
        // Chakra has no ports: number them in the order of the operations of a step.
        let mut next: BTreeMap<(usize, bool, u32), u32> = BTreeMap::new();
        for (rank, operations) in ranks.iter_mut().enumerate() {
            for (label, operation) in operations {
                let step = wanted[label[1..].parse::<usize>().unwrap()].step;
                let nic = next.entry((rank, operation.is_send, step)).or_default();
                operation.nic = *nic;
                *nic += 1;
            }
        }
        let chain = check_operations(&ranks, &network, &wanted);
        assert!(chain <= steps, "{problem}: a chain of {chain} operations in {steps} steps");
    }
}

/// Protobuf: the fields of a message, each with its number or bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, Vec<u8>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = varint(&mut bytes);
        let payload = match key & 7 {
            0 => Vec::new(),
            2 => {
                let (payload, rest) = bytes.split_at(value as usize);
                bytes = rest;
                payload.to_vec()
            }
            other => panic!("wire type {other}"),
        };
        fields.push((key >> 3, value, payload));
    }
    fields
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (first, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return value;
        }
    }
    unreachable!()
}

/// A trace of a rank, as operations with the labels of GOAL.
pub fn read_chakra(mut bytes: &[u8]) -> BTreeMap<String, Operation> {
    let mut operations = BTreeMap::new();
    let mut labels: BTreeMap<u64, String> = BTreeMap::new();
    let mut is_first = true;
    while !bytes.is_empty() {
        let length = varint(&mut bytes) as usize;
        let (message, rest) = bytes.split_at(length);
        bytes = rest;
        let fields = fields(message);
        if std::mem::replace(&mut is_first, false) {
            assert_eq!(fields[0].0, 1, "the version comes first");
            continue;
        }
        let one = |number: u64| fields.iter().find(|field| field.0 == number);
        let kind = one(3).unwrap().1;
        assert!([5, 6].contains(&kind));
        let mut attributes: BTreeMap<String, u64> = BTreeMap::new();
        for field in fields.iter().filter(|field| field.0 == 10) {
            let parts = self::fields(&field.2);
            let value = parts.iter().find(|part| part.0 != 1).map_or(0, |part| part.1);
            attributes.insert(String::from_utf8(parts[0].2.clone()).unwrap(), value);
        }
        assert_eq!(attributes["is_cpu_op"], 0);
        let is_send = kind == 5;
        let label = format!("{}{}", if is_send { 's' } else { 'r' }, attributes["comm_tag"]);
        labels.insert(one(1).unwrap().1, label.clone());
        let mut after = Vec::new();
        for number in [4, 5] {
            let mut packed = one(number).map_or(&[][..], |field| &field.2);
            while !packed.is_empty() {
                after.push(labels[&varint(&mut packed)].clone());
            }
        }
        let peer = attributes[if is_send { "comm_dst" } else { "comm_src" }] as u32;
        let bytes = attributes["comm_size"];
        operations.insert(label, Operation { is_send, peer, bytes, nic: 0, after });
    }
    operations
}

/// Follows the connections of the routers from every sending processor to the receiving one.
#[test]
fn engines_and_routers_carry_every_message_to_its_processor() {
    let folder = tempfile::tempdir().unwrap();
    for problem in PROBLEMS {
        let schedule = solved(folder.path(), problem);
        let (network, wanted) = transfers(&schedule);
        let text = std::fs::read_to_string(exported(&schedule, "dma")).unwrap();
        let dma: serde_json::Value = strict_json::from_str(&text).unwrap();
        // For every step and router, from each input to its outputs.
        let mut connected: BTreeMap<(u64, u64, String), Vec<String>> = BTreeMap::new();
        for router in dma["routers"].as_array().unwrap() {
            for step in router["program"].as_array().unwrap() {
                for one in step["connect"].as_array().unwrap() {
                    let key = (
                        step["step"].as_u64().unwrap(),
                        router["router"].as_u64().unwrap(),
                        one["from"].to_string(),
                    );
                    connected.entry(key).or_default().push(one["to"].to_string());
                }
            }
        }
        let routes = std::fs::read_to_string(exported(&schedule, "routes")).unwrap();
        let lines: BTreeSet<&str> = routes.lines().skip(1).collect();
        assert_eq!(lines.len(), connected.values().map(Vec::len).sum::<usize>(), "{problem}");
        let mut sent = 0;
        for processor in dma["processors"].as_array().unwrap() {
            let from = processor["processor"].as_u64().unwrap();
            for step in processor["program"].as_array().unwrap() {
                let at = step["step"].as_u64().unwrap();
                for send in step["send"].as_array().into_iter().flatten() {
                    sent += 1;
                    let to = send["to"].as_u64().unwrap() as u32;
                    let home = network.home(ProcessorId(from as u32)).unwrap();
                    let mut path = Vec::new();
                    let (mut router, mut input) =
                        (u64::from(home.0), format!("{{\"processor\":{from}}}"));
                    let mut first = (!send["channel"].is_null())
                        .then(|| format!("{{\"channel\":{}}}", send["channel"]));
                    loop {
                        let outputs = &connected[&(at, router, input.clone())];
                        let output = first.take().unwrap_or_else(|| match &outputs[..] {
                            [only] => only.clone(),
                            _ => format!("{{\"processor\":{to}}}"),
                        });
                        assert!(outputs.contains(&output), "{problem}: {outputs:?} {output}");
                        if output == format!("{{\"processor\":{to}}}") {
                            break;
                        }
                        let number: u32 =
                            output.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
                        path.push(ChannelId(number));
                        router = network.channel(ChannelId(number)).head.0.into();
                        input = output;
                    }
                    let is_wanted = |one: &&Transfer| {
                        (u64::from(one.step), u64::from(one.from), one.to) == (at, from, to)
                            && one.path == path
                    };
                    assert!(wanted.iter().any(|one| is_wanted(&one)), "{problem}: {from} to {to}");
                }
            }
        }
        assert_eq!(sent, wanted.len(), "{problem}");
    }
}

#[test]
fn only_valid_schedules_are_exported() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let broken = folder.join("ring-oab-broken.json");
    let mut command = assert_cmd::Command::cargo_bin("pavane").unwrap();
    let output =
        command.args(["export", broken.to_str().unwrap(), "--to", "csv"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let list = pavane(&["export", "--list"]);
    let names: Vec<&str> = list.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let wanted = "csv markdown latex msccl mscclpp goal chakra simgrid mpi torch nccl dma routes";
    let slot_tables = "csv poseidon shd systemverilog  Timed chakra csv goal simgrid \
                       msccl mscclpp mpi torch nccl";
    assert_eq!(names.join(" "), format!("{wanted}  TDM {slot_tables}"));
}
