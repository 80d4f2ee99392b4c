//! Tests of the algorithms of libraries.

mod algorithms;
