//! What can be done with pipelines: run one durably, take an envelope through one, ask a question about code.
//!
//! [`ready`] reads a pipeline's file, finds the agents of its stages and knows where they may look; the other functions
//! want what it gives.

mod agents;
mod carry;
mod keys;
mod question;
mod ready;
mod replace;
mod run;
mod service;

pub use agents::Program;
pub use carry::EnvelopeRunner;
pub use keys::MissingKey;
pub use question::{Ask, Question, ask};
pub use ready::{Ready, Where, check_until, load, ready, repo, unusable, warnings, wrong};
pub use replace::replaced;
pub use run::{PipelineStart, RunPipeline, run_pipeline};
pub use service::{
    Ask as ProcessAsk, PipelineService, Processed, Processor, Refused as ProcessRefused, StartAsk,
};
