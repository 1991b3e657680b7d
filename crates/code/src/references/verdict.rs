//! Decides whether a use belongs to the owner that is asked for, by the text before it.
//!
//! Types are not known here. What the text says is believed: a variable that is named like the type has
//! that type. What it does not say is uncertain, and only what it contradicts is dropped.

use std::{cell::RefCell, collections::HashMap};

use super::owner::{DefinedIn, Owner, is_parameter, is_type};
use crate::{
    Language, Usage,
    syntax::{Before, Use},
    words,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Sure,
    Unsure,
    /// It belongs to something else.
    Other,
}

/// Whether a file has the owner's name for the name that is asked for without saying so each time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Imported {
    No,
    /// With everything else that the owner has.
    Perhaps,
    Yes,
}

/// A file, as far as it matters to whom its names belong.
pub(super) struct Page<'a> {
    owner: &'a Owner,
    source: &'a [u8],
    language: Option<Language>,
    home: DefinedIn,
    imported: Imported,
    /// Which names are modules, as far as that was looked up.
    modules: RefCell<HashMap<String, bool>>,
}

/// Names that are looked up in one file; the rest may be anything.
const MOST_MODULES: usize = 64;

impl<'a> Page<'a> {
    /// `defines` says whether the file defines the name, in no type.
    pub(super) fn new(
        owner: &'a Owner,
        source: &'a [u8],
        path: &str,
        language: Option<Language>,
        uses: &[Use],
        defines: bool,
    ) -> Self {
        let home = owner.home(path, language, defines);
        let modules = RefCell::default();
        let mut page = Self { owner, source, language, home, imported: Imported::No, modules };
        let by_name = |found: &Use| found.import.is_some() && page.judge(found) == Verdict::Sure;
        let all = |glob: &String| memchr::memmem::find(source, glob.as_bytes()).is_some();
        if uses.iter().any(by_name) {
            page.imported = Imported::Yes;
        } else if owner.globs().iter().any(all) {
            page.imported = Imported::Perhaps;
        }
        page
    }

    pub(super) fn judge(&self, found: &Use) -> Verdict {
        match &found.before {
            Before::Nothing => self.bare(found),
            Before::Path(names) => self.path(names, found),
            Before::Value { name, member } => self.value(name, *member, found),
            Before::Made(name) if self.owner.is(name) => Verdict::Sure,
            Before::Made(_) | Before::Expression => Verdict::Unsure,
            Before::Literal => Verdict::Other,
        }
    }

    /// The verdict about a word in a text without a grammar. In prose and data a word alone says
    /// nothing.
    pub(super) fn judge_word(&self, before: Before, is_code: bool) -> Verdict {
        if before == Before::Nothing && !is_code {
            return Verdict::Other;
        }
        let (usage, within, holder, module, import) = (Usage::Call, None, None, None, None);
        self.judge(&Use { at: 0, row: 0, usage, within, before, holder, module, import })
    }

    fn bare(&self, found: &Use) -> Verdict {
        if let Some(import) = found.import.clone() {
            let says = self.source.get(import).is_some_and(|text| self.owner.is_in(text));
            return if says { Verdict::Sure } else { self.stranger() };
        }
        if self.imported == Imported::Yes {
            return Verdict::Sure;
        }
        if self.has_implicit_receiver() && found.holder.is_some() {
            let told = self.own(found);
            if told != Verdict::Other {
                return told;
            }
        }
        let home = match &found.module {
            Some(module) if self.owner.is(module) => DefinedIn::Yes,
            Some(_) => DefinedIn::No,
            None => self.home,
        };
        let perhaps = self.imported == Imported::Perhaps || home == DefinedIn::Near;
        if self.owner.is_type {
            return if perhaps || self.is_key(found) { Verdict::Unsure } else { Verdict::Other };
        }
        // A local variable is called like many things.
        let value = found.usage == Usage::Other && !perhaps;
        match home {
            DefinedIn::Yes => Verdict::Sure,
            DefinedIn::Near | DefinedIn::No if value => Verdict::Other,
            DefinedIn::Near | DefinedIn::No => Verdict::Unsure,
        }
    }

    fn path(&self, names: &[String], found: &Use) -> Verdict {
        if names.iter().any(|name| self.owner.is(name)) {
            return Verdict::Sure;
        }
        let has = |words: &[&str]| names.iter().any(|name| words.contains(&name.as_str()));
        if has(&["Self", "this"]) || (self.language == Some(Language::Java) && has(&["super"])) {
            return self.own(found);
        }
        if has(&["self", "super", "crate"]) {
            return self.stranger();
        }
        if names.iter().any(|name| is_parameter(name)) { Verdict::Unsure } else { Verdict::Other }
    }

