//! Pipelines, by the three ways that an envelope can take: the pipe, a request, a durable run.

mod as_they_were;
mod ask_code;
mod at_once;
mod cost_nothing;
mod draw;
mod durable;
mod entry_points;
mod envelope;
pub(crate) use crate::harness::http;
mod misbehaving;
mod one_line;
mod page;
mod people;
mod person;
mod process;
mod refusals;
mod retries;
mod runs;
mod second_chances;
mod serve;
mod signals;
mod stage_contracts;
mod stream;
pub(crate) mod three_ways;
mod trust;
pub(crate) mod yard;
