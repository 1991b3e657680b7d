//! Sources on loopback: folders, sites that behave and sites that do not, and a double of Google Drive.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod crawl;
mod drive;
mod gdrive;
mod hostile;
mod local;
mod site;
mod web;
mod world;
