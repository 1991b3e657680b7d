//! The files of a scaffold as a tree, and what there is to say about it.

use consign_app::authoring_files::files_of;
use consign_contracts::json::Json;

use super::Completed;
use crate::{
    error::Error,
    output::{Audience, FAINT, Output, WARN, printable, styled},
    text::one_line,
};

/// Writes the files: as a tree for people, a path and its bytes on each line of a pipe.
pub(super) fn print(done: &Completed, output: &mut Output) -> Result<(), Error> {
    let mut files: Vec<_> =
        files_of(&done.data()).into_iter().map(|file| (file.path, file.content.len())).collect();
    match output.reader {
        Audience::Person => {
            files.sort();
            for line in tree(&files) {
                output.line(line)?;
            }
        }
        Audience::Pipe | Audience::Program => {
            for (path, bytes) in &files {
                output.line(format!("{}\t{bytes}", printable(path)))?;
            }
        }
    }
    output.finish()?;
    tell(done, output);
    let more = format!("write the files with: consign proto --run {} --out DIR", done.run);
    output.tell(styled(FAINT, more));
    Ok(())
}

/// Says what a second look at the files found.
pub(super) fn tell(done: &Completed, output: &Output) {
    let message = done.text("message");
    if !message.is_empty() {
        output.tell(printable(&one_line(message)));
    }
    let looked = done.result.get("metadata").and_then(|metadata| metadata.get("reflection"));
    let listed = |name: &str| -> Vec<String> {
        let list = looked.and_then(|looked| looked.get(name)?.as_array()).unwrap_or_default();
        list.iter().filter_map(Json::as_str).map(|it| printable(it).into_owned()).collect()
    };
    for issue in listed("issues") {
        output.tell(format!("{} {issue}", styled(WARN, "issue:")));
    }
    for suggestion in listed("suggestions") {
        output.tell(styled(FAINT, format!("suggestion: {suggestion}")));
    }
}

/// Lines of a tree, from paths in order.
fn tree(files: &[(String, usize)]) -> Vec<String> {
    let (mut lines, mut open): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for (path, bytes) in files {
        let mut folders: Vec<&str> = path.split('/').collect();
        let name = folders.pop().unwrap_or_default();
        let same = folders.iter().zip(&open).take_while(|(ours, theirs)| ours == theirs).count();
        for (depth, folder) in folders.iter().enumerate().skip(same) {
            lines.push(format!("{}{}/", "  ".repeat(depth), printable(folder)));
        }
        let size = styled(FAINT, format!("{bytes} bytes"));
        lines.push(format!("{}{}  {size}", "  ".repeat(folders.len()), printable(name)));
        open = folders;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_folder_stand_together() {
        let files = ["README.md", "src/a/x.ts", "src/a/y.ts", "src/b.ts"];
        let files: Vec<_> = files.map(|path| (path.to_owned(), 1)).into();
        let lines = tree(&files);
        let plain = lines.iter().map(|line| line.split("  \u{1b}").next().unwrap_or_default());
        let plain: Vec<_> = plain.collect();
        assert_eq!(plain, ["README.md", "src/", "  a/", "    x.ts", "    y.ts", "  b.ts"]);
    }
}
