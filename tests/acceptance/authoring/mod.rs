//! Agent jobs as their users meet them.

mod gherkin;
mod runs_for_real;
