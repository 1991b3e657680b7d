//! Templates of source files: whole lines that come and go, and values in them.
//!
//! `@{name}` is a value. A line that is `@if FLAG`, `@unless FLAG`, `@else`, `@for LIST` or `@end` is a
//! directive and never written. Inside `@for` the names of the list's item come before those outside.
//! A value is never read as a template, so text of a stranger cannot become a directive.
//! A name that is not there is left as it stands; a test looks for such leftovers.

use std::collections::{BTreeMap, BTreeSet};

/// What a template can name.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    values: BTreeMap<&'static str, String>,
    flags: BTreeSet<&'static str>,
    lists: BTreeMap<&'static str, Vec<Scope>>,
}

impl Scope {
    pub(super) fn value(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.values.insert(name, value.into());
        self
    }

    pub(super) fn flag(mut self, name: &'static str, on: bool) -> Self {
        if on {
            self.flags.insert(name);
        }
        self
    }

    pub(super) fn list(mut self, name: &'static str, items: Vec<Scope>) -> Self {
        self.lists.insert(name, items);
        self
    }

    /// The items of a list, for a template that is rendered once for each.
    pub(super) fn items(&self, name: &str) -> &[Scope] {
        self.lists.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Writes `template` with the names of `scopes`; the last scope comes first.
pub(super) fn render(template: &str, scopes: &[&Scope]) -> String {
    let lines: Vec<&str> = template.lines().collect();
    let mut out = String::with_capacity(template.len() * 2);
    lines_into(&lines, scopes, &mut out);
    out
}

fn lines_into(lines: &[&str], scopes: &[&Scope], out: &mut String) {
    let mut at = 0;
    while at < lines.len() {
        let Some((word, name)) = directive(lines[at]) else {
            line_into(lines[at], scopes, out);
            at += 1;
            continue;
        };
        let (middle, end) = block(lines, at);
        let (then, otherwise) =
            (&lines[at + 1..middle], lines.get(middle + 1..end).unwrap_or_default());
        let on = scopes.iter().any(|scope| scope.flags.contains(name));
        match word {
            "@for" => {
                let items = scopes.iter().rev().find_map(|scope| scope.lists.get(name));
                for item in items.into_iter().flatten() {
                    let inner: Vec<&Scope> = scopes.iter().copied().chain([item]).collect();
                    lines_into(then, &inner, out);
                }
            }
            "@if" if on => lines_into(then, scopes, out),
            "@unless" if !on => lines_into(then, scopes, out),
            _ => lines_into(otherwise, scopes, out),
        }
        at = end + 1;
    }
}

/// The word and the name of a line that opens a block.
fn directive(line: &str) -> Option<(&str, &str)> {
    line.trim().split_once(' ').filter(|(word, _)| matches!(*word, "@if" | "@unless" | "@for"))
}

/// Where the block that opens at `from` has its `@else` (its end, without one) and its `@end`.
fn block(lines: &[&str], from: usize) -> (usize, usize) {
    let (mut depth, mut middle) = (0, None);
    for (at, line) in lines.iter().enumerate().skip(from) {
        match line.trim() {
            "@end" => {
                depth -= 1;
                if depth == 0 {
                    return (middle.unwrap_or(at), at);
                }
            }
            "@else" if depth == 1 => middle = Some(at),
            _ if directive(line).is_some() => depth += 1,
            _ => {}
        }
    }
    (lines.len(), lines.len())
}

fn line_into(line: &str, scopes: &[&Scope], out: &mut String) {
    let mut rest = line;
    while let Some(open) = rest.find("@{") {
        let (before, after) = rest.split_at(open);
        out.push_str(before);
        let Some((name, tail)) = after[2..].split_once('}') else {
            rest = after;
            break;
        };
        match scopes.iter().rev().find_map(|scope| scope.values.get(name)) {
            Some(value) => out.push_str(value),
            None => out.extend(["@{", name, "}"]),
        }
        rest = tail;
    }
    out.push_str(rest);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> Scope {
        let item = |name: &str| Scope::default().value("name", name).flag("big", name == "b");
        Scope::default()
            .value("name", "outer")
            .value("tricky", "@{name}\n@end")
            .flag("on", true)
            .list("items", vec![item("a"), item("b")])
    }

    #[track_caller]
    fn check(template: &str, expected: &str) {
        assert_eq!(render(template, &[&scope()]), expected);
    }

    #[test]
    fn values_are_written_once_and_never_read_as_templates() {
        check("x @{name} y@{name}", "x outer youter\n");
        check("@{tricky}", "@{name}\n@end\n");
        check("@{absent} @{open", "@{absent} @{open\n");
    }

    #[test]
    fn blocks_come_and_go_and_nest() {
        check("@if on\nyes\n@else\nno\n@end\nend", "yes\nend\n");
        check("@if off\nyes\n@else\nno\n@end", "no\n");
        check("@unless off\nyes\n@end", "yes\n");
        check(
            "@for items\n@if big\n@{name} is big\n@else\n@{name} in @{name}\n@end\n@end",
            "a in a\nb is big\n",
        );
        check("@for absent\nx\n@end\ny", "y\n");
    }

    #[test]
    fn a_block_without_an_end_reaches_to_the_end() {
        check("@if on\nyes", "yes\n");
        check("@if off\nyes", "");
    }
}
