//! Renders checked schedules: pictures, pages and schedule files. This crate decides nothing, and
//! accepts only schedules that the judge has accepted.
//!
//! ```
//! use pavane_render::picture::{self, Theme, svg};
//!
//! let network = pavane_networks::topology::build("octagon:8")?;
//! let drawing = svg::write(&picture::network(&network)?, Theme::Auto);
//! assert!(drawing.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod channel_uses;
pub mod curves;
pub mod dependency_graph;
pub mod fault_heat;
pub mod file;
pub mod gantt;
pub mod heat_map;
pub mod layout;
pub mod log_chart;
pub mod mission;
pub mod picture;
pub mod replay;
mod title;
pub mod traffic_chart;
pub mod viewer;
mod xml;
