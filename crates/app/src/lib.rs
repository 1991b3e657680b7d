//! What one can do with Consign: use cases, views of runs, next-step hints and the composition of a home.
//!
//! Every surface (command line, HTTP, MCP) calls the same functions here with typed input and gets a typed outcome, so
//! that a run is the same wherever it was begun. Nothing here reads arguments, words a terminal's line or knows a route.

pub mod compose;
