//! Tests of the choice of schedules by size.

mod choice;
mod steps;
