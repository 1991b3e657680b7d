//! Takes shell lines apart, as far as a document needs it.

/// One command with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Simple {
    pub line: usize,
    pub words: Vec<String>,
    /// Names of `NAME=value` in front of it, or behind `export`.
    pub assigned: Vec<String>,
}

/// The languages of blocks that are typed into a terminal.
pub(crate) fn is_shell(language: &str) -> bool {
    ["sh", "bash", "zsh", "shell", "console", "shell-session", "shellsession", "terminal", "fish"]
        .contains(&language)
}

/// The commands of a block. With prompts, lines without one are output.
pub(super) fn commands(text: &str, first_line: usize) -> Vec<Simple> {
    let prompted = text.lines().any(|line| prompt(line).is_some());
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let line = match prompt(line) {
            Some(rest) => rest,
            None if prompted => continue,
            None => line,
        };
        let mut whole = line.to_owned();
        while whole.trim_end().ends_with('\\') {
            let Some((_, next)) = lines.next() else { break };
            whole.truncate(whole.trim_end().len() - 1);
            whole.push(' ');
            whole.push_str(next.trim_start().trim_start_matches("> "));
        }
        // A quoted text may go on over lines.
        let mut taken = 0;
        while unclosed(&whole) && taken < 60 {
            let Some((_, next)) = lines.next() else { break };
            whole.push('\n');
            whole.push_str(next);
            taken += 1;
        }
        let heredoc = heredoc(&whole);
        for words in split(&whole) {
            for inner in words.iter().filter_map(|word| substituted(word)) {
                found.extend(
                    split(inner).into_iter().filter_map(|words| simple(words, first_line + number)),
                );
            }
            found.extend(simple(words, first_line + number));
        }
        if let Some(end) = heredoc {
            for (_, line) in lines.by_ref() {
                if line.trim() == end {
                    break;
                }
            }
        }
    }
    found
}

/// What is inside of `$(…)`.
fn substituted(word: &str) -> Option<&str> {
    let (_, rest) = word.split_once("$(").filter(|(_, rest)| !rest.starts_with('('))?;
    rest.rsplit_once(')').map(|(inner, _)| inner)
}

fn prompt(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ["$ ", "% ", "➜ ", "❯ ", "C:\\> ", "PS> "].iter().find_map(|prompt| line.strip_prefix(prompt))
}

fn heredoc(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("<<").filter(|(_, rest)| !rest.starts_with('<'))?;
    let word = rest.trim_start_matches(['-', '~', ' ']).split_whitespace().next()?;
    let word = word.trim_matches(['"', '\'']);
    (!word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
        .then(|| word.to_owned())
}

/// Whether a quote is open at the end.
pub(super) fn unclosed(text: &str) -> bool {
    let mut quote = None;
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None | Some('"'), '\\') => {
                chars.next();
            }
            (None, '#') if before.is_whitespace() => {
                // A comment to the end of the line.
                for c in chars.by_ref() {
                    if c == '\n' {
                        break;
                    }
                }
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        before = c;
    }
    quote.is_some()
}

/// Words of each command of a line; `&&`, `|` and `;` separate commands.
fn split(line: &str) -> Vec<Vec<String>> {
    let (mut all, mut words, mut word): (Vec<Vec<String>>, Vec<String>, Option<String>) =
        (Vec::new(), Vec::new(), None);
    let mut quote: Option<char> = None;
    let mut depth = 0_usize;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if let Some(open) = quote {
            match c {
                c if c == open => quote = None,
                '\\' if open == '"' => word.get_or_insert_default().extend(chars.next()),
                c => word.get_or_insert_default().push(c),
            }
            continue;
        }
        match c {
            '"' | '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            '(' | '{' if word.as_deref().is_some_and(|word| word.ends_with('$')) || depth > 0 => {
                depth += 1;
                word.get_or_insert_default().push(c);
            }
            ')' | '}' if depth > 0 => {
                depth -= 1;
                word.get_or_insert_default().push(c);
            }
            c if depth > 0 => word.get_or_insert_default().push(c),
            '#' if word.is_none() => break,
            ';' | '|' | '&' | '\n' => {
                words.extend(word.take());
                if !words.is_empty() {
                    all.push(std::mem::take(&mut words));
                }
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if !words.is_empty() {
        all.push(words);
    }
    all
}

fn simple(words: Vec<String>, line: usize) -> Option<Simple> {
    let mut assigned = Vec::new();
    let mut rest = words.into_iter().peekable();
    let name_of = |word: &str| {
        let (name, _) = word.split_once('=')?;
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name.then(|| name.to_owned())
    };
    while let Some(name) = rest.peek().and_then(|word| name_of(word)) {
        assigned.push(name);
        rest.next();
    }
    let wrappers = ["sudo", "time", "env", "exec", "nohup", "command", "doas"];
    while rest.peek().is_some_and(|word| wrappers.contains(&word.as_str())) {
        rest.next();
        while let Some(word) = rest.peek() {
            match name_of(word) {
                Some(name) => assigned.push(name),
                None if word.starts_with('-') => {}
                None => break,
            }
            rest.next();
        }
    }
    if rest.peek().is_some_and(|word| word == "export" || word == "set") {
        rest.next();
        assigned.extend(rest.by_ref().filter_map(|word| name_of(&word)));
    }
    let words: Vec<String> = rest.collect();
    (!words.is_empty() || !assigned.is_empty()).then_some(Simple { line, words, assigned })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&[&str]]) {
        let found: Vec<Vec<String>> =
            commands(text, 1).into_iter().map(|simple| simple.words).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn lines_are_commands_unless_some_have_prompts() {
        check("npm ci\nnpm test", &[&["npm", "ci"], &["npm", "test"]]);
        check("$ npm ci\nadded 3\n", &[&["npm", "ci"]]);
        check("a && b | c; d", &[&["a"], &["b"], &["c"], &["d"]]);
        check("a \\\n  --b # c", &[&["a", "--b"]]);
        check("echo 'a && b' \"c d\"", &[&["echo", "a && b", "c d"]]);
        check("cat <<EOF\nnot a command\nEOF\nls", &[&["cat", "<<EOF"], &["ls"]]);
        check("A=1 B=2 sudo -E run x", &[&["run", "x"]]);
        check("curl -d '{\n \"a\": 1\n}' x", &[&["curl", "-d", "{\n \"a\": 1\n}", "x"]]);
    }
}
