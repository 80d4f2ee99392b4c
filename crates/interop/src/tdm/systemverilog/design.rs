//! The design: the slot counter, a ROM and a crossbar for every router, and a network interface for
//! every processor.

use crate::tdm::uses::{Connection, RouterPort, connections};
use pavane_model::printable::printable;
use pavane_model::words::counted;
use pavane_model::{ChannelId, Network, ProcessorId, RouterId, TdmSchedule};
use std::collections::BTreeMap;
use std::fmt::Write;

const ROUTER: &str = include_str!("router.sv");

/// The inputs and outputs of a router, each in order.
struct Crossbar {
    router: RouterId,
    inputs: Vec<RouterPort>,
    outputs: Vec<RouterPort>,
}

/// What a network interface does in a slot.
#[derive(Clone, Copy, Default)]
struct InterfaceRow {
    to: Option<ProcessorId>,
    from: Option<ProcessorId>,
}

/// Bits of a number below `count`, at least 1.
pub(super) fn bits(count: u64) -> u32 {
    (64 - count.saturating_sub(1).leading_zeros()).max(1)
}

/// The comment at the top of both files.
pub(super) fn heading(schedule: &TdmSchedule) -> String {
    let rules = schedule.problem.rules();
    let name = printable(schedule.problem.network().name()).replace(['\n', '\r'], " ");
    format!(
        "// TDM network on chip {name}: {} in a period of {}; {} per hop, {} per word.\n\
         // Written by pavane from a schedule that its judge has accepted.\n\n",
        counted(schedule.words.len(), "word"),
        counted(schedule.period, "slot"),
        counted(rules.depth, "slot"),
        counted(rules.phits, "phit")
    )
}

/// The file.
pub(super) fn text(schedule: &TdmSchedule) -> String {
    let network = schedule.problem.network();
    let crossbars: Vec<Crossbar> =
        network.routers().filter_map(|router| Crossbar::of(network, router)).collect();
    let mut text = heading(schedule) + ROUTER;
    let roms = roms(schedule, &crossbars);
    for crossbar in &crossbars {
        let entries = &roms[crossbar.router.index()];
        crossbar.rom(&mut text, schedule, entries);
    }
    let rows = interface_rows(schedule);
    for processor in network.living_processors() {
        interface(&mut text, schedule, processor, &rows[processor.index()]);
    }
    noc(&mut text, schedule, &crossbars);
    text
}

impl Crossbar {
    /// `None` if nothing can pass the router.
    fn of(network: &Network, router: RouterId) -> Option<Self> {
        let channels = |list: &[ChannelId]| -> Vec<RouterPort> {
            list.iter().copied().map(RouterPort::Channel).collect()
        };
        let locals = network.residents(router).iter().copied().map(RouterPort::Local);
        let mut inputs = channels(network.in_channels(router));
        let mut outputs = channels(network.out_channels(router));
        inputs.extend(locals.clone());
        outputs.extend(locals);
        let is_used = !inputs.is_empty() && !outputs.is_empty();
        is_used.then_some(Self { router, inputs, outputs })
    }

    /// Bits of the select of an output.
    fn select(&self) -> u32 {
        bits(self.inputs.len() as u64 + 1)
    }

    /// The ROM: a case for every slot in which an output is not idle. The last output comes first.
    fn rom(&self, text: &mut String, schedule: &TdmSchedule, entries: &RomEntries) {
        let network = schedule.problem.network();
        let (router, width) = (self.router, bits(u64::from(schedule.period)));
        let listed = |ports: &[RouterPort], is_input: bool| -> String {
            let name = |port: &RouterPort| match *port {
                RouterPort::Local(processor) => format!("processor {processor}"),
                RouterPort::Channel(channel) => {
                    let ends = network.channel(channel);
                    let other = if is_input { ends.tail } else { ends.head };
                    format!("router {other}")
                }
            };
            ports.iter().map(name).collect::<Vec<_>>().join(", ")
        };
        let (inputs, outputs) = (listed(&self.inputs, true), listed(&self.outputs, false));
        let (select, count) = (self.select(), self.outputs.len());
        let last = u64::from(select) * count as u64 - 1;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n// Router {router}. Inputs: {inputs}. Outputs: {outputs}.\n\
             module tdm_rom_{router} (\n    input logic [{}:0] slot,\n    output logic [{last}:0] select\n);\n    \
             always_comb begin\n        case (slot)\n",
            width - 1
        );
        for (slot, settings) in entries {
            let mut outputs = vec![0; count];
            for &(output, input) in settings {
                outputs[output] = input + 1;
            }
            let words = outputs.iter().rev().map(|input| format!("{select}'d{input}"));
            let words = words.collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "            {width}'d{slot}: select = {{{words}}};");
        }
        text.push_str("            default: select = '0;\n        endcase\n    end\nendmodule\n");
    }
}

