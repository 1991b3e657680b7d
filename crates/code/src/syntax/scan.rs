//! One walk over a tree: what it defines, what it calls, where a name is used.

use std::collections::HashSet;

use tree_sitter::Node;

use super::{Definition, Inside, Parsed, Roles, Site, last_name, text};
use crate::{Kind, Usage, words};

/// What to look for besides definitions.
#[derive(Clone, Copy, Default)]
pub(crate) struct Want<'a> {
    /// Uses of this name.
    pub(crate) name: Option<&'a str>,
    /// Calls in these rows, from 0.
    pub(crate) calls: Option<(usize, usize)>,
}

#[derive(Default)]
pub(crate) struct Scan {
    pub(crate) defined: Vec<Defined>,
    pub(crate) uses: Vec<Use>,
    pub(crate) calls: Vec<Called>,
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

pub(crate) struct Use {
    pub(crate) at: usize,
    pub(crate) row: usize,
    pub(crate) usage: Usage,
    /// The definition that it is in.
    pub(crate) within: Option<usize>,
}

pub(crate) struct Called {
    pub(crate) name: String,
    pub(crate) receiver: Option<String>,
    pub(crate) row: usize,
}

/// A node whose children are being looked at.
struct Frame<'t> {
    node: Node<'t>,
    kind: &'t str,
    quiet: bool,
    imports: bool,
    types: bool,
    /// It opened a scope, which ends with it.
    scope: bool,
}

struct Scope {
    name: String,
    inside: Inside,
    /// The definition that opened it.
    index: Option<usize>,
}

struct Walk<'a, 't> {
    source: &'a [u8],
    parsed: &'t Parsed,
    roles: &'static Roles,
    want: Want<'a>,
    frames: Vec<Frame<'t>>,
    scopes: Vec<Scope>,
    /// Where the names of definitions begin: these are no uses.
    names: HashSet<usize>,
    scan: Scan,
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
        scan: Scan::default(),
    };
    let mut cursor = parsed.tree.walk();
    loop {
        let node = cursor.node();
        let frame = walk.enter(node, cursor.field_name());
        if cursor.goto_first_child() {
            walk.frames.push(frame);
            continue;
        }
        walk.leave(&frame);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
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
        let imports = has(Roles::IMPORTS) || inherited(|frame| frame.imports);
        let types =
            has(Roles::TYPES) || field.is_some_and(|field| field == "type" || field == "returns");
        // Only what is known to matter has its kind looked up as text.
        let kind = if role == 0 { "" } else { node.kind() };
        let mut frame = Frame { node, kind, quiet, imports, types, scope: false };
        if quiet {
            return frame;
        }
        if has(Roles::DEFINES) {
            frame.scope = self.define(&frame);
        }
        if has(Roles::CALLS) {
            self.call(&frame);
        }
        self.leaf(&frame, field);
        frame
    }

    fn leave(&mut self, frame: &Frame<'t>) {
        if frame.scope {
            self.scopes.pop();
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
        self.scopes.push(Scope { name, inside, index });
        true
    }

    /// The names around this place. Somebody may nest ten thousand modules; eight are enough to tell.
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

    fn called(&mut self, name: Node<'t>, begin: usize) {
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

    /// Notes a use of the name that is asked for, and calls inside of macros.
    fn leaf(&mut self, frame: &Frame<'t>, field: Option<&str>) {
        let node = frame.node;
        if node.child_count() > 0 || !node.is_named() {
            return;
        }
        let end = node.end_byte();
        if self.want.calls.is_some() {
            let tokens = self.frames.last().is_some_and(|above| above.node.kind() == "token_tree");
            if tokens && node.kind() == "identifier" && self.source.get(end) == Some(&b'(') {
                self.called(node, node.start_byte());
            }
        }
        let Some(name) = self.want.name else { return };
        if node.byte_range().len() != name.len()
            || self.source.get(node.byte_range()) != Some(name.as_bytes())
            || self.names.contains(&node.start_byte())
        {
            return;
        }
        let above = self.frames.last();
        let usage = if frame.imports {
            Usage::Import
        } else if is_called(self.source, end) {
            Usage::Call
        } else if frame.types || field == Some("superclass") || above.is_some_and(|at| at.types) {
            Usage::Type
        } else {
            Usage::Other
        };
        let within = self.scopes.iter().rev().find_map(|scope| scope.index);
        let row = node.start_position().row;
        self.scan.uses.push(Use { at: node.start_byte(), row, usage, within });
    }
}

/// The last row that has something of it: some nodes end with the line's end.
fn last_row(node: Node<'_>) -> usize {
    let (begin, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > begin.row { end.row - 1 } else { end.row }
}

/// Whether a name that ends here is called: `f(`, `f::<T>(`, `f<T>(`, `f!(`.
fn is_called(source: &[u8], end: usize) -> bool {
    let rest = source.get(end..source.len().min(end + 200)).unwrap_or_default();
    let rest = rest.strip_prefix(b"::").unwrap_or(rest);
    let rest = rest.strip_prefix(b"!").unwrap_or(rest).trim_ascii_start();
    match rest.first() {
        Some(b'(') => true,
        Some(b'<') => {
            let mut depth = 0_usize;
            for (at, &byte) in rest.iter().enumerate() {
                match byte {
                    b'<' => depth += 1,
                    b'>' => depth -= 1,
                    b',' | b' ' | b':' | b'.' | b'*' | b'&' | b'[' | b']' | b'?' => {}
                    _ if words::is_word(byte) => {}
                    _ => return false,
                }
                if depth == 0 {
                    return rest.get(at + 1) == Some(&b'(');
                }
            }
            false
        }
        Some(_) | None => false,
    }
}
