//! What may be said about documents: plans of questions, quotes that answer them, refusals, and checked citations.
//!
//! A turn: [`plan()`] makes questions of a message; for each the caller searches and makes [`Passage`]s of what was found;
//! [`candidates`] and [`compose`] make an [`Answer`] of sentences that are quotes, or [`Answer::parse`] reads that of a
//! model; [`verify()`] leaves in it only what the passages say; [`shape()`] writes it for a persona; [`suggest()`] finds
//! what could be asked next. Everything follows from what is given: there is no I/O, no clock and no model here, and the
//! same input gives the same output. What is in a passage is data: it never chooses a question, an address or a citation.

mod answer;
mod concepts;
mod extract;
mod facts;
mod lists;
mod passage;
mod phrase;
mod phrases;
mod plan;
mod reader;
mod refuse;
pub mod sentences;
mod shape;
mod suggest;
mod verify;
mod weights;

pub use answer::{Answer, Block, Kind, Line};
pub use extract::{Candidates, Draft, Outcome, Part, candidates, compose};
pub use passage::{Citation, MOST_PASSAGES, Passage, Unusable};
pub use plan::{Asks, MOST_QUESTIONS, Plan, Said, Shape, SubQuestion, plan};
pub use refuse::Signals;
pub use shape::{Shaped, escaped, markdown, refusal, shape};
pub use suggest::{MOST_SUGGESTIONS, suggest};
pub use verify::{Fault, Removed, Verdict, Verified, verify};
pub use weights::Weights;
