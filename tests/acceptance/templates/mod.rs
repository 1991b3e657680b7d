//! Templates: what a project is made of, and what becomes of it.

mod analyze;
