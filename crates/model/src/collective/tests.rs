//! The meaning of names, groups and message files, and the errors for invalid ones.

use crate::collective::{self, Groups, group};
use crate::samples::ring;
use crate::{Collective, Fault, Kind, Network, NetworkBuilder, ProcessorId, RouterId};
use proptest::prelude::*;

/// Name typed, root/senders/receivers, kind, canonical name, senders, receivers.
type Named<'a> = (&'a str, &'a str, Kind, &'a str, &'a [u32], &'a [u32]);

/// Name typed, processors, canonical name, images of those that are not fixed.
type Permuted<'a> = (&'a str, u32, &'a str, &'a [(u32, u32)]);

/// Four routers in a ring, named as in a mesh; the last one is a switch, the third a fat node.
fn named() -> Network {
    let mut builder = NetworkBuilder::new("named", 4);
    builder.link(0, 1).link(1, 2).link(2, 3).link(3, 0);
    builder.processor(Some(0)).processor(Some(1)).processor(Some(2)).processor(Some(2));
    builder.router_names(["1,1", "01", "20", "switch"].map(String::from).to_vec());
    builder.build().unwrap()
}

fn without_one() -> Network {
    let network = ring(5);
    network.without_parts(&[], &[RouterId(1)], vec!["1".into()]).unwrap()
}

/// Parses `root/senders/receivers`, each of which may be empty.
fn groups(text: &str) -> Groups {
    let mut parts = text.split('/').map(|part| (!part.is_empty()).then(|| part.to_owned()));
    let mut next = || parts.next().flatten();
    Groups { root: next(), senders: next(), receivers: next() }
}

fn build(name: &str, network: &Network, given: &str) -> Result<Vec<Collective>, String> {
    collective::build(name, network, &groups(given)).map_err(|error| error.to_string())
}

fn numbers(processors: &[ProcessorId]) -> Vec<u32> {
    processors.iter().map(|p| p.0).collect()
}

#[test]
fn names_and_groups_mean_what_the_papers_say() {
    let all: &[u32] = &[0, 1, 2, 3];
    let table: &[Named] = &[
        ("OAB", "", Kind::Broadcast, "oab", &[0], &[1, 2, 3]),
        ("oab", "2", Kind::Broadcast, "oab", &[2], &[0, 1, 3]),
        ("oab", "/3", Kind::Broadcast, "oab", &[3], &[0, 1, 2]),
        ("oab", "1//all", Kind::Broadcast, "oab", &[1], all),
        ("aab", "", Kind::Broadcast, "aab", all, all),
        ("All_Gather", "/0-1", Kind::Broadcast, "all-gather", &[0, 1], &[0, 1]),
        ("allgather", "//3", Kind::Broadcast, "all-gather", all, &[3]),
        ("mnb", "/0,2", Kind::Broadcast, "mnb", &[0, 2], all),
        ("mnb", "//1-2", Kind::Broadcast, "mnb", all, &[1, 2]),
        ("broadcast", "/0,1/2-3", Kind::Broadcast, "broadcast", &[0, 1], &[2, 3]),
        ("broadcast", "/0,1", Kind::Broadcast, "broadcast", &[0, 1], all),
        ("multicast", "p0//p3,1", Kind::Broadcast, "multicast", &[0], &[3, 1]),
        ("oas", "", Kind::Scatter, "oas", &[0], &[1, 2, 3]),
        ("aas", "", Kind::Scatter, "aas", all, all),
        ("ALL-TO-ALL", "/ALL", Kind::Scatter, "all-to-all", all, all),
        ("mns", "/0-1/p2-p3", Kind::Scatter, "mns", &[0, 1], &[2, 3]),
        ("scatter", "/3/3", Kind::Scatter, "scatter", &[3], &[3]),
        ("aog", "", Kind::Gather, "aog", &[1, 2, 3], &[0]),
        ("gather", "1", Kind::Gather, "gather", &[0, 2, 3], &[1]),
        ("gather", "/2/0-1", Kind::Gather, "gather", &[2], &[0, 1]),
        ("aor", "3/0-1", Kind::Reduce, "aor", &[0, 1], &[3]),
        ("reduce", "", Kind::Reduce, "reduce", &[1, 2, 3], &[0]),
        ("aar", "", Kind::Reduce, "aar", all, all),
        ("reduce-scatter", "/1,3", Kind::Reduce, "reduce-scatter", &[1, 3], &[1, 3]),
    ];
    let network = ring(4);
    for &(name, given, kind, canonical, senders, receivers) in table {
        let phases = build(name, &network, given).unwrap();
        let [collective] = &phases[..] else { panic!("{name} has {} phases", phases.len()) };
        assert_eq!(collective.kind, kind, "{name} {given}");
        assert_eq!(collective.name, canonical);
        assert_eq!(numbers(&collective.senders), senders, "{name} {given}");
        assert_eq!(numbers(&collective.receivers), receivers, "{name} {given}");
    }
}

