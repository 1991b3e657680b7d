//! Writes documents: puts, replaces and removes them, and adds vectors.

mod make_shelf;
mod put;
mod remove;
mod vectors;

pub(crate) use self::{
    make_shelf::MakeShelf,
    put::PutVersions,
    remove::{RemoveSource, SetMissing},
    vectors::AddVectors,
};
