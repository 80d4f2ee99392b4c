//! The tables in exported PyTorch modules and NCCL programs, carried out on symbolic sums: every output
//! must be the sum of inputs that the collective demands, and both exports must agree.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::{exported, solved};
use std::collections::BTreeMap;

const PROBLEMS: &[&str] = &[
    "dgx-1v all-gather --chunks 6 --switching sf",
    "hypercube:3 broadcast --root 5",
    "torus:2x4 all-reduce --chunks 3",
    "torus:3x3 all-reduce --switching sf --ports 1",
    "ring:8 all-reduce --senders 1-5",
    "ring:6 reduce --root 3 --senders 1,2",
    "ring:5 reduce-scatter --chunks 3 --ports 1",
    "octagon:8@2 all-to-all --ports 1",
    "mesh:3x3 scatter --fault 1,1 --routing any --duplex half",
    "ring:5 gather --chunks 2",
    "ring:6 shift:2",
    "fat-tree:2@2 all-gather",
];

/// A buffer and a chunk of it.
type Place = (char, u32);

/// The sum of chunks of inputs: how often each rank's chunk is in it.
type Sum = BTreeMap<(u32, u32), u32>;

/// A row of a table: its numbers, and its places.
#[derive(Debug, PartialEq)]
struct Row {
    numbers: Vec<u32>,
    places: Vec<Option<Place>>,
}

/// The rows of a table of a module or program, one row per `(`…`)` or `{`…`}` of the outer level.
fn rows(text: &str, start: &str, end: &str) -> Vec<Row> {
    let table = text.split_once(start).unwrap().1.split_once(end).unwrap().0;
    let table = table.replace("None", "('-', 0)");
    let mut rows = Vec::new();
    let (mut depth, mut row) = (0, String::new());
    for character in table.chars() {
        match character {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            _ => row.push(if character == ',' { ' ' } else { character }),
        }
        if depth == 0 && !row.trim().is_empty() {
            rows.push(parse(&std::mem::take(&mut row)));
        }
    }
    rows
}

fn parse(row: &str) -> Row {
    let mut words = row.split_whitespace();
    let (mut numbers, mut places) = (Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        match word.strip_prefix('\'') {
            // The only row of an empty array has the rank -1.
            None if word == "-1" => numbers.push(u32::MAX),
            None => numbers.extend(word.trim_matches(['[', ']']).parse::<u32>()),
            Some(buffer) => {
                let chunk = words.next().unwrap().parse().unwrap();
                let place = (buffer.chars().next().unwrap(), chunk);
                places.push((place.0 != '-').then_some(place));
            }
        }
    }
    Row { numbers, places }
}

/// What is in the buffers of all ranks after the copies and transfers.
fn carried_out(transfers: &[Row], copies: &[Row]) -> BTreeMap<(u32, Place), Sum> {
    let mut memory: BTreeMap<(u32, Place), Sum> = BTreeMap::new();
    let read = |memory: &BTreeMap<(u32, Place), Sum>, rank: u32, place: Place| match place {
        ('i', chunk) => Sum::from([((rank, chunk), 1)]),
        _ => memory.get(&(rank, place)).expect("a chunk is written before it is read").clone(),
    };
    for copy in copies {
        let (rank, from, to) = (copy.numbers[0], copy.places[0].unwrap(), copy.places[1].unwrap());
        let sum = read(&memory, rank, from);
        memory.insert((rank, to), sum);
    }
    for step in transfers.chunk_by(|one, other| one.numbers[0] == other.numbers[0]) {
        let send = |row: &Row| read(&memory, row.numbers[1], row.places[0].unwrap());
        let sent: Vec<Sum> = step.iter().map(send).collect();
        for (row, mut sum) in step.iter().zip(sent) {
            let rank = row.numbers[2];
            if let Some(addend) = row.places[2] {
                for (part, count) in read(&memory, rank, addend) {
                    *sum.entry(part).or_default() += count;
                }
            }
            memory.insert((rank, row.places[1].unwrap()), sum);
        }
    }
    memory
}

#[test]
fn tables_deliver_what_the_collective_demands() {
    let folder = tempfile::tempdir().unwrap();
    for problem in PROBLEMS {
        let schedule = solved(folder.path(), problem);
        let module = std::fs::read_to_string(exported(&schedule, "torch")).unwrap();
        let program = std::fs::read_to_string(exported(&schedule, "nccl")).unwrap();
        let transfers = rows(&module, "\nTRANSFERS = [", "\n]");
        let copies = rows(&module, "\nCOPIES = [", "\n]");
        assert!(!transfers.is_empty(), "{problem}");
        assert_eq!(transfers, rows(&program, "transfer transfers[] = {", "\n};"), "{problem}");
        let listed = rows(&program, "copy copies[] = {", "\n};");
        assert!(copies == listed || copies.is_empty() && listed.len() == 1, "{problem}");

        let memory = carried_out(&transfers, &copies);
        let expected = rows(&module, "\nEXPECTED = [", "\n]");
        let mut outputs = 0;
        for row in &expected {
            let [rank, chunk, ref parts @ ..] = row.numbers[..] else { panic!("{row:?}") };
            let parts = parts.chunks(2).map(|part| ((part[0], part[1]), 1));
            assert_eq!(memory[&(rank, ('o', chunk))], parts.collect::<Sum>(), "{problem}: {row:?}");
            outputs += 1;
        }
        // Every chunk of every output is compared.
        let counts = module.split_once("\nOUTPUTS = [").unwrap().1.split_once(']').unwrap().0;
        let total: u32 = counts.split(", ").map(|count| count.parse::<u32>().unwrap()).sum();
        assert!(outputs == total, "{problem}: {outputs} of {total} chunks");
    }
}
