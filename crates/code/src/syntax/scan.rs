//! One walk over a tree: what it defines, what it calls, where a name is used.

use std::{collections::HashSet, ops::Range};

use tree_sitter::Node;

use super::{
    Definition, Inside, Parsed, Roles, Site,
    heirs::{Attributes, Heir},
    last_name,
    tests::TestAt,
    text,
    uses::{Holder, Use},
};
use crate::Kind;

/// What to look for besides definitions.
#[derive(Clone, Copy, Default)]
pub(crate) struct Want<'a> {
    /// Uses of this name.
    pub(crate) name: Option<&'a str>,
    /// Calls in these rows, from 0.
    pub(crate) calls: Option<(usize, usize)>,
    /// Types that build on this name; then nothing else is looked for where the name is not.
    pub(crate) base: Option<&'a str>,
    /// Tests.
    pub(crate) tests: bool,
}

#[derive(Default)]
pub(crate) struct Scan {
    pub(crate) defined: Vec<Defined>,
    pub(crate) uses: Vec<Use>,
    pub(crate) calls: Vec<Called>,
    pub(crate) heirs: Vec<Heir>,
    pub(crate) tests: Vec<TestAt>,
    /// There are more uses than were noted.
    pub(crate) cut: bool,
}

/// A definition, as places in the source.
pub(crate) struct Defined {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) container: Option<String>,
    /// Where its name begins, and its body.
    pub(crate) at: usize,
    pub(crate) body: Option<usize>,
    /// The row it begins in, that of its name, and its last; from 0.
    pub(crate) begin: usize,
    pub(crate) row: usize,
    pub(crate) end: usize,
}

pub(crate) struct Called {
    pub(crate) name: String,
    pub(crate) receiver: Option<String>,
    pub(crate) row: usize,
}

/// A node whose children are being looked at.
pub(super) struct Frame<'t> {
    pub(super) node: Node<'t>,
    kind: &'t str,
    quiet: bool,
    /// The import that it is, or is in.
    pub(super) import: Option<Range<usize>>,
    pub(super) types: bool,
    /// It opened a scope, which ends with it.
    scope: bool,
    /// The child before the one that is being looked at, and the one before that.
    pub(super) last: Option<Range<usize>>,
    pub(super) previous: Option<Range<usize>>,
}

pub(super) struct Scope {
    pub(super) name: String,
    pub(super) inside: Inside,
    /// The definition that opened it.
    pub(super) index: Option<usize>,
    /// The type that it is, or belongs to.
    pub(super) holder: Option<Holder>,
}

pub(super) struct Walk<'a, 't> {
    pub(super) source: &'a [u8],
    pub(super) parsed: &'t Parsed,
    roles: &'static Roles,
    pub(super) want: Want<'a>,
    pub(super) frames: Vec<Frame<'t>>,
    pub(super) scopes: Vec<Scope>,
    /// Where the names of definitions begin: these are no uses.
    pub(super) names: HashSet<usize>,
    pub(super) attributes: Attributes,
    pub(super) scan: Scan,
}

pub(crate) fn scan(parsed: &Parsed, source: &[u8], want: Want<'_>) -> Scan {
    let mut walk = Walk {
        source,
        parsed,
        roles: parsed.grammar.roles(),
        want,
        frames: Vec::new(),
        scopes: Vec::new(),
        names: HashSet::new(),
        attributes: Vec::new(),
        scan: Scan::default(),
    };
    // Heads that name a base are where its name is, and the rest need not be walked.
    let named: Option<Vec<usize>> =
        want.base.map(|base| memchr::memmem::find_iter(source, base).collect());
    let is_named = |node: Node<'_>| {
        named.as_ref().is_none_or(|places| {
            let first = places.partition_point(|place| *place < node.start_byte());
            places.get(first).is_some_and(|place| *place < node.end_byte())
        })
    };
    let mut cursor = parsed.tree.walk();
    loop {
        let node = cursor.node();
        let frame = walk.enter(node, cursor.field_name());
        if is_named(node) && cursor.goto_first_child() {
            walk.frames.push(frame);
            continue;
        }
        walk.leave(&frame);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                walk.note_macros();
                return walk.scan;
            }
            if let Some(frame) = walk.frames.pop() {
                walk.leave(&frame);
            }
        }
    }
}

