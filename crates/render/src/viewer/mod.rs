//! The page of a schedule: one self-contained HTML file that plays it. The studio shows schedules
//! with the same scripts and data.

mod data;
mod page;
mod tdm;
mod timed;

pub use data::{MOST_TRANSFERS, is_playable, schedule_data};
pub use page::{network_page, picture_page, schedule_page};
pub use tdm::{is_tdm_playable, tdm_data, tdm_page};
pub use timed::{timed_data, timed_page};

/// The player's scripts, for pages that load them separately.
pub const SCRIPT: &str = concat!(
    include_str!("labels.js"),
    include_str!("network.js"),
    include_str!("words.js"),
    include_str!("motion.js"),
    include_str!("zoom.js"),
    include_str!("paths.js"),
    include_str!("controls.js"),
    include_str!("timeline.js"),
    include_str!("legend.js"),
    include_str!("chart.js"),
    include_str!("viewer.js")
);

/// The player's style sheet.
pub const STYLE: &str = include_str!("viewer.css");
