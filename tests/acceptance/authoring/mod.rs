//! Agent jobs as their users meet them.

mod gherkin;
mod http;
mod http_ai;
mod proto_command;
mod runs_for_real;
mod scribe_command;
mod scribe_fields;
mod scribe_github;
mod scribe_http;
mod scribe_real;
mod scribe_rows;
mod trace_command;
mod workbench;
