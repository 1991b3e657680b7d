//! What extends or implements something, by how the languages write it.

use super::{
    super::super::{json::object, words},
    Planner, Step, escaped,
};

impl Planner<'_> {
    pub(super) fn implementers(&self) {
        for name in self.topic.symbols.iter().take(2) {
            self.add(builds_on(name));
            self.find(name);
        }
    }
}

/// Lines that define something on top of a name: `class A(Base)`, `class A extends Base`, `class A : Base`,
/// `impl Base for A`, `struct A : public Base`.
pub(super) fn builds_on(name: &str) -> Step {
    let last = escaped(words::last_name(name));
    let python = format!(r"^\s*class\s+\w+\s*\([^)]*\b{last}\b");
    let worded = format!(
        r"\b(class|interface|enum|record|struct)\s+[\w<>, ]+\s(extends|implements)\s[^{{]*\b{last}\b"
    );
    let colon = format!(
        r"^\s*([\w\[\]]+\s+)*(class|struct|interface|record)\s+[\w<>, ]+\s*(\([^)]*\)\s*)?:\s*[^{{;]*\b{last}\b"
    );
    let rust = format!(r"^\s*(unsafe\s+)?impl\b.*\b{last}(<.*>)?\s+for\b");
    Step::new(
        "code_search",
        object! {
            "query": format!("{python}|{worded}|{colon}|{rust}"),
            "regex": true,
            "case_sensitive": true,
            "limit": 200_u32,
        },
        format!("definitions that build on `{name}`"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_says_in_its_own_way_what_it_builds_on() {
        let step = builds_on("Base");
        let query = step.params.get("query").and_then(|query| query.as_str()).unwrap();
        let pattern = regex(query);
        for line in [
            "class A(Base):",
            "    class A(mixins.B, db.Base, metaclass=M):",
            "export default class A extends Base {",
            "public abstract class A<T> extends B<T> implements C, Base {",
            "public sealed class A : B, Base",
            "class A : public Base {",
            "impl Base for A {",
            "impl<T: Clone> crate::Base<T> for A<T> {",
            "interface A extends Base {",
        ] {
            assert!(pattern.is_match(line), "{line}");
        }
        for line in [
            "class Base:",
            "let a = Base();",
            "impl Base {",
            "impl A for Baseline {",
            "x = f(class, Base)",
        ] {
            assert!(!pattern.is_match(line), "{line}");
        }
    }

    fn regex(query: &str) -> regex::Regex {
        regex::Regex::new(query).unwrap()
    }
}
