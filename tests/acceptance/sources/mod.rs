//! Documents are taken in, found, read and removed: `consign ingest`, `search`, `sources` and `parse`.

mod credentials;
mod desk;
mod files;
mod kinds;
mod meaning;
mod owners;
mod refresh;
mod removal;
mod rows;
mod surfaces;
mod texts;
