//! Macros of Rust that only wrap items: `cfg_rt! { pub struct JoinHandle { … } }`.
//!
//! To a grammar the inside of a macro is a heap of tokens, so that everything in it would be unknown.
//! Where the body of a macro among items reads like items, its head and its last brace are overwritten
//! with blanks and the file is parsed again: all places stay the same. A body that does not parse after
//! all (`bitflags!` has its own idea of a struct) is put back. Files without such macros are parsed once,
//! as before.

use std::{collections::HashSet, ops::Range};

use tree_sitter::{Node, Tree};

/// Times that a file is parsed again at most. Macros in macros take one each, and mistaken ones.
const ROUNDS: usize = 6;
/// Macros that the body of a macro may begin with before the search stops.
const DEEPEST: usize = 4;
/// Bytes of comments and attributes that a body may begin with.
const PREAMBLE: usize = 64 << 10;
/// Macros that are opened in one file; tokio has fifteen at most.
const MOST: usize = 2_000;

/// What items begin with.
const ITEMS: &[&[u8]] = &[
    b"pub",
    b"fn",
    b"struct",
    b"enum",
    b"union",
    b"impl",
    b"mod",
    b"use",
    b"trait",
    b"const",
    b"static",
    b"type",
    b"async",
    b"unsafe",
    b"extern",
    b"macro_rules",
];

/// A tree that has what is inside of macros, and where the names of these macros are.
pub(super) struct Opened {
    pub(super) tree: Tree,
    /// In the order of the text.
    pub(super) macros: Vec<Range<usize>>,
}

/// A macro that wraps items.
struct Wrapper {
    name: Range<usize>,
    /// `cfg_rt! {`
    head: Range<usize>,
    /// Where the last brace ends.
    end: usize,
}

/// Opens what can be opened. `parse` is asked for each further tree and may say no, if time is up; the
/// best tree so far is good enough then.
pub(super) fn open(source: &[u8], tree: Tree, parse: impl Fn(&[u8]) -> Option<Tree>) -> Opened {
    let mut opened = Opened { tree, macros: Vec::new() };
    let mut refused = HashSet::new();
    let mut fresh = wrappers(&opened.tree, source, &refused);
    if fresh.is_empty() {
        return opened;
    }
    let mut text = source.to_vec();
    for _ in 0..ROUNDS {
        for wrapper in &fresh {
            blank(&mut text[wrapper.head.clone()]);
            blank(&mut text[wrapper.end - 1..wrapper.end]);
        }
        let Some(tree) = parse(&text) else { break };
        let mut broken = broken(&tree, &fresh).into_iter();
        let (bad, good): (Vec<_>, Vec<_>) =
            fresh.into_iter().partition(|_| broken.next().unwrap_or(false));
        for wrapper in &bad {
            let whole = wrapper.head.start..wrapper.end;
            text[whole.clone()].copy_from_slice(&source[whole]);
            refused.insert(wrapper.head.start);
        }
        if bad.is_empty() {
            opened.macros.extend(good.into_iter().map(|wrapper| wrapper.name));
            opened.tree = tree;
            fresh = wrappers(&opened.tree, &text, &refused);
        } else {
            fresh = good;
        }
        if fresh.is_empty() {
            break;
        }
    }
    opened.macros.sort_by_key(|name| name.start);
    opened
}

/// All but the ends of lines, so that rows stay the same too.
fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
}

/// The macros among items that wrap items, but those that were refused.
fn wrappers(tree: &Tree, source: &[u8], refused: &HashSet<usize>) -> Vec<Wrapper> {
    let mut found = Vec::new();
    among_items(tree, |node| {
        let known = found.len() >= MOST || refused.contains(&node.start_byte());
        if known || node.kind() != "macro_invocation" {
            return;
        }
        let Some(body) = node.child(node.child_count().saturating_sub(1)) else { return };
        let Some(name) = node.child_by_field_name("macro").and_then(super::last_name) else {
            return;
        };
        let (begin, end) = (body.start_byte(), body.end_byte());
        let braced = body.kind() == "token_tree"
            && source.get(begin) == Some(&b'{')
            && end.checked_sub(1).and_then(|at| source.get(at)) == Some(&b'}')
            && end - begin >= 2;
        if braced && begins_with_item(&source[begin + 1..end - 1]) {
            let head = node.start_byte()..begin + 1;
            found.push(Wrapper { name: name.byte_range(), head, end });
        }
    });
    found
}

