//! Checked schedules made visible: files, tables, pictures. Nothing here decides anything, and
//! nothing takes a schedule that the judge has not passed.

pub mod curves;
pub mod dependency_graph;
pub mod export;
pub mod file;
pub mod gantt;
pub mod heat_map;
pub mod layout;
pub mod mission;
pub mod picture;
pub mod table;
pub mod viewer;
