//! Files of every kind, made here.

pub(crate) mod office;
pub(crate) mod pdf;
pub(crate) mod words;
