//! Reads MSCCL XML: `algo > gpu > tb > step`. The k-th send of a thread block is matched with the
//! k-th receive of the thread block at the other end of its channel.

use crate::plan::{
    Buffer, Definition, LARGEST, Operation, Plan, PlanError, PlanFault, Queue, Sizes, Span, Thread,
};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeMap;

/// Limit of the runtime on the number of GPUs; a file beyond it is rejected.
const MOST_GPUS: u32 = 4096;

/// Limit of the runtime on the chunks of a step (`MSCCL_MAX_COUNT`): it accepts smaller counts, and
/// does not look at the count of a `nop`.
const COUNT_LIMIT: u32 = 72;

/// Sends in flight on a connection. It has eight slots; a chunk takes four in the protocol Simple,
/// otherwise one.
fn slots(protocol: Option<&str>) -> u32 {
    match protocol {
        Some("LL" | "LL128") => 8,
        _ => 2,
    }
}

/// Maximum length of a tag in bytes.
const LONGEST_TAG: usize = 1 << 13;

struct ProgramReader {
    plan: Plan,
    /// Queues by source, destination and channel.
    queues: BTreeMap<(u32, u32, u32), usize>,
    /// The thread that sends (`senders`) and the one that receives (`receivers`) on each queue.
    senders: BTreeMap<usize, usize>,
    receivers: BTreeMap<usize, usize>,
}

pub(crate) fn read(text: &str) -> Result<Plan, PlanError> {
    if has_overlong_tag(text) {
        return Err(PlanError::new("the file", format!("a tag of more than {LONGEST_TAG} bytes")));
    }
    let options = ParsingOptions { nodes_limit: 4 * LARGEST as u32, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| PlanError::new("the file", format!("not XML: {error}")))?;
    let algo = document.root_element();
    if !algo.has_tag_name("algo") {
        let problem = format!("expected <algo>, found <{}>", algo.tag_name().name());
        return Err(PlanError::new("the file", problem));
    }
    let gpus: Vec<Node<'_, '_>> = elements(algo, "gpu").collect();
    let collective = algo.attribute("coll").unwrap_or_default().to_owned();
    let definition = match comment(&document) {
        Some(json) => Definition::carried(&collective, json)?,
        None => Definition::named(&collective, None),
    };
    let flag = |name: &str| algo.attribute(name).is_some_and(|value| value == "1");
    let plan = Plan {
        name: algo.attribute("name").unwrap_or_default().to_owned(),
        format: "MSCCL",
        collective,
        definition,
        is_in_place: flag("inplace") && !flag("outofplace"),
        slots: Some(slots(algo.attribute("proto"))),
        ranks: vec![Sizes::default(); gpus.len()],
        threads: Vec::new(),
        queues: Vec::new(),
        noted: Vec::new(),
    };
    let stated = number(algo, "algo", "ngpus")?;
    if stated as usize != gpus.len() || stated == 0 || stated > MOST_GPUS {
        let problem = format!("ngpus is {stated}, but {} are listed", gpus.len());
        return Err(PlanError::new("algo", problem));
    }
    let (queues, senders, receivers) = Default::default();
    let mut reader = ProgramReader { plan, queues, senders, receivers };
    let mut is_known = vec![false; gpus.len()];
    for gpu in gpus {
        let id = number(gpu, "gpu", "id")?;
        match is_known.get_mut(id as usize) {
            Some(known) if !*known => *known = true,
            _ => {
                return Err(PlanError::new(
                    format!("gpu {id}"),
                    "it is listed twice, or is not less than ngpus",
                ));
            }
        }
        reader.gpu(gpu, id)?;
    }
    reader.check_size()?;
    Ok(reader.plan)
}

/// Whether a tag is longer than [`LONGEST_TAG`]. The XML parser compares every attribute with all
/// others of its tag, so a tag full of attributes would take hours.
fn has_overlong_tag(text: &str) -> bool {
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let is_comment = rest.starts_with("<!--");
        let end = if is_comment { rest.find("-->") } else { rest.find('>') };
        match end {
            Some(end) if is_comment || end <= LONGEST_TAG => rest = &rest[end..],
            Some(_) => return true,
            None => return rest.len() > LONGEST_TAG,
        }
    }
    false
}

