//! The XML specifications of poseidon, the scheduler of the Argo network on chip: elements with
//! attributes, and the platform among them.

mod element;
mod platform;
#[cfg(test)]
mod tests;

pub use element::{SpecificationElement, specification};
pub use platform::{Platform, read_platform};

pub(crate) use element::is_specification;
pub(crate) use platform::parse;
