//! All files that a job made, as one archive.

use std::io::{Cursor, Write};

use consign_authoring::job::MadeFile;
use consign_engine::{Fault, Owner, Speaker};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use super::{find::find_ends, view::Seen};
use crate::{
    Home,
    error::{Error, Refused},
};

/// A zip of the files that a job made. The same job always gives the same bytes.
pub async fn archive(
    home: &Home,
    owner: &Owner,
    _speaker: &Speaker,
    id: &str,
) -> Result<Vec<u8>, Error> {
    let ends = find_ends(home, owner, id).await?;
    let files = Seen::read(home, ends, true).await?.files();
    if files.is_empty() {
        return Err(Refused::new("NOT_FOUND", "the job has made no files").into());
    }
    let packed = pack(files);
    packed.map_err(|cause| {
        Fault::permanent("INTERNAL_ERROR", format!("could not pack the files: {cause}")).into()
    })
}

fn pack(mut files: Vec<MadeFile>) -> Result<Vec<u8>, zip::result::ZipError> {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        // No clock: the bytes depend on the files alone.
        .last_modified_time(DateTime::DEFAULT)
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for file in files {
        zip.start_file(file.path, options)?;
        zip.write_all(file.content.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_are_the_same_bytes() {
        let file = |path: &str| MadeFile { path: path.to_owned(), content: path.repeat(9) };
        let one = pack(vec![file("b.md"), file("a/c.md")]).expect("it can be packed");
        let two = pack(vec![file("a/c.md"), file("b.md")]).expect("it can be packed");
        assert_eq!(one, two);
        let read = zip::ZipArchive::new(Cursor::new(one)).expect("it can be read");
        let names = read.file_names().collect::<Result<Vec<_>, _>>().expect("they are text");
        assert_eq!(names, ["a/c.md", "b.md"]);
    }
}