/// The definition in a comment, as written by Pavane's own export.
fn comment<'a>(document: &'a Document<'_>) -> Option<&'a str> {
    let comments = document.root().children().filter(Node::is_comment);
    comments.filter_map(|node| node.text()).find_map(|text| text.trim().strip_prefix("pavane "))
}

fn elements<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn text<'a>(node: Node<'a, '_>, place: &str, name: &str) -> Result<&'a str, PlanError> {
    node.attribute(name).ok_or_else(|| PlanError::new(place, format!("it has no {name}")))
}

fn signed(node: Node<'_, '_>, place: &str, name: &str) -> Result<i64, PlanError> {
    let text = text(node, place, name)?;
    text.trim().parse::<i32>().map(i64::from).map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        PlanError::new(place, format!("{name} is {shown:?}, not a number"))
    })
}

fn number(node: Node<'_, '_>, place: &str, name: &str) -> Result<u32, PlanError> {
    let value = signed(node, place, name)?;
    u32::try_from(value)
        .map_err(|_| PlanError::new(place, format!("{name} is {value}, which is negative")))
}

impl ProgramReader {
    fn gpu(&mut self, gpu: Node<'_, '_>, rank: u32) -> Result<(), PlanError> {
        let place = format!("gpu {rank}");
        self.plan.ranks[rank as usize] = Sizes {
            input: number(gpu, &place, "i_chunks")?,
            output: number(gpu, &place, "o_chunks")?,
            scratch: number(gpu, &place, "s_chunks")?,
        };
        self.check_size()?;
        let first = self.plan.threads.len();
        for (at, block) in elements(gpu, "tb").enumerate() {
            let id = number(block, &place, "id")?;
            if id as usize != at {
                let problem = format!("expected thread block {at}, found {id}");
                return Err(PlanError::new(&place, problem));
            }
            self.block(block, rank, id, first)?;
        }
        self.check_dependencies(first);
        Ok(())
    }

    fn check_size(&self) -> Result<(), PlanError> {
        let size = |sizes: &Sizes| {
            u64::from(sizes.input) + u64::from(sizes.output) + u64::from(sizes.scratch)
        };
        let chunks: u64 = self.plan.ranks.iter().map(size).sum();
        if chunks > LARGEST as u64 || self.plan.operation_count() > LARGEST {
            let problem = format!("more than {LARGEST} chunks or steps, the maximum");
            Err(PlanError::new("the file", problem))
        } else {
            Ok(())
        }
    }

    fn block(
        &mut self,
        block: Node<'_, '_>,
        rank: u32,
        id: u32,
        first: usize,
    ) -> Result<(), PlanError> {
        let place = format!("gpu {rank}, tb {id}");
        let thread = self.plan.threads.len();
        let channel = number(block, &place, "chan")?;
        let mut peer = |name: &str| -> Result<Option<usize>, PlanError> {
            let peer = signed(block, &place, name)?;
            if peer == -1 {
                return Ok(None);
            }
            let peer = u32::try_from(peer)
                .ok()
                .filter(|&peer| (peer as usize) < self.plan.rank_count() && peer != rank);
            let Some(peer) = peer else {
                let problem = format!("{name} does not name another gpu");
                return Err(PlanError::new(&place, problem));
            };
            let is_send = name == "send";
            let (from, to) = if is_send { (rank, peer) } else { (peer, rank) };
            let queue = self.queue(from, to, channel);
            let users = if is_send { &mut self.senders } else { &mut self.receivers };
            if users.insert(queue, thread).is_some() {
                let problem =
                    format!("another thread block also has {name} {peer} on channel {channel}");
                return Err(PlanError::new(&place, problem));
            }
            Ok(Some(queue))
        };
        let (send, receive) = (peer("send")?, peer("recv")?);
        let mut operations = Vec::new();
        for (at, step) in elements(block, "step").enumerate() {
            let place = format!("gpu {rank}, tb {id}, step {at}");
            let number = number(step, &place, "s")?;
            if number as usize != at {
                let problem = format!("expected step {at}, found {number}");
                return Err(PlanError::new(&place, problem));
            }
            let operation = operation(step, &place, rank, first, send, receive)?;
            operations.push(Operation { number, ..operation });
        }
        self.plan.threads.push(Thread { rank, id, operations });
        Ok(())
    }