#[test]
fn the_papers_names_have_todays_names() {
    for (name, today) in [
        ("OAB", "broadcast"),
        ("aab", "all-gather"),
        ("mnb", "broadcast"),
        ("oas", "scatter"),
        ("aas", "all-to-all"),
        ("mns", "scatter"),
        ("aog", "gather"),
        ("aor", "reduce"),
        ("aar", "reduce-scatter"),
        ("all-reduce", "all-reduce"),
        ("multicast", "multicast"),
        ("transpose", "transpose"),
        ("messages.csv", "messages.csv"),
    ] {
        assert_eq!(collective::todays_name(name), today);
    }
}

#[test]
fn an_all_reduce_has_two_phases_in_one_group() {
    let phases = build("allreduce", &ring(4), "/1-3").unwrap();
    let kinds: Vec<Kind> = phases.iter().map(|phase| phase.kind).collect();
    assert_eq!(kinds, [Kind::Reduce, Kind::Broadcast]);
    for phase in &phases {
        assert_eq!(numbers(&phase.senders), [1, 2, 3]);
        assert_eq!(numbers(&phase.receivers), [1, 2, 3]);
    }
}

#[test]
fn processors_are_found_by_number_and_by_router() {
    let network = named();
    // A text, and the processor that it denotes as --root.
    for (text, expected) in [("0", 0), ("p3", 3), ("1,1", 0), ("01", 1), (" 2 ", 2), ("r1", 1)] {
        let phases = build("oab", &network, text).unwrap();
        assert_eq!(numbers(&phases[0].senders), [expected], "{text}");
    }
    // Processor 1 twice is no group, so the text is the name of the router.
    assert_eq!(numbers(&build("mnb", &network, "/1,1").unwrap()[0].senders), [0]);
    assert_eq!(numbers(&build("mnb", &network, "/01,3").unwrap()[0].senders), [1, 3]);
}

#[test]
fn names_that_are_numbers_denote_routers() {
    let mut builder = NetworkBuilder::new("from-one", 4);
    builder.link(0, 1).link(1, 2).link(2, 3);
    builder.processor(Some(0)).processor(Some(1)).processor(Some(2));
    builder.router_names(["1", "2", "3", "4"].map(String::from).to_vec());
    let network = builder.build().unwrap();
    let named = |text: &str| group::processors(&network, text).map(|all| numbers(&all));
    for (text, expected) in [("1", &[0][..]), ("p1", &[1]), ("0", &[0]), ("1-2", &[0, 1])] {
        assert_eq!(named(text).unwrap(), expected, "{text}");
    }
    for (text, expected) in [
        (
            "4",
            "router 4 hosts no processor: it is a switch; name a processor by its number, such as p0",
        ),
        ("2-1", "the range 2-1 runs backwards; write 1-2"),
        ("9", "from-one has no processor 9 (valid: p0 to p2, or the name of a router, 1 to 4)"),
    ] {
        let error = named(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text} gave {error}");
    }
    let names = (0..3).map(|processor| network.processor_name(ProcessorId(processor)));
    assert_eq!(names.collect::<Vec<_>>(), ["1", "2", "3"]);
    assert_names_are_read(&network);
}

