//! `/api/pipelines`: runs of the pipeline that the server was given.

pub(super) mod start;
