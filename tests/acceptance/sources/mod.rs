//! Documents are taken in, found, read and removed: `consign ingest`, `search`, `sources` and `parse`.

mod desk;
mod files;
mod kinds;
mod owners;
mod refresh;
mod removal;
mod rows;
mod texts;
