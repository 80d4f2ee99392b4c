//! Tests of the judge, in one binary: it links once.

mod common;
mod corpus;
#[path = "formula/main.rs"]
mod formula;
#[path = "limits/main.rs"]
mod limits;
mod mutants;
mod program;
mod report;
mod rounds;
mod tdm;
mod tdm_formula;
mod throughput;
mod timed;
