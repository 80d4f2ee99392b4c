//! Programs for DMA engines, the target of the fault paper: for every processor, what it sends and
//! receives in each step, and for every router, which input it connects to which output.

use crate::export::{ExportError, File, one_file};
use crate::whole::Whole;
use pavane_model::Label;
use pavane_model::words::printable;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The program of one processor or router: for every step, lists by name.
type Program = BTreeMap<u32, BTreeMap<&'static str, Vec<Value>>>;

pub(super) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let network = whole.network();
    let mut processors: BTreeMap<u32, Program> = BTreeMap::new();
    let mut routers: BTreeMap<u32, Program> = BTreeMap::new();
    for one in whole.moves() {
        let (from, to) = (whole.processors[one.from as usize], whole.processors[one.to as usize]);
        let message = match whole.phases[one.phase].problem().label(one.message) {
            Label::One(number) => json!([number]),
            Label::Two(first, second) => json!([first, second]),
        };
        let add = |programs: &mut BTreeMap<u32, Program>, node: u32, what, value: Value| {
            let program = programs.entry(node).or_default();
            program.entry(one.step).or_default().entry(what).or_default().push(value);
        };
        let sent = json!({"message": message, "to": to, "channel": one.path.first()});
        add(&mut processors, from.0, "send", sent);
        let received = json!({"message": message, "from": from, "channel": one.path.last(), "reduce": one.reduces});
        add(&mut processors, to.0, "receive", received);
        let home = network.home(from).map_or(0, |router| router.0);
        let mut at = home;
        let mut input = json!({"processor": from});
        for &channel in one.path {
            add(&mut routers, at, "connect", json!({"from": input, "to": {"channel": channel}}));
            at = network.channel(channel).head.0;
            input = json!({"channel": channel});
        }
        add(&mut routers, at, "connect", json!({"from": input, "to": {"processor": to}}));
    }
    let steps = |program: &Program| -> Vec<Value> {
        let entry = |(step, lists): (&u32, &BTreeMap<&'static str, Vec<Value>>)| {
            let mut object = Map::new();
            object.insert("step".to_owned(), json!(step));
            object.extend(lists.iter().map(|(name, list)| ((*name).to_owned(), json!(list))));
            Value::Object(object)
        };
        program.iter().map(entry).collect()
    };
    let channels: Vec<Value> = network.channels().iter().map(|c| json!([c.tail, c.head])).collect();
    let processors = whole.processors.iter().map(|processor| {
        let program = processors.get(&processor.0).map(steps).unwrap_or_default();
        json!({"processor": processor, "router": network.home(*processor), "program": program})
    });
    let living = network.routers().filter(|&router| !network.is_lost(router));
    let routers = living.map(|router| {
        let program = routers.get(&router.0).map(steps).unwrap_or_default();
        json!({"router": router, "program": program})
    });
    Ok(one_file(format!(
        "{{\n\"format\": \"pavane/dma/1\",\n\"network\": {},\n\"collective\": {},\n\"steps\": {},\n\
         \"channels\": {},\n\"processors\": [{}],\n\"routers\": [{}]\n}}\n",
        json!(printable(network.name())),
        json!(printable(whole.collective())),
        whole.step_count(),
        Value::Array(channels),
        lines(processors),
        lines(routers),
    )))
}

/// Values as JSON, one per line.
fn lines(values: impl Iterator<Item = Value>) -> String {
    let lines: Vec<String> = values.map(|value| format!("\n{value}")).collect();
    lines.join(",")
}
