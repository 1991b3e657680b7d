//! Proto: a first project skeleton from requirements, by rules (docs/spec/authoring.md, "Proto by rules").
//!
//! [`check`] refuses a request that asks for nothing, [`generate`] makes the files, [`reflect`] looks at
//! them again, and [`check_paths`] is the rule for files that a model proposes. All are pure: they touch
//! no file, no network and no clock, and the same text always gives the same files. Text of a stranger
//! reaches a file only as a sanitised identifier or escaped for the language that the file is in.

mod axum;
mod entity;
mod express;
mod fallback;
mod fastapi;
mod find;
mod identifier;
mod needs;
mod page;
mod paths;
mod reflect;
mod refused;
mod scaffold;
mod stack;
mod template;
mod text;
mod words;

pub use paths::check_paths;
pub use reflect::{Reflection, reflect};
pub use refused::{Refused, check};
pub use scaffold::{Artifact, Scaffold, Source, generate};