    fn value(&self, name: &str, member: bool, found: &Use) -> Verdict {
        let is_own = match name {
            "self" | "this" | "$this" | "super" => true,
            "cls" => self.language == Some(Language::Python),
            "base" => self.language == Some(Language::CSharp),
            _ => self.language == Some(Language::Go) && self.is_receiver(name, found),
        };
        if is_own && !member {
            return self.own(found);
        }
        if self.owner.is(name) {
            return Verdict::Sure;
        }
        let typed = is_type(name) && self.types_have_dots() && !self.is_property(member);
        let module = self.owner.is_type && !member && self.is_module(name);
        if typed || module { Verdict::Other } else { Verdict::Unsure }
    }

    /// Of the type that it is in.
    fn own(&self, found: &Use) -> Verdict {
        let Some(holder) = &found.holder else { return Verdict::Unsure };
        let head = self.source.get(holder.head.clone()).unwrap_or_default();
        if self.owner.is(&holder.name) {
            Verdict::Sure
        } else if self.owner.is_in(head) {
            // Its parent's, unless it has its own.
            Verdict::Unsure
        } else {
            Verdict::Other
        }
    }

    /// A module that is not called like the owner may still have what it has.
    fn stranger(&self) -> Verdict {
        if self.owner.is_type { Verdict::Other } else { Verdict::Unsure }
    }

    fn has_implicit_receiver(&self) -> bool {
        matches!(self.language, Some(Language::Java | Language::CSharp | Language::Cpp))
    }

    /// Elsewhere types have colons, and only values have dots.
    fn types_have_dots(&self) -> bool {
        let colons = [Language::Rust, Language::Go, Language::C, Language::Cpp];
        self.language.is_none_or(|language| !colons.contains(&language))
    }

    /// In C# properties are written like types.
    fn is_property(&self, member: bool) -> bool {
        member && self.language == Some(Language::CSharp)
    }

    /// `user` of `Session { user: name }`: whose it is depends on what is around.
    fn is_key(&self, found: &Use) -> bool {
        let rest = self.source.get(found.at..).unwrap_or_default();
        let end = rest.iter().position(|&byte| !words::is_word(byte)).unwrap_or(rest.len());
        let rest = rest[end..].trim_ascii_start();
        let begins = |text: &[u8]| rest.starts_with(text);
        found.usage == Usage::Other
            && self.language.is_some()
            && ((begins(b":") && !begins(b"::"))
                || (begins(b"=") && !begins(b"==") && !begins(b"=>")))
    }

    /// `s` in `func (s *Session) close()`, which others call `this`.
    fn is_receiver(&self, name: &str, found: &Use) -> bool {
        let head = found.holder.as_ref().and_then(|holder| self.source.get(holder.head.clone()));
        let rest = head.and_then(|head| head.strip_prefix(b"func"));
        let rest = rest.and_then(|rest| rest.trim_ascii_start().strip_prefix(b"("));
        let first = rest.and_then(|rest| rest.split(|&byte| !words::is_word(byte)).next());
        first == Some(name.as_bytes())
    }

    /// Whether the file imports a module of that name. A type is no module.
    fn is_module(&self, name: &str) -> bool {
        let mut known = self.modules.borrow_mut();
        if let Some(&is_module) = known.get(name) {
            return is_module;
        }
        if known.len() >= MOST_MODULES {
            return false;
        }
        let has = |text: String, line: bool| {
            memchr::memmem::find_iter(self.source, text.as_bytes()).any(|at| {
                let end = at + text.len();
                let ends = !self.source.get(end).copied().is_some_and(words::is_word);
                let begins = at == 0 || self.source[at - 1] == b'\n';
                ends && (begins || !line)
            })
        };
        let is = |languages: &[Language]| self.language.is_some_and(|own| languages.contains(&own));
        let is_module = if is(&[Language::Go]) {
            has(format!("/{name}\""), false) || has(format!("\"{name}\"\n"), false)
        } else if is(&[Language::Python]) {
            has(format!("import {name}"), true)
        } else {
            is(&[Language::JavaScript, Language::TypeScript, Language::Tsx])
                && has(format!("import * as {name}"), true)
        };
        known.insert(name.to_owned(), is_module);
        is_module
    }
}