/// Every processor is found by its name.
fn assert_names_are_read(network: &Network) {
    for processor in network.living_processors() {
        let name = network.processor_name(processor);
        assert_eq!(group::processor(network, &name).unwrap(), processor);
    }
}

#[test]
fn numbers_denote_processors_where_routers_host_several() {
    let mut builder = NetworkBuilder::new("fat", 3);
    builder.link(0, 1).link(1, 2);
    builder.processor(Some(0)).processor(Some(1)).processor(Some(2)).processor(Some(2));
    builder.router_names(["1", "2", "3"].map(String::from).to_vec());
    let network = builder.build().unwrap();
    let all = group::processors(&network, "0,1,3").unwrap();
    assert_eq!(numbers(&all), [0, 1, 3]);
    let names = (0..4).map(|processor| network.processor_name(ProcessorId(processor)));
    assert_eq!(names.collect::<Vec<_>>(), ["0", "p1", "p2", "p3"]);
    assert_names_are_read(&network);
}

#[test]
fn unnamed_routers_with_other_processors_are_marked() {
    let mut builder = NetworkBuilder::new("switches first", 3);
    builder.link(0, 1).link(1, 2).processor(Some(1)).processor(Some(2));
    let network = builder.build().unwrap();
    let without = network.without_parts(&[], &[RouterId(2)], Vec::new()).unwrap();
    for network in [&network, &without] {
        let names: Vec<String> = network.routers().map(|r| network.router_name(r)).collect();
        assert_eq!(names, ["r0", "r1", "r2"]);
    }
    assert_eq!(network.processor_name(ProcessorId(0)), "r1");
    assert_eq!(group::processor(&network, "r1").unwrap(), ProcessorId(0));
    assert_eq!(Fault::parse(&network, "r0–r1").unwrap().numbers(), "0-1");
}

/// A mesh of 4×4 routers with coordinates as names.
fn mesh() -> Network {
    let mut builder = NetworkBuilder::new("mesh:4x4", 16);
    for router in 0..16 {
        if router % 4 < 3 {
            builder.link(router, router + 1);
        }
        if router < 12 {
            builder.link(router, router + 4);
        }
    }
    builder.processor_on_each_router();
    builder.router_names((0..16).map(|router| format!("{},{}", router / 4, router % 4)).collect());
    builder.build().unwrap()
}

#[test]
fn groups_name_the_routers_of_a_mesh() {
    let network = mesh();
    for (text, expected) in [
        ("1,1 2,2", &[5, 10][..]),
        ("1,1;2,2", &[5, 10]),
        (" 1,1 ; 2,2 ", &[5, 10]),
        ("(1,2)", &[6]),
        ("(1,2),(2,2)", &[6, 10]),
        ("1,2;", &[6]),
        ("1,1", &[5]),
        ("0-1 3,3 8", &[0, 1, 15, 8]),
        // Numbers take precedence.
        ("1,2", &[1, 2]),
        ("1, 2, 3", &[1, 2, 3]),
    ] {
        let senders = &build("mnb", &network, &format!("/{text}")).unwrap()[0].senders;
        assert_eq!(numbers(senders), expected, "{text}");
    }
    for (text, expected) in [
        ("4,4", "mesh:4x4 has no router 4,4 (0,0 to 3,3)"),
        ("1,1 4,4", "mesh:4x4 has no router 4,4 (0,0 to 3,3)"),
        ("(0,4)", "mesh:4x4 has no router 0,4 (0,0 to 3,3)"),
        (
            "1,2,2,3",
            "processor 2 is named twice; write coordinates in brackets, such as (1,2) (2,2)",
        ),
        (";", "no processor is named"),
    ] {
        let error = build("mnb", &network, &format!("/{text}")).unwrap_err();
        assert!(error.contains(expected), "{text} gave {error:?}");
    }
    for root in ["4,4", "4,5"] {
        let error = build("oab", &network, root).unwrap_err();
        assert!(error.contains(&format!("has no router {root} (0,0 to 3,3)")), "{error}");
    }
    let second = |text| group::second_meaning(&network, text).map(|router| router.0);
    assert_eq!(
        [second("1,2"), second("1,1"), second("1,2 3,3"), second("3")],
        [Some(6), None, None, None]
    );
}

