//! Agent jobs as their users meet them.

mod gherkin;
mod http;
mod http_ai;
mod proto_command;
mod runs_for_real;
mod trace_command;
mod workbench;
