//! Tests of the algorithms of the papers and of all engines together, in one binary: it links once.

mod chromosome;
#[path = "../../search/tests/common/mod.rs"]
mod common;
mod deadlines;
mod differential;
mod estimation;
mod evolution;
#[path = "../../search/tests/common/faulty.rs"]
mod faulty;
#[path = "../../search/tests/common/named.rs"]
mod named;
mod ranks;
mod resume;
