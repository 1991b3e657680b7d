//! Reads files whose paths users give: only regular files, and never more than a limit.

use std::{io, path::Path};

use consign_files::{Error, trusted};

/// The text of a file of at most `most` bytes. The error does not name the file.
pub fn read_text(path: &Path, most: u64) -> Result<String, String> {
    let bytes = trusted::read(path, most).map_err(|error| {
        if matches!(error, Error::NotAFile { .. }) {
            "it is not a file".to_owned()
        } else if matches!(error, Error::TooLarge { .. }) {
            format!("it is larger than {} KiB", most >> 10)
        } else {
            io::Error::from(error).to_string()
        }
    })?;
    String::from_utf8(bytes).map_err(|_| "it is not text (UTF-8)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_files_are_read_and_no_more_of_them_than_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let check = |path: &Path, read: Result<&str, &str>| {
            let found = read_text(path, 1024);
            assert_eq!(found.as_deref().map_err(String::as_str), read, "{}", path.display());
        };
        let file = folder.path().join("file");
        std::fs::write(&file, "text").unwrap();
        check(&file, Ok("text"));
        std::fs::write(&file, "x".repeat(1025)).unwrap();
        check(&file, Err("it is larger than 1 KiB"));
        std::fs::write(&file, [255]).unwrap();
        check(&file, Err("it is not text (UTF-8)"));
        check(folder.path(), Err("it is not a file"));
        check(Path::new("/dev/zero"), Err("it is not a file"));
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        check(&pipe, Err("it is not a file"));
    }
}
