//! "A schedule of at most so many steps exists" as a formula that any solver can decide. Engine and
//! judge both see it: a refutation counts because the judge writes the formula anew by this code,
//! so it is kept small and plain, and is held against brute force.
//!
//! Every message that may come to a processor comes by one *journey*: its sender, its path, and
//! the step in which it happens. Sender and path do not depend on the step. A formula asks for
//! less than the rules where more would not change the answer: what a model holds beyond one path,
//! or beyond the receipts that are needed, only takes up room, and is left out when it is read.

mod check;
mod cnf;
mod decode;
mod encode;
mod estimate;
mod journey;
mod lack;
mod order;

pub use check::{RefutationError, check_refutation, check_refutation_within};
pub use cnf::{Cnf, Literal};
pub use encode::{Encoding, TooLarge, encode, encode_unless, encode_within};
pub use estimate::{cost, estimate, is_affordable};

/// The most literals that a formula may have.
pub const MOST_LITERALS: usize = 20_000_000;

/// Which formula is written for a problem. A proof about another one proves nothing here, so this
/// number changes whenever the encoding does.
pub const VERSION: u32 = 1;