/// By slot: the outputs that are connected, each with its input.
type RomEntries = BTreeMap<u32, Vec<(usize, usize)>>;

/// The ROM of every router.
fn roms(schedule: &TdmSchedule, crossbars: &[Crossbar]) -> Vec<RomEntries> {
    let count = schedule.problem.network().router_count();
    let mut places = vec![None; count];
    for crossbar in crossbars {
        places[crossbar.router.index()] = Some(crossbar);
    }
    let mut roms = vec![RomEntries::new(); count];
    for word in &schedule.words {
        for Connection { router, slot, input, output } in connections(schedule, word) {
            let Some(crossbar) = places[router.index()] else { continue };
            let find = |ports: &[RouterPort], port| ports.iter().position(|&one| one == port);
            let ends = find(&crossbar.outputs, output).zip(find(&crossbar.inputs, input));
            roms[router.index()].entry(slot).or_default().extend(ends);
        }
    }
    roms
}

/// By processor and slot: what its network interface does.
fn interface_rows(schedule: &TdmSchedule) -> Vec<Vec<InterfaceRow>> {
    let processors = schedule.problem.network().processor_count();
    let mut rows = vec![vec![InterfaceRow::default(); schedule.period as usize]; processors];
    for word in &schedule.words {
        for slot in schedule.slots(word, 0) {
            rows[word.from.index()][slot as usize].to = Some(word.to);
        }
        for slot in schedule.slots(word, word.path.len() + 1) {
            rows[word.to.index()][slot as usize].from = Some(word.from);
        }
    }
    rows
}

/// The network interface of a processor: where it sends in every slot, and whose phit arrives.
fn interface(
    text: &mut String,
    schedule: &TdmSchedule,
    processor: ProcessorId,
    rows: &[InterfaceRow],
) {
    let processors = schedule.problem.network().processor_count() as u64;
    let (width, number) = (bits(u64::from(schedule.period)), bits(processors));
    let (last, high) = (width - 1, number - 1);
    let _ = write!(
        text,
        "\n// The network interface of processor {processor}.\n\
         module tdm_interface_{processor} #(\n    parameter int WIDTH = 32\n) (\n    \
         input logic [{last}:0] slot,\n    output logic send_due,\n    output logic [{high}:0] send_to,\n    \
         input logic send_valid,\n    input logic [WIDTH-1:0] send_data,\n    \
         output logic receive_valid,\n    output logic [{high}:0] receive_from,\n    \
         output logic [WIDTH-1:0] receive_data,\n    output logic [WIDTH:0] injected,\n    \
         input logic [WIDTH:0] ejected\n);\n    always_comb begin\n        \
         // Whether a phit is sent, its receiver, and the sender of the phit that arrives.\n        case (slot)\n"
    );
    for (slot, row) in rows.iter().enumerate() {
        let is_due = u32::from(row.to.is_some());
        let (to, from) = (row.to.map_or(0, |to| to.0), row.from.map_or(0, |from| from.0));
        if row.to.is_some() || row.from.is_some() {
            let _ = writeln!(
                text,
                "            {width}'d{slot}: {{send_due, send_to, receive_from}} = {{1'd{is_due}, {number}'d{to}, \
                 {number}'d{from}}};"
            );
        }
    }
    text.push_str(
        "            default: {send_due, send_to, receive_from} = '0;\n        endcase\n    end\n    \
         assign injected = send_due && send_valid ? {1'b1, send_data} : '0;\n    \
         assign {receive_valid, receive_data} = ejected;\nendmodule\n",
    );
}

