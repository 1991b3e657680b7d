//! Agent jobs, capability by capability.

mod job;
mod proto;
mod trace;
mod trace_any;
mod trace_files;
mod trace_gherkin;
mod trace_words;
