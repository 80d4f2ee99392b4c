//! The page of a schedule: one HTML file that plays it, with everything inside. The studio shows schedules
//! with the same scripts and the same data.

mod data;
mod page;

pub use data::{MOST_TRANSFERS, is_playable, schedule_data};
pub use page::{network_page, picture_page, schedule_page};

/// The player, for pages that load it by themselves.
pub const SCRIPT: &str = include_str!("viewer.js");

/// Its look.
pub const STYLE: &str = include_str!("viewer.css");
