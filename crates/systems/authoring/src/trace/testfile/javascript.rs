//! vitest and jest: one form that both run. vitest wants its import, jest has globals.

use super::{REASON, Stub, quoted, steps_as_comments};

pub(super) fn write(title: &str, stubs: &[Stub<'_>], import: bool) -> String {
    let mut out =
        format!("// Tests planned by Trace: {REASON}. Fill one in, then remove its .skip.\n");
    if import {
        out.push_str("import { describe, it } from 'vitest';\n");
    }
    out.push_str(&format!("\ndescribe({}, () => {{\n", string(title)));
    for (place, stub) in stubs.iter().enumerate() {
        if place > 0 {
            out.push('\n');
        }
        let name = format!("{} [{}]", stub.name, stub.id);
        out.push_str(&format!("  it.skip({}, () => {{\n", string(&name)));
        out.push_str(&steps_as_comments(stub, "    //"));
        out.push_str("  });\n");
    }
    out + "});\n"
}

fn string(text: &str) -> String {
    // Runners look for these comments in the text of the file, strings included.
    let text = quoted(text, |c| match u32::from(c) {
        code @ 0..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\u{{{code:x}}}"),
    });
    text.replace("@vitest-", "\\x40vitest-").replace("@jest-", "\\x40jest-")
}

#[cfg(test)]
mod tests {
    use super::{super::comment_lines, *};

    #[test]
    fn a_string_stays_a_string() {
        assert_eq!(string("a\"b\\c`${d}\n\u{2028}"), "\"a\\\"b\\\\c`${d}\\n\\u2028\"");
        assert_eq!(string("@vitest-environment x"), "\"\\x40vitest-environment x\"");
        assert_eq!(comment_lines("a\u{2029}b\0", "//"), "// a\n// b\\u{0}\n");
    }
}