    fn queue(&mut self, from: u32, to: u32, channel: u32) -> usize {
        let queues = &mut self.plan.queues;
        *self.queues.entry((from, to, channel)).or_insert_with(|| {
            let name = format!("data from rank {from} to rank {to} on channel {channel}");
            queues.push(Queue { name, start: 0, ends: (from, to) });
            queues.len() - 1
        })
    }

    /// Reports dependencies on a step that does not exist or does not signal its completion.
    fn check_dependencies(&mut self, first: usize) {
        for thread in first..self.plan.threads.len() {
            for at in 0..self.plan.threads[thread].operations.len() {
                let operation = &self.plan.threads[thread].operations[at];
                let Some(&(other, step)) = operation.after.first() else { continue };
                let target = self.plan.threads.get(other).and_then(|t| t.operations.get(step));
                let problem = match target {
                    None => format!(
                        "it waits for step {step} of thread block {}, which does not exist",
                        other - first
                    ),
                    Some(target) if !target.tells => {
                        format!(
                            "it waits for step {step} of thread block {}, whose hasdep is 0",
                            other - first
                        )
                    }
                    Some(_) => continue,
                };
                let operation = self.plan.operation_name((thread, at));
                self.plan.noted.push(PlanFault::Misfit { operation, problem });
                self.plan.threads[thread].operations[at].after.clear();
            }
        }
    }
}

fn operation(
    step: Node<'_, '_>,
    place: &str,
    rank: u32,
    first: usize,
    send: Option<usize>,
    receive: Option<usize>,
) -> Result<Operation, PlanError> {
    let kind = text(step, place, "type")?;
    // What the type does: r receive, f read the source, u read the target, t store, s send.
    let does = match kind {
        "s" => "fs",
        "r" => "rt",
        "rcs" => "rts",
        "rrc" => "rft",
        "rrs" => "rfs",
        "rrcs" => "rfts",
        "cpy" => "ft",
        "re" => "fut",
        "nop" => "",
        other => {
            let shown: String = other.chars().take(20).collect();
            return Err(PlanError::new(place, format!("unknown step type {shown:?}")));
        }
    };
    let count = number(step, place, "cnt")?;
    if count >= COUNT_LIMIT && kind != "nop" {
        return Err(PlanError::new(
            place,
            format!("cnt is {count}; the runtime accepts 0 to {}", COUNT_LIMIT - 1),
        ));
    }
    let span = |buffer: &str, offset: &str| -> Result<Span, PlanError> {
        let word = text(step, place, buffer)?;
        let parsed = Buffer::parse(word).ok_or_else(|| {
            let shown: String = word.chars().take(20).collect();
            PlanError::new(place, format!("{buffer} is {shown:?}, not i, o or s"))
        })?;
        Ok(Span { rank, buffer: parsed, offset: number(step, place, offset)?, count })
    };
    let missing =
        |what: &str| PlanError::new(place, format!("it {what}, but its tb has no peer to do so"));
    let mut operation = Operation { name: kind.to_owned(), is_data: true, ..Operation::default() };
    for letter in does.chars() {
        match letter {
            'r' => {
                operation.takes.push(receive.ok_or_else(|| missing("receives"))?);
                operation.received = Some(count);
            }
            'f' => operation.sources.push(span("srcbuf", "srcoff")?),
            'u' => operation.sources.push(span("dstbuf", "dstoff")?),
            't' => operation.stores.push(span("dstbuf", "dstoff")?),
            _ => operation.gives.push(send.ok_or_else(|| missing("sends"))?),
        }
    }
    let (block, at) = (signed(step, place, "depid")?, signed(step, place, "deps")?);
    if block >= 0 && at >= 0 {
        operation.after.push((first + block as usize, at as usize));
    } else if block >= 0 || at > 0 {
        let problem =
            format!("depid is {block} and deps is {at}, which is an incomplete dependency");
        return Err(PlanError::new(place, problem));
    }
    operation.tells = signed(step, place, "hasdep")? == 1;
    Ok(operation)
}
