//! Encodes "there is a schedule of at most S steps" as a formula that any SAT solver can decide.
//!
//! The exact engine and the judge share this code: the engine solves the formula, and the judge
//! builds it again to check a proof against it. Checking a proof does not find an error in the
//! formula, so the code is kept small and simple, and `tests/formula` compares it with brute force.
//!
//! Every message reaches a processor by at most one *journey*, which has a sender, a path and a
//! step. Sender and path do not depend on the step. The formula is weaker than the rules where this
//! does not change the answer: a model may use channels beyond one path, or contain transfers that
//! no destination needs. These only take up capacity, and decoding drops them.

mod check;
mod cnf;
mod decode;
mod encode;
mod estimate;
mod journey;
mod lack;
mod order;

pub use check::{RefutationError, check_refutation, check_refutation_within};
pub(crate) use cnf::TRUE;
pub use cnf::{Cnf, Literal};
pub use encode::{Encoding, TooLarge, encode, encode_unless, encode_within};
pub use estimate::{cost, estimate, is_affordable};

/// Maximum number of literals of a formula.
pub const MOST_LITERALS: usize = 20_000_000;

/// Version of the encoding. A proof for another version proves nothing, so this number changes
/// whenever the encoding does.
pub const VERSION: u32 = 1;