#[test]
fn names_with_blanks_are_entries() {
    let mut builder = NetworkBuilder::new("hosts", 2);
    builder.link(0, 1).processor_on_each_router();
    builder.router_names(["host 1", "host 2"].map(String::from).to_vec());
    let network = builder.build().unwrap();
    assert_eq!(numbers(&build("mnb", &network, "/host 2,host 1").unwrap()[0].senders), [1, 0]);
}

#[test]
fn lost_processors_are_left_out_of_all() {
    let network = without_one();
    assert_eq!(numbers(&build("aab", &network, "").unwrap()[0].senders), [0, 2, 3, 4]);
    let shift = &build("shift:1", &network, "").unwrap()[0];
    let pairs: Vec<_> = shift.list.iter().map(|m| (m.from.0, m.to[0].0)).collect();
    assert_eq!(pairs, [(0, 2), (2, 3), (3, 4), (4, 0)]);
    assert!(build("permutation:2,0,4,3", &network, "").is_ok());
}

#[test]
fn permutations_send_to_their_images() {
    let table: &[Permuted] = &[
        ("transpose", 4, "transpose", &[(1, 2), (2, 1)]),
        (
            "Permutation:Transpose",
            9,
            "transpose",
            &[(1, 3), (2, 6), (3, 1), (5, 7), (6, 2), (7, 5)],
        ),
        ("bitreversal", 8, "bit-reversal", &[(1, 4), (3, 6), (4, 1), (6, 3)]),
        ("shift:2", 5, "shift:2", &[(0, 2), (1, 3), (2, 4), (3, 0), (4, 1)]),
        ("permutation:shift:-1", 3, "shift:-1", &[(0, 2), (1, 0), (2, 1)]),
        ("permutation:3,1,0,2", 4, "permutation:3,1,0,2", &[(0, 3), (2, 0), (3, 2)]),
    ];
    for &(name, processors, kept, expected) in table {
        let phases = build(name, &ring(processors), "").unwrap();
        assert_eq!((phases.len(), phases[0].kind), (1, Kind::Messages));
        assert_eq!(phases[0].name, kept);
        let pairs: Vec<_> = phases[0].list.iter().map(|m| (m.from.0, m.to[0].0)).collect();
        assert_eq!(pairs, expected, "{name}");
        assert!(phases[0].list.iter().all(|message| message.to.len() == 1));
    }
}

#[test]
fn a_random_permutation_is_one_and_depends_on_its_seed_only() {
    let of = |name: &str| build(name, &ring(50), "").unwrap().remove(0);
    let seven = of("random-permutation:7");
    assert_eq!(seven, of("permutation:random:7"));
    assert_ne!(seven.list, of("random-permutation:8").list);
    let mut images: Vec<u32> = seven.list.iter().map(|message| message.to[0].0).collect();
    let mut origins: Vec<u32> = seven.list.iter().map(|message| message.from.0).collect();
    images.sort_unstable();
    origins.sort_unstable();
    assert_eq!(images, origins);
}

