//! Tests of the atlas, with entries of the atlas of this repository.

mod bad_files;
mod common;
mod growth;
mod isomorphic;
