//! go test: a function for each case, which skips itself.

use super::{Names, REASON, Stub, comment_lines, steps_as_comments};

pub(super) fn write(title: &str, stubs: &[Stub<'_>]) -> String {
    let mut out =
        format!("// Tests planned by Trace: {REASON}. Fill one in, then remove its Skip.\n\n");
    out.push_str("package tracetests\n\nimport \"testing\"\n\n");
    out.push_str(&comment_lines(title, "//"));
    let mut names = Names::default();
    for stub in stubs {
        out.push('\n');
        out.push_str(&comment_lines(&format!("{} [{}]", stub.name, stub.id), "//"));
        out.push_str(&format!("func Test{}(t *testing.T) {{\n", names.camel(stub.id)));
        out.push_str(&format!("\tt.Skip(\"{REASON}\")\n"));
        out.push_str(&steps_as_comments(stub, "\t//"));
        out.push_str("}\n");
    }
    out
}
