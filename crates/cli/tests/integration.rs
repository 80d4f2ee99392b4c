//! Tests of the program from outside, in one binary: it links once.

mod alone;
mod animations;
mod chunks;
mod claims;
mod common;
mod exports;
mod fuzz_corpus;
mod gpu_programs;
mod hidden_characters;
mod imports;
mod input_files;
mod json_output;
mod output_files;
mod overlap;
mod plans;
mod proof_checker;
mod ranks;
mod real_programs;
mod signals;
mod strict_json;
mod studio;
mod survey;
mod tdm_exports;
mod tdm_refutations;
mod terminal;
mod timed_exports;
