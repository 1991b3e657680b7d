//! Documents for tests: drafts of them, a model that knows a few ideas, and an index in memory.

mod draft;
mod ideas;
mod memory;

pub use self::{
    draft::{DocumentDraft, any_question, any_version, document},
    ideas::{Ideas, MODEL},
    memory::MemoryIndex,
};
