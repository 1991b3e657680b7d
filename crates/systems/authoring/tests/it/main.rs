//! Agent jobs, capability by capability.

mod job;
mod proto;
mod scribe;
mod scribe_any;
mod scribe_world;
mod scribe_write;
mod trace;
mod trace_any;
mod trace_files;
mod trace_gherkin;
mod trace_words;
