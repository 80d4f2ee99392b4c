//! LaTeX: a table in the papers' form, one row per step, for `\input`; `longtable` breaks it across
//! pages.

use crate::export::{ExportError, File, one_file};
use crate::whole::Whole;
use std::fmt::Write;

pub(crate) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let mut text = format!(
        "% Needs \\usepackage{{longtable}}.\n\\begin{{longtable}}{{r p{{0.85\\linewidth}}}}\n\\caption{{{}}}\\\\\n\
         \\hline\nstep & transfers \\\\\n\\hline\n\\endhead\n",
        escaped(&whole.title())
    );
    let rows = whole.phases.iter().flat_map(super::rows);
    for (step, transfers) in rows.enumerate() {
        let transfers: Vec<String> = transfers.iter().map(|one| escaped(one)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{step} & {} \\\\", transfers.join(", "));
    }
    text += "\\hline\n\\end{longtable}\n";
    Ok(one_file(text))
}

/// Escapes LaTeX special characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in pavane_model::words::printable(text).chars() {
        match letter {
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '<' => out += "\\textless{}",
            '>' => out += "\\textgreater{}",
            // Brackets at the start of a row would be read as an optional argument.
            '[' | ']' => out += &format!("{{{letter}}}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(letter);
            }
            letter => out.push(letter),
        }
    }
    out
}
