//! Pictures of networks, of checked schedules, throughput plans, timed and TDM schedules: what is drawn ([`scene`]), in which colours
//! ([`ink`]), and in which file format ([`svg`], [`png`], [`gif`]). There is one file per kind of picture.

mod animation;
mod arrow;
pub mod bandwidth;
mod channels;
pub mod curve;
mod draw;
mod font;
pub mod frames;
pub mod gif;
pub mod ink;
pub(crate) mod labels;
pub mod map;
pub(crate) mod nodes;
pub mod panel;
mod pixels;
mod plan;
pub mod png;
pub(crate) mod processors;
pub mod scene;
mod section;
pub mod senders;
mod steps;
pub mod svg;
pub(crate) mod tdm;
pub(crate) mod timed;

pub use animation::{animated_schedule, animated_timed};
pub(crate) use draw::Page;
pub use draw::{DrawError, Show, animated_steps, check_size, network, schedule, shown_steps};
pub use ink::Theme;
pub use map::Map;
pub use plan::{NoSuchRoutes, ShownRoutes, plan};
pub use section::{CheckedPhase, DrawnSchedule, Section, SectionPhase};
pub use tdm::{tdm, title as tdm_title};
pub use timed::{timed, title as timed_title};