/// Which of the wrappers should have stayed closed. Items are inside of a wrapper or around it: if one
/// begins in it and ends elsewhere, or is no item, then what is in it was none either. A brace too many
/// would close the module around it.
fn broken(tree: &Tree, wrappers: &[Wrapper]) -> Vec<bool> {
    let mut broken = vec![false; wrappers.len()];
    let mut around = Vec::new();
    let at = |place: usize| {
        let next = wrappers.partition_point(|wrapper| wrapper.end <= place);
        wrappers.get(next).filter(|wrapper| wrapper.head.start <= place).map(|_| next)
    };
    among_items(tree, |node| {
        // The whole file begins with its first item, which may be in a wrapper.
        if node.kind() == "source_file" {
            return;
        }
        let (start, end) = (node.start_byte(), node.end_byte());
        let (first, last) = (at(start), at(end.saturating_sub(1).max(start)));
        let fault = node.is_error() || node.is_missing();
        if fault {
            around.push(start..end);
        }
        // What went wrong went wrong where it began; the others get another try without that one.
        if let Some(index) = first.or(last).filter(|_| fault || first != last) {
            broken[index] = true;
        }
    });
    // Nobody can be blamed for a fault that is around everything, so that all in it are.
    if !broken.contains(&true) {
        for fault in around {
            let inside = wrappers.partition_point(|wrapper| wrapper.head.start < fault.start)
                ..wrappers.partition_point(|wrapper| wrapper.end <= fault.end);
            broken.get_mut(inside).into_iter().flatten().for_each(|broken| *broken = true);
        }
    }
    broken
}

/// Visits the nodes where items stand: the top, modules, and the bodies of types.
fn among_items<'t>(tree: &'t Tree, mut visit: impl FnMut(Node<'t>)) {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        visit(node);
        let opens = matches!(
            node.kind(),
            "source_file"
                | "mod_item"
                | "impl_item"
                | "trait_item"
                | "foreign_mod_item"
                | "declaration_list"
                | "expression_statement"
        );
        if opens && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Whether a body reads like items, after comments, attributes and the heads of other such macros.
fn begins_with_item(body: &[u8]) -> bool {
    let mut rest = &body[..body.len().min(PREAMBLE)];
    let mut depth = 0;
    loop {
        rest = rest.trim_ascii_start();
        if rest.starts_with(b"//") {
            let Some(end) = memchr::memchr(b'\n', rest) else { return false };
            rest = &rest[end..];
        } else if rest.starts_with(b"/*") {
            let Some(end) = memchr::memmem::find(rest, b"*/") else { return false };
            rest = &rest[end + 2..];
        } else if rest.starts_with(b"#") {
            let Some(end) = attribute(rest) else { return true };
            rest = &rest[end..];
        } else {
            let end = rest.iter().position(|&byte| !is_path(byte)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if ITEMS.contains(&word) {
                return true;
            }
            let after = after.strip_prefix(b"!").map(<[u8]>::trim_ascii_start);
            match after.and_then(|after| after.strip_prefix(b"{")) {
                Some(inside) if !word.is_empty() && depth < DEEPEST => rest = inside,
                Some(_) | None => return false,
            }
            depth += 1;
        }
    }
}

/// Where the attribute ends that a text begins with.
fn attribute(text: &[u8]) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.iter().enumerate() {
        let literal = std::mem::take(&mut escaped);
        match byte {
            b'\\' => {
                escaped = quoted && !literal;
                continue;
            }
            b'"' if !literal => {
                quoted = !quoted;
                continue;
            }
            b'[' if !quoted => depth += 1,
            b']' if !quoted => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

fn is_path(byte: u8) -> bool {
    crate::words::is_word(byte) || byte == b':'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_of_items_is_told_by_how_it_begins() {
        for (body, expected) in [
            (" pub struct A;", true),
            ("\n    /// What it is.\n    #[derive(A, B = \"]\")]\n    fn f() {}", true),
            ("/* note */ impl A {}", true),
            ("macro_rules! select { () => {} }", true),
            ("cfg_io! { crate::cfg_net! { mod a; } }", true),
            ("#![allow(x)] use a::b;", true),
            ("", false),
            ("// only words", false),
            ("a + b", false),
            ("public", false),
            ("vec![1]", false),
            ("a! { b! { c! { d! { e! { f! { fn g() {} } } } } } }", false),
            ("if #[cfg(unix)] { fn f() {} }", false),
        ] {
            assert_eq!(begins_with_item(body.as_bytes()), expected, "{body}");
        }
    }
}
