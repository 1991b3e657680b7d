//! pytest: a function for each case, marked to be skipped.

use super::{Names, REASON, Stub, comment_lines, quoted, steps_as_comments};

pub(super) fn write(title: &str, stubs: &[Stub<'_>]) -> String {
    let mut out =
        format!("# Tests planned by Trace: {REASON}. Fill one in, then remove its mark.\n");
    out.push_str("import pytest\n\n");
    out.push_str(&comment_lines(title, "#"));
    let mut names = Names::default();
    for stub in stubs {
        out.push_str(&format!("\n\n@pytest.mark.skip(reason=\"{REASON}\")\n"));
        out.push_str(&format!("def test_{}():\n", names.snake(stub.id)));
        let name = format!("{} [{}]", stub.name, stub.id);
        out.push_str(&format!("    {}\n", string(&name)));
        out.push_str(&steps_as_comments(stub, "    #"));
    }
    out
}

fn string(text: &str) -> String {
    quoted(text, |c| format!("\\U{:08x}", u32::from(c)))
}
