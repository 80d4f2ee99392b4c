//! Tests of the search for k-synchronous schedules.

mod known;