#[test]
fn message_files_are_read_in_every_form() {
    let network = ring(4);
    let forms = [
        r#"{"messages": [{"from": 0, "to": [1, 2]}, {"from": 3, "to": [0]}]}"#,
        "\n[{\"from\": 0, \"to\": [1, 2]}, {\"from\": 3, \"to\": 0}]",
        "# who to whom\n0 -> 1,2\n\n3->0 # back\n",
        "from,to\r\n0,1,2\r\n3,0\r\n",
        "p0 -> 1-2\n3 -> p0",
    ];
    for text in forms {
        let collective = collective::message_file::parse("f", text, &network).unwrap();
        let list: Vec<_> = collective.list.iter().map(|m| (m.from.0, numbers(&m.to))).collect();
        assert_eq!(list, [(0, vec![1, 2]), (3, vec![0])], "{text}");
    }
    let all = collective::message_file::parse("f", "2 -> all", &network).unwrap();
    assert_eq!(numbers(&all.list[0].to), [0, 1, 3]);
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("pairs.csv");
    std::fs::write(&path, forms[3]).unwrap();
    let phases = build(path.to_str().unwrap(), &network, "").unwrap();
    assert_eq!((phases[0].name.as_str(), phases[0].list.len()), ("pairs.csv", 2));
    let phases = build(r#"[{"from": 0, "to": [1, 2]}]"#, &network, "").unwrap();
    assert_eq!((phases[0].name.as_str(), phases[0].list.len()), ("messages", 1));
    std::fs::write(&path, "0,9").unwrap();
    let error = build(path.to_str().unwrap(), &network, "").unwrap_err().to_string();
    assert!(error.starts_with(path.to_str().unwrap()), "{error}");
}

#[test]
fn a_wrong_message_file_says_where() {
    let table = [
        ("", "lists no message"),
        ("# nothing\n", "lists no message"),
        ("[]", "lists no message"),
        ("{\"messages\": [\n{\"from\": 0", "f: line 2, column 10"),
        ("{\"other\": []}", "missing field `messages`"),
        ("[{\"from\": 0, \"to\": \"x\"}]", "a processor number or a list of them"),
        ("[{\"from\": -1, \"to\": [0]}]", "line 1"),
        ("[{\"from\": 0, \"to\": [0]}]", "line 1: message 0: the message of processor 0 goes to"),
        ("[{\"from\": 1, \"to\": [0]},\n {\"from\": 0, \"to\": []}]", "line 2: message 1: "),
        ("{\"messages\": [\n{\"from\": 0, \"to\": [9]}]}", "line 2: message 0: "),
        ("{\"messages\": [7]}", "expected a message: an object with from and to"),
        ("[{\"from\": 0, \"to\": [1, 1]}]", "destination 1 is named twice"),
        ("[{\"from\": 0, \"to\": [9]}]", "there is no processor 9 (valid: 0 to 3)"),
        ("0 -> 1\n2\n", "line 2: \"2\": write 0 -> 1,2"),
        ("0 -> 9", "line 1: \"0 -> 9\": ring:4 has no processor 9"),
        ("0 -> 1,1", "line 1: \"0 -> 1,1\": processor 1 is named twice"),
        ("0 -> ", "no processor is named"),
        ("0 1", "write 0 -> 1,2"),
        ("0-1 -> 2", "names 2 processors, but only one is allowed"),
        ("0 -> 0-3", "goes to processor 0 itself"),
    ];
    for (text, expected) in table {
        let error = collective::message_file::parse("f", text, &ring(4)).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?} gave {error:?}");
    }
}