/// The network: the slot counter, and routers and network interfaces joined by channels.
fn noc(text: &mut String, schedule: &TdmSchedule, crossbars: &[Crossbar]) {
    let network = schedule.problem.network();
    let (processors, channels) = (network.processor_count(), network.channel_count());
    let width = bits(u64::from(schedule.period));
    let high = bits(processors as u64) - 1;
    let all = processors - 1;
    let _ = write!(
        text,
        "\n// The network. In every slot in which send_due of a processor is set, it may give a phit for the\n\
         // processor send_to; phits arrive with receive_valid, from the processor receive_from.\n\
         module tdm_noc #(\n    parameter int WIDTH = 32\n) (\n    input logic clock,\n    input logic reset,\n    \
         output logic [{slot}:0] slot,\n    output logic [{all}:0] send_due,\n    \
         output logic [{all}:0][{high}:0] send_to,\n    input logic [{all}:0] send_valid,\n    \
         input logic [{all}:0][WIDTH-1:0] send_data,\n    output logic [{all}:0] receive_valid,\n    \
         output logic [{all}:0][{high}:0] receive_from,\n    \
         output logic [{all}:0][WIDTH-1:0] receive_data\n);\n    \
         always_ff @(posedge clock) begin\n        \
         if (reset || slot == {width}'d{last}) slot <= '0;\n        else slot <= slot + 1'd1;\n    end\n\n    \
         logic [WIDTH:0] channels[{channels}];\n    logic [WIDTH:0] injected[{processors}];\n    \
         logic [WIDTH:0] ejected[{processors}];\n",
        slot = width - 1,
        last = schedule.period - 1,
        channels = channels.max(1),
    );
    let depth = schedule.problem.rules().depth;
    for crossbar in crossbars {
        let wires = |ports: &[RouterPort], local: &str| -> String {
            let wire = |port: &RouterPort| match port {
                RouterPort::Channel(channel) => format!("channels[{channel}]"),
                RouterPort::Local(processor) => format!("{local}[{processor}]"),
            };
            ports.iter().rev().map(wire).collect::<Vec<_>>().join(", ")
        };
        let (router, select) = (crossbar.router, crossbar.select());
        let (inputs, outputs) = (crossbar.inputs.len(), crossbar.outputs.len());
        let _ = write!(
            text,
            "\n    logic [{}:0] select_{router};\n    tdm_rom_{router} rom_{router} (.slot(slot), .select(select_{router}));\n    \
             tdm_router #(.INPUTS({inputs}), .OUTPUTS({outputs}), .SELECT({select}), .DEPTH({depth}), .WIDTH(WIDTH)) router_{router} (\n        \
             .clock(clock), .reset(reset), .select(select_{router}),\n        \
             .inputs({{{}}}),\n        .outputs({{{}}})\n    );\n",
            u64::from(select) * outputs as u64 - 1,
            wires(&crossbar.inputs, "injected"),
            wires(&crossbar.outputs, "ejected"),
        );
    }
    for processor in network.living_processors() {
        let p = processor.0;
        let _ = write!(
            text,
            "\n    tdm_interface_{p} #(.WIDTH(WIDTH)) interface_{p} (\n        \
             .slot(slot), .send_due(send_due[{p}]), .send_to(send_to[{p}]), .send_valid(send_valid[{p}]), .send_data(send_data[{p}]),\n        \
             .receive_valid(receive_valid[{p}]), .receive_from(receive_from[{p}]), .receive_data(receive_data[{p}]),\n        \
             .injected(injected[{p}]), .ejected(ejected[{p}])\n    );\n"
        );
    }
    for p in (0..processors as u32).filter(|&p| network.home(ProcessorId(p)).is_none()) {
        let _ = write!(
            text,
            "\n    // Processor {p} is lost.\n    assign {{send_due[{p}], send_to[{p}], receive_valid[{p}], receive_from[{p}], \
             receive_data[{p}]}} = '0;\n"
        );
    }
    text.push_str("endmodule\n");
}
