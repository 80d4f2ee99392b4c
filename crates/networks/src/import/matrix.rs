//! Link-count matrices: N rows of N whole numbers, the links between routers i and j. If the matrix
//! is not symmetric, or a line `directed` precedes it, they count channels from i to j.

use super::{ImportError, line_error, whole_error};
use crate::description::{Description, Edge, Form};
use pavane_model::network::{LARGEST, Timing};
use pavane_model::words::excerpt;

/// The non-zero entries: row, column, links.
type Entries = Vec<(u32, u32, u32)>;

/// Whether a text is a square matrix of whole numbers with at least three columns. Lines of an edge
/// list have two.
pub(super) fn is_one(text: &str) -> bool {
    let row = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
    let rows: Vec<String> = text.lines().map(row).filter(|row| !row.is_empty()).collect();
    let rows = match rows.first().map(String::as_str) {
        Some("directed" | "undirected") => &rows[1..],
        _ => &rows[..],
    };
    let is_row = |row: &String| {
        let count = cells(row).filter(|cell| count(cell).is_ok()).count();
        count == rows.len() && cells(row).count() == rows.len()
    };
    rows.len() >= 3 && rows.iter().all(is_row)
}

pub(super) fn parse(text: &str, file: &str, name: &str) -> Result<Description, ImportError> {
    let mut said = None;
    let mut rows = 0;
    let mut columns: Option<usize> = None;
    let mut entries = Entries::new();
    let mut total = 0;
    for (index, line) in text.lines().enumerate() {
        let wrong = |problem: String| line_error(file, index + 1, line, &problem);
        let row = line.split('#').next().unwrap_or_default().trim();
        if row.is_empty() {
            continue;
        }
        if rows == 0 && matches!(row, "directed" | "undirected") {
            said = Some(row);
            continue;
        }
        let mut column = 0;
        for cell in cells(row) {
            let count = count(cell).map_err(wrong)?;
            if count > 0 && column == rows {
                return Err(wrong(format!(
                    "router {rows} has {count} links to itself, which is not allowed"
                )));
            }
            total += u64::from(count);
            if total > LARGEST {
                return Err(wrong(format!("more than {LARGEST} channels, the maximum")));
            }
            if count > 0 {
                entries.push((rows as u32, column as u32, count));
            }
            column += 1;
        }
        if *columns.get_or_insert(column) != column {
            let first = columns.unwrap_or_default();
            return Err(wrong(format!("{column} entries, but the first row has {first}")));
        }
        rows += 1;
    }
    if let Some(columns) = columns.filter(|&columns| columns != rows) {
        let problem = format!(
            "{rows} rows of {columns} entries are not a square matrix (write an edge list, `u v` per line, as a .edges file)"
        );
        return Err(whole_error(file, &problem));
    }
    let is_symmetric = is_symmetric(&entries);
    if said == Some("undirected") && !is_symmetric {
        return Err(whole_error(file, "it says undirected, but the matrix is not symmetric"));
    }
    let is_directed = said == Some("directed") || !is_symmetric;
    let routers = rows as u32;
    Ok(Description {
        name: name.to_owned(),
        routers,
        edges: edges(&entries, is_directed),
        homes: (0..routers).map(Some).collect(),
        ..Description::default()
    })
}

/// The entries of a row, separated by commas, semicolons or blanks.
fn cells(row: &str) -> impl Iterator<Item = &str> {
    let sign = [',', ';'].into_iter().find(|&sign| row.contains(sign));
    let is_between = move |c: char| sign.map_or(c.is_whitespace(), |sign| c == sign);
    row.split(is_between).map(str::trim).filter(move |cell| sign.is_some() || !cell.is_empty())
}

/// The maximum number of links between two routers, so that a short file cannot exhaust memory.
const MOST_PARALLEL: u32 = 1 << 16;

/// Parses a whole number, including forms such as 2.0 or 2e0 that numeric programs write.
fn count(cell: &str) -> Result<u32, String> {
    let number = cell.parse::<f64>().ok().filter(|count| *count >= 0.0 && count.fract() == 0.0);
    match number {
        Some(count) if count <= f64::from(MOST_PARALLEL) => Ok(count as u32),
        Some(_) => Err(format!(
            "{:?} links between two routers exceed the maximum of {MOST_PARALLEL}",
            excerpt(cell)
        )),
        None => Err(format!("{:?} is not a number of links", excerpt(cell))),
    }
}

fn is_symmetric(entries: &Entries) -> bool {
    let mut turned: Entries =
        entries.iter().map(|&(row, column, count)| (column, row, count)).collect();
    turned.sort_unstable();
    turned == *entries
}

fn edges(entries: &Entries, is_directed: bool) -> Vec<Edge> {
    let form = if is_directed { Form::Channel { link: None } } else { Form::Link };
    let wanted = entries.iter().filter(|(row, column, _)| is_directed || row < column);
    wanted
        .flat_map(|&(tail, head, count)| {
            let edge = Edge { tail, head, form, timing: Timing::default() };
            std::iter::repeat_n(edge, count as usize)
        })
        .collect()
}