#[test]
fn wrong_collectives_are_refused_with_the_valid_choices() {
    let table = [
        ("aap", "", "the nearest are aab, aas, aar"),
        ("all-gathr", "", "the nearest is all-gather"),
        ("", "", "no collective is called \"\""),
        ("nope", "", "use broadcast, multicast, scatter, gather, reduce, all-gather, all-to-all, "),
        ("oab", "/0,1", "use mnb for several"),
        ("multicast", "/0,1/2", "use mnb for several"),
        ("oas", "/all", "use mns for several"),
        ("aog", "//0,1", "use gather for several"),
        ("oab", "0/1", "root and senders name the same side"),
        ("reduce", "0//1", "root and receivers name the same side"),
        ("aab", "0", "aab has no root; give senders and receivers"),
        ("all-reduce", "0", "all-reduce has no root; give its group as senders"),
        ("all-reduce", "/0-1/2", "give the group as senders"),
        ("multicast", "0", "multicast requires receivers"),
        ("transpose", "0", "leave out root"),
        ("oab", "0-1", "root \"0-1\": \"0-1\" names 2 processors, but only one is allowed"),
        ("oab", "4", "ring:4 has no processor 4 (valid: 0 to 3)"),
        ("oab", "-1", "has no processor -1"),
        ("oab", "007", "has no processor 007"),
        ("mnb", "/0,,1", "no processor is named"),
        ("mnb", "/ ", "no processor is named"),
        ("mnb", "/0-4000000000", "has no processor 0-4000000000"),
        ("mnb", "/0-99999999999999999999999", "has no processor"),
        ("mnb", "/3-1", "the range 3-1 runs backwards; write 1-3"),
        ("mnb", "/0-2,1", "processor 1 is named twice"),
        ("mnb", "/all,all", "processor 0 is named twice"),
        ("mnb", "/all,0", "processor 0 is named twice"),
        ("shift", "", "it needs a parameter"),
        ("shift:x", "", "\"x\" is not a whole number"),
        ("shift:4", "", "so there is no message"),
        ("transpose:2", "", "it takes no parameter"),
        ("permutation", "", "it needs a parameter"),
        ("permutation:", "", "\"\" is not a whole number"),
        ("permutation:spin", "", "\"spin\" is not a whole number"),
        ("permutation:1,0", "", "2 images are given for 4 processors"),
        ("permutation:1,0,2,4", "", "image 4 is not a processor"),
        ("permutation:1,0,2,2", "", "processor 3 is missing from the images"),
        ("permutation:0,1,2,3", "", "so there is no message"),
        ("random-permutation:-1", "", "\"-1\" is not a whole number"),
        ("./none.json", "", "there is no such file"),
    ];
    for (name, given, expected) in table {
        let error = build(name, &ring(4), given).unwrap_err();
        assert!(error.contains(expected), "{name} {given} gave {error:?}");
    }
    for (name, processors, expected) in [
        ("transpose", 6, "6 processors do not form a square"),
        ("bit-reversal", 12, "a power of two, not 12 processors"),
    ] {
        let error = build(name, &ring(processors), "").unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn lost_and_ambiguous_processors_are_explained() {
    let lost = without_one();
    for given in ["1", "/1", "/0-4", "//p1"] {
        let error = build("broadcast", &lost, given).unwrap_err();
        assert!(error.contains("processor 1 is lost to a fault"), "{error}");
    }
    let error = build("broadcast", &lost, "r1").unwrap_err();
    assert!(error.contains("router 1 is lost to a fault; name another one"), "{error}");
    let broken = ring(16).without(&[crate::Fault::Router(crate::RouterId(3))]).unwrap();
    let error = build("transpose", &broken, "").unwrap_err();
    assert!(
        error.contains("15 processors (16 less those lost to faults) do not form a square"),
        "{error}"
    );
    let named = named();
    for (given, expected) in [
        ("20", "router 20 hosts several processors (2 to 3)"),
        ("switch", "router switch hosts no processor: it is a switch"),
        ("r3", "router switch hosts no processor"),
    ] {
        let error = build("oab", &named, given).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in "([0-9pr,:>-]|all|shift|permutation|random|[ -~\n]){0,12}") {
        let network = named();
        let _ = collective::message_file::parse("f", &text, &network);
        let _ = collective::message_file::parse("f", &format!("[{{\"from\": 0, \"to\": {text}}}]"), &network);
        let _ = crate::Fault::parse(&network, &text).map(|fault| network.without(&[fault, fault]));
        let _ = crate::Fault::parse_channel(&network, &text).map(|fault| network.without(&[fault]));
        if let Ok(group) = collective::group::processors(&network, &text) {
            prop_assert!(!group.is_empty() && group.len() <= network.processor_count());
        }
        let _ = build(&format!("permutation:{text}"), &network, "");
    }
}
