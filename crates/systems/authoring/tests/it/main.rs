//! Agent jobs, capability by capability.

mod job;
mod proto;
mod publish;
mod repository;
mod scribe;
mod scribe_approval;
mod scribe_cut_off;
mod scribe_large;
mod scribe_local;
mod scribe_model;
mod scribe_people;
mod trace;
mod trace_any;
mod trace_files;
mod trace_gherkin;
mod trace_words;
