//! Documents are taken in, found, read and removed: `consign ingest`, `search`, `sources` and `parse`.

mod contracts;
mod credentials;
mod desk;
mod files;
mod hostile;
mod interrupted;
mod kinds;
mod meaning;
mod names;
mod owners;
mod refresh;
pub(crate) mod removal;
mod rows;
mod surfaces;
mod texts;
