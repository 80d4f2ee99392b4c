//! A C program that executes the schedule on real buffers with MPI point-to-point calls: receives,
//! sends and a wait for every step, without barriers. It then checks every byte that any rank
//! wants.

use crate::export::{ExportError, File, one_file};
use crate::lowering::ends;
use crate::whole::Whole;
use std::fmt::Write;

/// The part of the program that is the same for every schedule.
const PROGRAM: &str = include_str!("program.c");

/// Maximum number of transfers; compilers would reject larger tables.
const MOST_TRANSFERS: usize = 4_000_000;

pub(crate) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let moves = whole.moves();
    if moves.len() > MOST_TRANSFERS {
        return Err(ExportError::TooLarge {
            format: "mpi",
            problem: format!("{} transfers exceed the maximum of {MOST_TRANSFERS}", moves.len()),
            remedy: "export a smaller schedule",
        });
    }
    let mut tables = String::new();
    let mut rows = moves.iter().map(|one| {
        format!(
            "{{{}, {}, {}, {}, {}}}",
            one.step,
            one.from,
            one.to,
            one.chunk,
            u8::from(one.reduces)
        )
    });
    table(&mut tables, "transfers", "struct transfer", &mut rows);
    let (contributors, wanted) = pairs(whole);
    let mut rows = contributors.iter().map(|(chunk, rank)| format!("{{{chunk}, {rank}}}"));
    table(&mut tables, "contributors", "struct pair", &mut rows);
    let mut rows = wanted.iter().map(|(chunk, rank)| format!("{{{chunk}, {rank}}}"));
    table(&mut tables, "wanted", "struct pair", &mut rows);
    let title = whole.title().replace("*/", "* /").replace(['\\', '"'], "");
    let text = PROGRAM
        .replace("@TITLE@", &title)
        .replace("@RANKS@", &whole.rank_count().to_string())
        .replace("@STEPS@", &whole.step_count().to_string())
        .replace("@CHUNKS@", &whole.problem().messages().len().to_string())
        .replace("@BYTES@", &whole.chunk_bytes().to_string())
        .replace("/*@TABLES@*/", &tables);
    Ok(one_file(text))
}

/// A C array with its length.
fn table(text: &mut String, name: &str, of: &str, rows: &mut dyn Iterator<Item = String>) {
    // Writing to a string cannot fail.
    let _ = write!(text, "static const {of} {name}[] = {{");
    let mut count = 0;
    for row in rows {
        let separator = if count % 6 == 0 { "\n    " } else { " " };
        let _ = write!(text, "{separator}{row},");
        count += 1;
    }
    let _ = writeln!(text, "\n}};\nenum {{ {}_COUNT = {count} }};\n", name.to_uppercase());
}

/// Pairs of a chunk and a rank.
type Pairs = Vec<(u32, u32)>;

/// The contributors and the receivers of every chunk, as sorted pairs of chunk and rank.
fn pairs(whole: &Whole<'_>) -> (Pairs, Pairs) {
    let (mut contributors, mut wanted) = (Vec::new(), Vec::new());
    for message in whole.problem().messages().ids() {
        let (from, to) = ends(whole, message);
        contributors.extend(from.into_iter().map(|rank| (message.0, rank)));
        wanted.extend(to.into_iter().map(|rank| (message.0, rank)));
    }
    (contributors, wanted)
}
