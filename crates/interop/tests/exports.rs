//! Exports of a schedule whose network, routers and collective have names with control and
//! bidirectional characters: no file contains them.

use pavane_interop::FORMATS;
use pavane_interop::export::{ExportOptions, export};
use pavane_model::{
    ChannelId, Collective, ListedMessage, MessageId, Model, NetworkBuilder, Problem, ProcessorId,
    Schedule, Transfer,
};
use pavane_verify::{CheckedSchedule, verify};

const HIDDEN: &[char] = &['\u{9b}', '\u{202e}', '\u{200b}'];
const NAME: &str = "\u{202e}gnir\u{9b}\u{200b}";

/// One message over one channel.
fn checked() -> CheckedSchedule {
    let mut builder = NetworkBuilder::new(NAME, 2);
    builder.link(0, 1).processor_on_each_router();
    builder.router_names(vec![NAME.to_owned(), format!("{NAME}2")]);
    let network = builder.build().expect("it is a network");
    let (from, to) = (ProcessorId(0), ProcessorId(1));
    let collective = Collective::listed(NAME, vec![ListedMessage { from, to: vec![to] }]);
    let problem = Problem::new(network, collective, Model::default()).expect("it is a problem");
    let only = Transfer { message: MessageId(0), from, to, path: &[ChannelId(0)] };
    verify(problem, Schedule::from_transfers(1, &[(0, only)])).expect("it is valid")
}

#[test]
fn no_export_contains_hidden_characters() {
    let checked = [checked()];
    for format in FORMATS {
        let files = export(format.name, &checked, ExportOptions::default()).expect("it is small");
        for file in files {
            let text = String::from_utf8_lossy(&file.bytes);
            assert!(!text.contains(HIDDEN), "{}{}: {text}", format.name, file.suffix);
        }
    }
}

#[test]
fn programs_for_dma_engines_show_the_escaped_names() {
    let files = export("dma", &[checked()], ExportOptions::default()).expect("it is small");
    let text = String::from_utf8_lossy(&files[0].bytes);
    let shown = r#""\\u{202e}gnir\\u{9b}\\u{200b}""#;
    assert!(text.contains(&format!("\"network\": {shown}")), "{text}");
    assert!(text.contains(&format!("\"collective\": {shown}")), "{text}");
}