impl<'t> Walk<'_, 't> {
    fn enter(&mut self, node: Node<'t>, field: Option<&str>) -> Frame<'t> {
        let role = self.roles.of(node);
        let has = |bit| role & bit != 0;
        let above = self.frames.last();
        let inherited = |pick: fn(&Frame<'t>) -> bool| above.is_some_and(pick);
        let quiet = !has(Roles::LOUD) && (has(Roles::QUIET) || inherited(|frame| frame.quiet));
        let import = match above.and_then(|frame| frame.import.clone()) {
            None if has(Roles::IMPORTS) => Some(Self::import(node)),
            import => import,
        };
        let types =
            has(Roles::TYPES) || field.is_some_and(|field| field == "type" || field == "returns");
        // Only what is known to matter has its kind looked up as text.
        let kind = if role == 0 { "" } else { node.kind() };
        let (last, previous) = (None, None);
        let mut frame = Frame { node, kind, quiet, import, types, scope: false, last, previous };
        if quiet {
            return frame;
        }
        let known = self.scan.defined.len();
        if has(Roles::DEFINES) {
            frame.scope = self.define(&frame);
        }
        if self.want.base.is_some() || self.want.tests {
            let defined = (self.scan.defined.len() > known).then_some(known);
            self.note_attribute(node);
            self.note_heir(&frame);
            self.note_test(&frame, defined);
            if defined.is_some() || frame.scope {
                self.attributes.clear();
            }
        }
        if has(Roles::CALLS) {
            self.call(&frame);
        }
        if node.child_count() == 0 && node.is_named() {
            self.note_token(&frame);
            self.note_use(&frame, field);
        }
        frame
    }

    fn leave(&mut self, frame: &Frame<'t>) {
        if frame.scope {
            self.scopes.pop();
        }
        // Comments stand anywhere and belong to nothing.
        if self.want.name.is_some()
            && !frame.node.is_extra()
            && let Some(above) = self.frames.last_mut()
        {
            above.previous = above.last.replace(frame.node.byte_range());
        }
    }

    /// Notes a definition; says whether it opened a scope.
    fn define(&mut self, frame: &Frame<'t>) -> bool {
        let site = Site {
            node: frame.node,
            kind: frame.kind,
            parent: self.frames.last().map(|frame| frame.node),
            inside: self.scopes.last().map_or(Inside::Module, |scope| scope.inside),
            source: self.source,
        };
        let Some(definition) = (self.parsed.grammar.define)(&site) else { return false };
        let Definition { kind, name: at, body, container } = definition;
        let name = text(self.source, at).trim_matches(['"', '\'', '`']).to_owned();
        if name.is_empty() || name.len() > 300 {
            return false;
        }
        // Go and C++ say where a function belongs, whatever it is in.
        let holder = container.as_deref().map(|of| {
            let last = of.rsplit([':', '.']).next().unwrap_or(of);
            self.holder(frame.node, Some(at), last)
        });
        let index = kind.map(|kind| {
            self.names.insert(at.start_byte());
            self.scan.defined.push(Defined {
                name: name.clone(),
                kind,
                container: container.or_else(|| self.container()),
                at: at.start_byte(),
                body: body.map(|body| body.start_byte()),
                begin: frame.node.start_position().row,
                row: at.start_position().row,
                end: last_row(frame.node),
            });
            self.scan.defined.len() - 1
        });
        let inside = match kind {
            None => Inside::Type,
            Some(Kind::Module) => Inside::Module,
            Some(kind) if kind.is_type() => Inside::Type,
            Some(kind) if kind.is_function() => Inside::Function,
            Some(_) => return false,
        };
        let own = || self.holder(frame.node, body, &name);
        let holder = holder.or_else(|| (inside == Inside::Type).then(own));
        self.scopes.push(Scope { name, inside, index, holder });
        true
    }

    /// The names around this place, at most eight: a file may nest ten thousand modules.
    fn container(&self) -> Option<String> {
        let near = &self.scopes[self.scopes.len().saturating_sub(8)..];
        let names: Vec<&str> = near.iter().map(|scope| scope.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(self.parsed.grammar.separator))
    }

    fn call(&mut self, frame: &Frame<'t>) {
        let row = frame.node.start_position().row;
        let Some((from, to)) = self.want.calls else { return };
        if last_row(frame.node) < from || row > to {
            return;
        }
        let field = self.parsed.grammar.calls.iter().find(|(kind, _)| *kind == frame.kind);
        let Some(callee) = field.and_then(|(_, field)| frame.node.child_by_field_name(field))
        else {
            return;
        };
        let Some(name) = last_name(callee) else { return };
        let begin = frame.node.start_byte().min(callee.start_byte());
        // `new` and the like stand before what is called and are no part of it.
        let begin = if frame.kind == "method_invocation" { begin } else { callee.start_byte() };
        self.called(name, begin);
    }

    pub(super) fn called(&mut self, name: Node<'t>, begin: usize) {
        let row = name.start_position().row;
        let wanted = self.want.calls.is_some_and(|(from, to)| (from..=to).contains(&row));
        let word = text(self.source, name);
        if !wanted || word.is_empty() || word.len() > 200 {
            return;
        }
        let before = self.source.get(begin..name.start_byte()).unwrap_or_default();
        let receiver = (before.len() <= 200)
            .then(|| String::from_utf8_lossy(before).split_whitespace().collect::<String>())
            .map(|text| text.trim_end_matches(['.', ':', '?', '!', '>', '-']).to_owned())
            .filter(|text| !text.is_empty());
        self.scan.calls.push(Called { name: word.to_owned(), receiver, row });
    }
}

/// The last row that has something of it: some nodes end with the line's end.
fn last_row(node: Node<'_>) -> usize {
    let (begin, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > begin.row { end.row - 1 } else { end.row }
}
