//! cargo test: a function for each case, ignored.

use super::{Names, REASON, Stub, comment_lines, steps_as_comments};

pub(super) fn write(title: &str, stubs: &[Stub<'_>]) -> String {
    let mut out = format!(
        "// Tests planned by Trace: {REASON}. Fill one in, then remove its `ignore`.\n//\n"
    );
    out.push_str(&comment_lines(title, "//"));
    let mut names = Names::default();
    for stub in stubs {
        out.push('\n');
        out.push_str(&comment_lines(&format!("{} [{}]", stub.name, stub.id), "//"));
        out.push_str(&format!("#[test]\n#[ignore = \"{REASON}\"]\n"));
        out.push_str(&format!("fn {}() {{\n", names.snake(stub.id)));
        out.push_str(&steps_as_comments(stub, "    //"));
        out.push_str("}\n");
    }
    out
}
