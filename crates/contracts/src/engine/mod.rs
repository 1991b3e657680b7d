//! The contracts of our own: a run, its events, faults and inbox, and pipelines, as programs
//! outside see them.

mod event;
mod fault;
mod interaction;
mod pipeline;
mod run;

pub use event::Event;
pub use fault::{Fault, FaultClass};
pub use interaction::{Audience, Interaction, InteractionKind};
pub use pipeline::{PersonAsk, Pipeline, PipelinePerson, PipelineRoute, PipelineStage};
pub use run::{Ancestor, Run, RunStatus, Usage};

use crate::{Contract, Document};

pub static DOCUMENT: Document =
    Document { family: "engine", title: "Consign", version: "0.1", page: "docs/spec/engine.md" };

pub static CONTRACTS: [Contract; 5] = [
    Contract::of::<Event>(&DOCUMENT),
    Contract::of::<Interaction>(&DOCUMENT),
    Contract::of::<Fault>(&DOCUMENT),
    Contract::of::<Pipeline>(&DOCUMENT),
    Contract::of::<Run>(&DOCUMENT),
];
