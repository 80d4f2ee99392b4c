//! Exports of timed schedules, read back by independent simple readers and compared with the file.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::{exported_with_own_bytes as exported, pavane, run_in};
use crate::exports::{Operation, read_chakra, read_goal};
use pavane_model::Fraction;
use pavane_model::timed::{TimedSchedule, read_file};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Copies of the timed schedules of the corpus in a folder.
fn schedules(folder: &Path) -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/timed/valid");
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        let copy = folder.join(path.file_name().unwrap());
        std::fs::copy(&path, &copy).unwrap();
        files.push(copy);
    }
    files.sort();
    assert!(files.len() >= 7);
    files
}

#[test]
fn csv_has_every_send() {
    let folder = tempfile::tempdir().unwrap();
    for file in schedules(folder.path()) {
        let schedule = read_file(&file, 1 << 20).unwrap();
        let text = std::fs::read_to_string(exported(&file, "csv")).unwrap();
        let mut lines = text.lines();
        assert_eq!(
            lines.next(),
            Some("phase,message,offset,bytes,channel,from,to,start_ns,arrival_ns")
        );
        let sends: usize = schedule.phases.iter().map(|phase| phase.sends.len()).sum();
        assert_eq!(lines.clone().count(), sends, "{}", file.display());
        let arrival = |line: &str| line.rsplit(',').next().unwrap().parse::<Fraction>().unwrap();
        let end = Fraction::from(schedule.time.unwrap()).checked_mul(schedule.time_unit_ns);
        assert_eq!(lines.map(arrival).max(), end, "{}", file.display());
    }
}

/// The bytes that every rank must receive: its messages, and in a sum one part for every send to it.
fn received(ranks: &[BTreeMap<String, Operation>]) -> Vec<u64> {
    let sum = |rank: &BTreeMap<String, Operation>| {
        rank.values().filter(|operation| !operation.is_send).map(|operation| operation.bytes).sum()
    };
    ranks.iter().map(sum).collect()
}

/// Every send has a receive with the same bytes at the other end.
fn check_pairs(ranks: &[BTreeMap<String, Operation>], file: &Path) {
    let mut sends = 0;
    for (rank, operations) in ranks.iter().enumerate() {
        for (label, operation) in operations.iter().filter(|(_, operation)| operation.is_send) {
            let other = &ranks[operation.peer as usize][&label.replacen('s', "r", 1)];
            assert!(!other.is_send && other.peer as usize == rank, "{}: {label}", file.display());
            assert_eq!(other.bytes, operation.bytes, "{}: {label}", file.display());
            sends += 1;
        }
    }
    assert_eq!(2 * sends, ranks.iter().map(BTreeMap::len).sum::<usize>(), "{}", file.display());
}

/// The bytes that arrive at routers with processors, by rank.
fn arriving(schedule: &TimedSchedule) -> Vec<u64> {
    let network = schedule.phases[0].problem.network();
    let has_processors = |router| !network.residents(router).is_empty();
    let ranks: Vec<_> = network.routers().filter(|&router| has_processors(router)).collect();
    let mut bytes = vec![0; ranks.len()];
    for phase in &schedule.phases {
        for send in &phase.sends {
            let head = network.channel(send.channel).head;
            if let Some(rank) = ranks.iter().position(|&router| router == head) {
                bytes[rank] += phase.chunks[send.chunk as usize].bytes;
            }
        }
    }
    bytes
}

#[test]
fn goal_and_chakra_carry_the_bytes_of_every_chunk() {
    let folder = tempfile::tempdir().unwrap();
    for file in schedules(folder.path()) {
        let schedule = read_file(&file, 1 << 20).unwrap();
        let goal = read_goal(&std::fs::read_to_string(exported(&file, "goal")).unwrap());
        check_pairs(&goal, &file);
        assert_eq!(received(&goal), arriving(&schedule), "{}", file.display());
        let prefix = exported(&file, "chakra");
        let chakra: Vec<_> = (0..goal.len())
            .map(|rank| {
                read_chakra(&std::fs::read(format!("{}.{rank}.et", prefix.display())).unwrap())
            })
            .collect();
        assert_eq!(received(&chakra), arriving(&schedule), "{}", file.display());
    }
}

/// Plans for libraries move the right data; messages of different sizes are refused with the reason.
#[test]
fn plans_move_the_right_data() {
    let folder = tempfile::tempdir().unwrap();
    let mut refused = 0;
    for file in schedules(folder.path()) {
        let name = file.file_name().unwrap().to_str().unwrap();
        if name == "all-to-all-sizes.json" {
            let (code, text) = run_in(folder.path(), &format!("export {name} --to msccl"), "");
            assert!(code == 2 && text.contains("different sizes, from 0 to 9 bytes"), "{text}");
            refused += 1;
            continue;
        }
        for format in ["msccl", "mscclpp"] {
            let plan = exported(&file, format);
            let text = pavane(&["check-plan", plan.to_str().unwrap()]);
            assert!(text.contains("all outputs correct"), "{name} {format}: {text}");
        }
        for (format, word) in
            [("mpi", "MPI_Isend"), ("torch", "torch.distributed"), ("nccl", "ncclSend")]
        {
            let text = std::fs::read_to_string(exported(&file, format)).unwrap();
            assert!(text.contains(word), "{name} {format}");
        }
    }
    assert_eq!(refused, 1);
}

#[test]
fn an_all_reduce_that_one_rank_sums_is_an_all_reduce() {
    let folder = tempfile::tempdir().unwrap();
    let phase = |kind: &str, groups: &str, channel: u32, start: u32| {
        format!(
            r#"{{"kind":"{kind}",{groups},
            "chunks":[{{"message":[0],"offset":0,"bytes":8}}],"sends":[[0,{channel},{start}]]}}"#
        )
    };
    let text = format!(
        r#"{{"format":"pavane/timed/1",
        "network":{{"name":"pair","routers":2,"channels":[[0,1],[1,0]],"processors":[0,1]}},
        "collective":{{"kind":"all-reduce","senders":[0,1],"receivers":[0,1]}},
        "bytes":8,"time_unit_ns":"1","time":16,"phases":[{},{}]}}"#,
        phase("reduce", r#""senders":[0,1],"receivers":[0]"#, 1, 0),
        phase("broadcast", r#""senders":[0],"receivers":[0,1]"#, 0, 8)
    );
    let file = folder.path().join("one-root.json");
    std::fs::write(&file, text).unwrap();
    let module = std::fs::read_to_string(exported(&file, "torch")).unwrap();
    assert!(module.contains("def all_reduce("), "{module}");
    let plan = std::fs::read_to_string(exported(&file, "msccl")).unwrap();
    assert!(plan.contains(r#"coll="allreduce""#), "{plan}");
}
