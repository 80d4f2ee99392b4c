//! What a program needs that carries a schedule out on the buffers of GPU runtimes: the transfers, the
//! sizes of the buffers, and for its own check what every output must contain.

use super::{Carry, Layout, Place, ends, lower, runtime_name};
use crate::export::ExportError;
use crate::whole::Whole;

/// The most transfers; interpreters and compilers would need too long for larger tables.
const MOST_TRANSFERS: usize = 1_000_000;

/// A schedule as the tables of a program.
pub(crate) struct GpuProgram {
    /// The name of the collective in GPU runtimes; `custom` if they have none.
    pub name: &'static str,
    /// The buffers.
    pub layout: Layout,
    /// The transfers in the order of their steps.
    pub carries: Vec<Carry>,
    /// The rank of the only sender or receiver; 0 if there are several.
    pub root: u32,
    /// What the outputs must contain.
    pub expected: Vec<Expectation>,
}

/// What a chunk of an output must contain: the sum of chunks of inputs.
pub(crate) struct Expectation {
    pub rank: u32,
    pub offset: u32,
    /// Ranks and offsets in their input buffers.
    pub parts: Vec<(u32, u32)>,
}

impl GpuProgram {
    /// The tables of a schedule. `format` names the format in errors.
    pub fn new(whole: &Whole<'_>, format: &'static str) -> Result<Self, ExportError> {
        let (layout, carries) = lower(whole);
        if carries.len() > MOST_TRANSFERS {
            let count = carries.len();
            return Err(ExportError::TooLarge {
                format,
                problem: format!("{count} transfers exceed the maximum of {MOST_TRANSFERS}"),
                remedy: "export a smaller schedule",
            });
        }
        let collective = whole.problem().collective();
        let root = match (&collective.senders[..], &collective.receivers[..]) {
            ([only], _) | (_, [only]) => whole.rank(*only),
            _ => 0,
        };
        let expected = expected(whole, &layout);
        Ok(Self { name: runtime_name(whole), layout, carries, root, expected })
    }
}

fn expected(whole: &Whole<'_>, layout: &Layout) -> Vec<Expectation> {
    let mut expected = Vec::new();
    for message in whole.problem().messages().ids() {
        let (contributors, receivers) = ends(whole, message);
        let place = |&rank: &u32| layout.source(message.0, rank).map(|at| (rank, at.offset));
        let parts: Vec<(u32, u32)> = contributors.iter().filter_map(place).collect();
        for rank in receivers {
            if let Some(Place { offset, .. }) = layout.target(message.0, rank) {
                expected.push(Expectation { rank, offset, parts: parts.clone() });
            }
        }
    }
    for &(rank, from, to) in &layout.copies {
        expected.push(Expectation { rank, offset: to.offset, parts: vec![(rank, from.offset)] });
    }
    expected
}
