//! The sizes of an all-to-all-v: a matrix of bytes, one row per sender and one column per receiver.

use pavane_model::collective::Kind;
use pavane_model::words::{counted, excerpt};
use pavane_model::{Collective, Problem, ProcessorId, strict_json};

/// The sizes of all messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    /// The size of each message, by its number, in units.
    pub relative: Vec<u64>,
    /// The bytes of a unit: the greatest common divisor of all sizes.
    pub unit: u64,
}

/// Why a matrix does not give the sizes of the messages of a collective.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SizesError {
    /// A collective with several phases.
    #[error("an all-reduce has one size; give the size of its buffer")]
    AllReduce,
    /// A collective without personalised messages from senders to receivers.
    #[error(
        "{collective} has messages of one size; give the size of its buffer, or use all-to-all"
    )]
    OneSize {
        /// The collective.
        collective: String,
    },
    /// Not one row per sender.
    #[error("it has {} for {}{}", counted(*rows, "row"), counted(*senders, "sender"), lost(.faults))]
    Rows {
        /// The number of rows.
        rows: usize,
        /// The number of senders.
        senders: usize,
        /// The faults of the network.
        faults: Vec<String>,
    },
    /// Not one column per receiver.
    #[error(
        "row {row} (processor {sender}) has {} for {}{}",
        counted(*columns, "column"),
        counted(*receivers, "receiver"),
        lost(.faults)
    )]
    Columns {
        /// The number of the row, from 1.
        row: usize,
        /// Its sender.
        sender: ProcessorId,
        /// The number of columns.
        columns: usize,
        /// The number of receivers.
        receivers: usize,
        /// The faults of the network.
        faults: Vec<String>,
    },
    /// Nothing but zeros.
    #[error("all sizes are 0, so there is nothing to send")]
    AllZero,
}

/// A hint for networks with faults; empty for others.
fn lost(faults: &[String]) -> String {
    if faults.is_empty() {
        return String::new();
    }
    let faults = faults.join(", ");
    format!("; processors that are lost to the faults ({faults}) have no row and no column")
}

/// Why a text is not a matrix of bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatrixError {
    /// Not JSON, or no list of lists of numbers.
    #[error("expected a list of rows: {error}")]
    Json {
        /// What is wrong with it.
        error: String,
    },
    /// A cell of a CSV that is not a number.
    #[error(
        "line {line}, column {column}: {cell:?} is not a whole number of bytes of at most {}",
        u64::MAX
    )]
    Cell {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The cell.
        cell: String,
    },
}

/// Reads a matrix of bytes: a JSON list of rows, or CSV without a heading.
///
/// ```
/// use pavane_throughput::sizes::read_matrix;
///
/// assert_eq!(read_matrix("0, 4096\n1024, 0\n")?, [[0, 4096], [1024, 0]]);
/// assert_eq!(read_matrix("[[0, 4096], [1024, 0]]")?, [[0, 4096], [1024, 0]]);
/// assert!(read_matrix("0,x").unwrap_err().to_string().starts_with("line 1, column 2: \"x\""));
/// # Ok::<(), pavane_throughput::sizes::MatrixError>(())
/// ```
pub fn read_matrix(text: &str) -> Result<Vec<Vec<u64>>, MatrixError> {
    if text.trim_start().starts_with(['[', '{']) {
        return strict_json::from_str(text)
            .map_err(|error| MatrixError::Json { error: error.to_string() });
    }
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let row = |(line, cells): (usize, &str)| {
        let number = |(column, cell): (usize, &str)| {
            let cell = cell.trim();
            let wrong = |_| MatrixError::Cell { line, column, cell: excerpt(cell).to_string() };
            cell.parse().map_err(wrong)
        };
        (1..).zip(cells.split(',')).map(number).collect()
    };
    lines.map(row).collect()
}

impl Sizes {
    /// The sizes that a matrix gives to the messages of a collective. What a processor sends to
    /// itself is ignored.
    pub fn of_matrix(problems: &[Problem], rows: &[Vec<u64>]) -> Result<Self, SizesError> {
        let [problem] = problems else { return Err(SizesError::AllReduce) };
        let collective = problem.collective();
        if !matches!(collective.kind, Kind::Scatter | Kind::Gather) {
            return Err(SizesError::OneSize { collective: collective.name.clone() });
        }
        check_shape(rows, problem)?;
        let sizes = of_messages(problem, rows);
        let unit = sizes.iter().fold(0, |unit, &size| greatest_common_divisor(unit, size));
        if unit == 0 {
            return Err(SizesError::AllZero);
        }
        Ok(Self { relative: sizes.into_iter().map(|size| size / unit).collect(), unit })
    }
}

fn check_shape(rows: &[Vec<u64>], problem: &Problem) -> Result<(), SizesError> {
    let Collective { senders, receivers, .. } = problem.collective();
    let faults = || problem.network().faults().to_vec();
    if rows.len() != senders.len() {
        let (rows, senders) = (rows.len(), senders.len());
        return Err(SizesError::Rows { rows, senders, faults: faults() });
    }
    for (row, (cells, &sender)) in (1..).zip(rows.iter().zip(senders)) {
        let (columns, receivers) = (cells.len(), receivers.len());
        if columns != receivers {
            return Err(SizesError::Columns { row, sender, columns, receivers, faults: faults() });
        }
    }
    Ok(())
}

/// The size of each message, by its number.
fn of_messages(problem: &Problem, rows: &[Vec<u64>]) -> Vec<u64> {
    let collective = problem.collective();
    let messages = problem.messages();
    let place = |group: &[ProcessorId]| {
        let mut places = vec![usize::MAX; problem.network().processor_count()];
        group.iter().enumerate().for_each(|(at, processor)| places[processor.index()] = at);
        places
    };
    let (row_of, column_of) = (place(&collective.senders), place(&collective.receivers));
    let size = |message| {
        let (origin, other) = (messages.origin(message), messages.destinations(message)[0]);
        let (from, to) = if problem.is_backward() { (other, origin) } else { (origin, other) };
        rows[row_of[from.index()]][column_of[to.index()]]
    };
    messages.ids().map(size).collect()
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
