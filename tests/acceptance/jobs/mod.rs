//! Supervised jobs, as their users meet them.

mod manifest;
mod roles;
mod sensitive;
mod stories;
mod surfaces;
mod table;
mod thresholds;
mod trial;
