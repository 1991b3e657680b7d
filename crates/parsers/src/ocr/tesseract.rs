//! The program `tesseract`: a picture on its standard input, words with their boxes on its standard output.

use std::{
    env,
    io::{Read, Write},
    path::PathBuf,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Instant,
};

use super::{
    Picture, Seen,
    lines::{self, Word},
};

/// Words that it is less sure of are left out: specks and lines look like letters.
const SURE: f32 = 30.0;

/// The program `tesseract`, where the `PATH` of the process has it.
#[must_use]
pub fn find_tesseract() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("tesseract"))
        .find(|program| program.is_file())
}

pub(crate) struct Tesseract {
    program: PathBuf,
    languages: String,
}

impl Tesseract {
    pub(super) fn new(program: PathBuf, languages: Option<String>) -> Self {
        Self { program, languages: languages.unwrap_or_else(|| "eng".to_owned()) }
    }

    pub(super) fn read(&self, picture: &Picture, until: Instant) -> Result<Vec<Seen>, String> {
        let dots = (picture.scale * 72.0).round().max(70.0);
        let mut child = Command::new(&self.program)
            .args(["stdin", "stdout", "-l", &self.languages, "--dpi", &dots.to_string(), "tsv"])
            .env("OMP_THREAD_LIMIT", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("tesseract does not start: {error}"))?;
        let (Some(mut to), Some(mut from), Some(mut errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("tesseract has no pipes".to_owned());
        };
        let mut file = format!("P6\n{} {}\n255\n", picture.width, picture.height).into_bytes();
        file.extend_from_slice(&picture.rgb);
        // It may end before it has read all; how it ended is what matters then.
        let writing = thread::spawn(move || to.write_all(&file).is_ok());
        let (done, table) = mpsc::channel();
        let reading = thread::spawn(move || {
            let mut table = Vec::new();
            from.read_to_end(&mut table).ok();
            done.send(table).ok();
        });
        let said = thread::spawn(move || {
            let mut said = String::new();
            errors.by_ref().take(4096).read_to_string(&mut said).ok();
            std::io::copy(&mut errors, &mut std::io::sink()).ok();
            said
        });
        let left = until.saturating_duration_since(Instant::now());
        let table = table.recv_timeout(left);
        if table.is_err() {
            child.kill().ok();
        }
        let status = child.wait();
        writing.join().ok();
        reading.join().ok();
        let said = said.join().unwrap_or_default();
        match (table, status) {
            (Err(_), _) => Err("tesseract takes too long".to_owned()),
            (Ok(table), Ok(status)) if status.success() => {
                Ok(lines::runs(&words(&String::from_utf8_lossy(&table))))
            }
            (Ok(_), Ok(status)) => {
                let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
                Err(format!("tesseract ended with {status}: {last}"))
            }
            (Ok(_), Err(error)) => Err(format!("tesseract cannot be waited for: {error}")),
        }
    }
}

/// The words of a table of `tesseract`: level, page, block, paragraph, line, word, left, top, width, height, how sure it
/// is, and the text.
fn words(table: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut line = 0;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let &[level, _, _, _, _, _, left, top, width, height, sure, text] = cells.as_slice() else {
            continue;
        };
        let number = |cell: &str| cell.parse::<f32>().ok().filter(|number| number.is_finite());
        let (Some(left), Some(top), Some(width), Some(height)) =
            (number(left), number(top), number(width), number(height))
        else {
            continue;
        };
        match level {
            "4" => line += 1,
            "5" if !text.trim().is_empty() && number(sure).is_some_and(|sure| sure >= SURE) => {
                let bbox = [left, top, left + width, top + height];
                found.push(Word { line, text: text.trim().to_owned(), bbox });
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_words_in_lines_and_what_is_unsure_or_broken_is_left_out() {
        let table = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
            4\t1\t1\t1\t1\t0\t10\t20\t300\t40\t-1\t\n5\t1\t1\t1\t1\t1\t10\t25\t100\t30\t96.5\tHello\n\
            5\t1\t1\t1\t1\t2\t120\t20\t90\t40\t12\t~~\n5\t1\t1\t1\t1\t3\t220\t20\t90\t40\t90\tworld\nbroken\n\
            4\t1\t1\t1\t2\t0\t10\t80\t300\t40\t-1\t\n5\t1\t1\t1\t2\t1\t10\t80\t50\t30\t70\tagain\n";
        let word = |line, text: &str, bbox| Word { line, text: text.to_owned(), bbox };
        let expected = [
            word(1, "Hello", [10.0, 25.0, 110.0, 55.0]),
            word(1, "world", [220.0, 20.0, 310.0, 60.0]),
            word(2, "again", [10.0, 80.0, 60.0, 110.0]),
        ];
        assert_eq!(words(table), expected);
    }
}
