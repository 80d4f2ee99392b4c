//! Chakra execution traces in the format that ASTRA-sim reads: for every rank, a stream of
//! length-prefixed protobuf messages. The encoder is written by hand: two messages with a dozen
//! fields do not justify generated code and a protobuf compiler.

use crate::export::{ExportError, File};
use crate::whole::Whole;

pub(crate) const SEND: u64 = 5;
pub(crate) const RECEIVE: u64 = 6;

/// A protobuf message being written.
#[derive(Default)]
pub(crate) struct Message(pub Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    pub fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Repeated numbers, packed as in protobuf version 3.
    pub fn numbers(self, field: u64, values: &[u64]) -> Self {
        if values.is_empty() {
            return self;
        }
        let mut packed = Self::default();
        values.iter().for_each(|&value| packed.varint(value));
        self.bytes(field, &packed.0)
    }

    /// An attribute: its name, and its value in the field for its type.
    pub fn attribute(self, name: &str, field: u64, value: u64) -> Self {
        let attribute = Self::default().bytes(1, name.as_bytes()).number(field, value);
        self.bytes(10, &attribute.0)
    }
}

/// Fields of an attribute's value.
pub(crate) const INT32: u64 = 7;
pub(crate) const INT64: u64 = 9;
pub(crate) const BOOL: u64 = 27;

pub(super) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    if whole.moves().len() > i32::MAX as usize {
        return Err(ExportError::TooLarge {
            format: "chakra",
            problem: format!("{} transfers exceed the number of tags", whole.moves().len()),
            remedy: "export a smaller schedule",
        });
    }
    let metadata = Message::default().bytes(1, b"0.0.4");
    let mut streams: Vec<Message> = whole.processors.iter().map(|_| Message::default()).collect();
    for stream in &mut streams {
        append(stream, &metadata);
    }
    // By rank: its last active step, the nodes of that step, and the nodes of its active step
    // before.
    let mut last: Vec<(u32, Vec<u64>, Vec<u64>)> = vec![(0, Vec::new(), Vec::new()); streams.len()];
    for (number, one) in (0..).zip(whole.moves()) {
        let data: Vec<u64> = one.after.iter().map(|&at| 2 * u64::from(at) + 1).collect();
        let sides = [
            (one.from, SEND, "send", 2 * number, data),
            (one.to, RECEIVE, "recv", 2 * number + 1, Vec::new()),
        ];
        for (rank, kind, word, id, data) in sides {
            let (step, now, before) = &mut last[rank as usize];
            if *step != one.step {
                (*step, *before) = (one.step, std::mem::take(now));
            }
            now.push(id);
            let node = Message::default()
                .number(1, id)
                .bytes(2, format!("step{}_{word}_{}_to_{}", one.step, one.from, one.to).as_bytes())
                .number(3, kind)
                .numbers(4, before)
                .numbers(5, &data)
                .attribute("is_cpu_op", BOOL, 0)
                .attribute("comm_size", INT64, whole.chunk_bytes())
                .attribute("comm_src", INT32, one.from.into())
                .attribute("comm_dst", INT32, one.to.into())
                .attribute("comm_tag", INT32, number);
            append(&mut streams[rank as usize], &node);
        }
    }
    let file =
        |(rank, stream): (usize, Message)| File { suffix: format!(".{rank}.et"), bytes: stream.0 };
    Ok(streams.into_iter().enumerate().map(file).collect())
}

pub(crate) fn append(stream: &mut Message, message: &Message) {
    stream.varint(message.0.len() as u64);
    stream.0.extend_from_slice(&message.0);
}
