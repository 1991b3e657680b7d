//! Lines of a source that are code: what a comment or a docstring shows as an example is not what the code does.

/// Longer lines are data.
const LONGEST: usize = 2_000;

/// The lines of code with their places from 0. Lines within a docstring of Python are none of them.
pub(super) fn of_code<'a>(
    path: &str,
    text: &'a str,
) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
    let is_python = path.ends_with(".py") || path.ends_with(".pyi");
    let mut open: Option<Quoted> = None;
    text.lines().enumerate().filter(move |(_, line)| {
        let is_comment = open.is_none() && is_comment(line);
        let is_doc = open.map_or(is_python && stands_alone(line), |quoted| quoted.is_doc);
        if is_python && !is_comment {
            open = behind(line, open, is_doc);
        }
        !is_comment && !is_doc && line.len() < LONGEST
    })
}

/// A string of several lines.
#[derive(Clone, Copy)]
struct Quoted {
    quotes: &'static str,
    /// It stands alone. One that is assigned or passed is a part of the program, such as a query.
    is_doc: bool,
}

fn stands_alone(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches(['r', 'R', 'u', 'U', 'b', 'B']);
    line.starts_with("\"\"\"") || line.starts_with("'''")
}

/// What is open behind a line.
fn behind(line: &str, open: Option<Quoted>, is_doc: bool) -> Option<Quoted> {
    let (mut open, mut rest) = (open, line);
    loop {
        let next = match open {
            Some(Quoted { quotes, .. }) => rest.find(quotes).map(|at| (at, None)),
            None => ["\"\"\"", "'''"]
                .into_iter()
                .filter_map(|quotes| Some((rest.find(quotes)?, Some(quotes))))
                .min(),
        };
        let Some((at, then)) = next else { return open };
        (open, rest) = (then.map(|quotes| Quoted { quotes, is_doc }), &rest[at + 3..]);
    }
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "* ", "*/", "/*", ">>>", "# "].iter().any(|mark| line.starts_with(mark)) || line == "*"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docstrings_and_comments_are_no_code() {
        let python = "import os\n\"\"\"One line: `a`.\"\"\"\ndef f():\n    r'''Says \"\"\" and\n    b\n    '''\n    # c\n    return \"\"\"select\n    1\n\"\"\"\nend()\n";
        let lines: Vec<usize> = of_code("a.py", python).map(|(number, _)| number).collect();
        assert_eq!(lines, [0, 2, 7, 8, 9, 10]);
        let rust = "/// doc\nfn f() {}\n/* a\n * b\n */\n*x = 1;\n\"\"\"\ng();\n";
        let lines: Vec<usize> = of_code("a.rs", rust).map(|(number, _)| number).collect();
        assert_eq!(lines, [1, 5, 6, 7]);
    }
}
