//! Tables of numbers: sheets of Excel, and tables as text.

use std::io::{Cursor, Write};

use calamine::{Data, DataRef, Reader, Xlsx};

use crate::{
    Document, Kind, Options, ParseError,
    archive::Archive,
    document::{Spot, Writer},
};

/// Columns past this one are not read: nobody puts text there, and a hostile sheet puts one cell in each corner.
const COLUMNS: u32 = 1000;

/// Reads a workbook. A sheet is a page.
pub(crate) fn xlsx(
    bytes: &[u8],
    archive: &Archive<'_>,
    options: &Options,
) -> Result<Document, ParseError> {
    let mut writer = Writer::new(Kind::Xlsx, options.limits.text);
    let repacked;
    let mut book = if archive.damaged {
        writer.warn("the file is damaged: its end is missing");
        repacked = repack(archive, options)?;
        Xlsx::new(Cursor::new(repacked.as_slice()))
    } else {
        // The reader unpacks without a limit of its own. What would be too long is refused here.
        for name in archive.names() {
            archive.read(name, &options.limits)?;
        }
        Xlsx::new(Cursor::new(bytes))
    }
    .map_err(|error| ParseError::unsupported(format!("the workbook cannot be read: {error}")))?;
    let names = book.sheet_names();
    let mut pages = 0_u32;
    for name in names {
        pages += 1;
        let spot = Spot::page(pages);
        writer.heading(1, &name, spot);
        let rows = match rows(&mut book, &name) {
            Ok((rows, None)) => rows,
            Ok((rows, Some(warning))) => {
                writer.warn(format!("sheet {name}: {warning}"));
                rows
            }
            Err(error) => {
                writer.warn(format!("sheet {name} cannot be read: {error}"));
                continue;
            }
        };
        for table in islands(rows) {
            writer.table(&table, spot);
        }
    }
    writer.pages(pages.max(1));
    crate::office::properties(archive, options, &mut writer)?;
    writer.finish()
}

type Rows = Vec<(u32, Vec<String>)>;

/// The rows of a sheet that have something in them, with their numbers. Only cells that exist are read: a sheet whose
/// last cell is in the last row and column is small.
fn rows(
    book: &mut Xlsx<Cursor<&[u8]>>,
    name: &str,
) -> Result<(Rows, Option<String>), calamine::XlsxError> {
    let mut cells = book.worksheet_cells_reader(name)?;
    let mut rows: Rows = Vec::new();
    let mut warning = None;
    loop {
        let cell = match cells.next_cell() {
            Ok(Some(cell)) => cell,
            Ok(None) => break,
            Err(error) => {
                warning = Some(format!("it is read to row {} only: {error}", rows.len()));
                break;
            }
        };
        let (row, column) = cell.get_position();
        let said = said(cell.get_value());
        if said.is_empty() {
            continue;
        }
        if column >= COLUMNS {
            warning = Some(format!("only its first {COLUMNS} columns are read"));
            continue;
        }
        if rows.last().is_none_or(|(last, _)| *last != row) {
            rows.push((row, Vec::new()));
        }
        if let Some((_, cells)) = rows.last_mut() {
            let column = column as usize;
            if cells.len() <= column {
                cells.resize(column + 1, String::new());
            }
            cells[column] = said;
        }
    }
    Ok((rows, warning))
}

/// Tables on one sheet stand apart by two empty rows or more.
fn islands(rows: Rows) -> Vec<Vec<Vec<String>>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut last = None;
    for (number, row) in rows {
        if last.is_none_or(|last| number > last + 2) {
            tables.push(Vec::new());
        }
        last = Some(number);
        if let Some(table) = tables.last_mut() {
            table.push(row);
        }
    }
    tables
}

fn said(value: &DataRef<'_>) -> String {
    match value {
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Float(number) => number_said(*number),
        DataRef::DateTime(moment) if moment.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
            match (hour, minute, second) {
                (0, 0, 0) => format!("{year:04}-{month:02}-{day:02}"),
                _ if moment.as_f64() < 1.0 => format!("{hour:02}:{minute:02}:{second:02}"),
                _ => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
            }
        }
        other @ (DataRef::Int(_)
        | DataRef::String(_)
        | DataRef::Bool(_)
        | DataRef::DateTime(_)
        | DataRef::DateTimeIso(_)
        | DataRef::DurationIso(_)
        | DataRef::Error(_)
        | DataRef::Empty) => Data::from(other.clone()).to_string(),
    }
}

/// A number as a person would write it: what a program adds up to 0.30000000000000004 is 0.3.
fn number_said(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return format!("{number:.0}");
    }
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    rounded.to_string()
}

/// The parts of a damaged archive in a new one, so that a reader takes it.
fn repack(archive: &Archive<'_>, options: &Options) -> Result<Vec<u8>, ParseError> {
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let lost = |error: &dyn std::fmt::Display| {
        ParseError::unsupported(format!("the damaged archive cannot be mended: {error}"))
    };
    for name in archive.names() {
        let Some(part) = archive.read(name, &options.limits)? else { continue };
        writer.start_file(name, stored).map_err(|error| lost(&error))?;
        writer.write_all(&part.bytes).map_err(|error| lost(&error))?;
    }
    Ok(writer.finish().map_err(|error| lost(&error))?.into_inner())
}

/// Reads a table as text.
pub(crate) fn csv(text: &str, options: &Options) -> Result<Document, ParseError> {
    let mut writer = Writer::new(Kind::Csv, options.limits.text);
    let delimiter = delimiter(text, true).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut rows: Vec<Vec<String>> = Vec::new();
    for record in reader.records() {
        match record {
            Ok(record) => rows.push(record.iter().map(str::to_owned).collect()),
            Err(error) => writer.warn(format!("a row cannot be read: {error}")),
        }
    }
    writer.table(&rows, Spot::NONE);
    writer.finish()
}

/// What stands between the columns of a text that is a table: every row has as many as the others. A file whose name
/// says that it is one needs less proof.
pub(crate) fn delimiter(text: &str, named: bool) -> Option<u8> {
    let complete = text.rfind('\n').filter(|_| text.len() > 8 * 1024);
    let head = text.get(..complete.unwrap_or(text.len())).unwrap_or(text);
    let mut best: Option<(u8, usize)> = None;
    for delimiter in [b',', b';', b'\t', b'|'] {
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(head.as_bytes());
        let widths: Vec<usize> =
            reader.records().take(50).filter_map(Result::ok).map(|record| record.len()).collect();
        let Some(first) = widths.first().copied().filter(|first| *first > 1) else { continue };
        let alike = widths.iter().filter(|width| **width == first).count();
        let enough = if named {
            alike * 10 >= widths.len() * 6
        } else {
            // A sentence of running text may have one comma in each line by chance.
            alike == widths.len()
                && (widths.len() >= 3 || first >= 3 && widths.len() == 2)
                && first < 500
        };
        // A Markdown table has rules.
        let markdown = delimiter == b'|' && head.lines().take(3).any(is_rule);
        if enough && !markdown && best.is_none_or(|(_, wide)| first > wide) {
            best = Some((delimiter, first));
        }
    }
    let (delimiter, columns) = best?;
    (named || plain(head, delimiter, columns)).then_some(delimiter)
}

fn is_rule(line: &str) -> bool {
    line.contains("--") && line.chars().all(|c| matches!(c, '-' | '|' | ':' | ' '))
}

/// Cells of a table are short, and seldom end as sentences do.
fn plain(head: &str, delimiter: u8, columns: usize) -> bool {
    let lines: Vec<&str> = head.lines().filter(|line| !line.trim().is_empty()).take(50).collect();
    let sentences = lines.iter().filter(|line| line.trim_end().ends_with(['.', '!', '?'])).count();
    let spaced = lines.iter().filter(|line| line.contains(", ")).count();
    sentences * 2 <= lines.len() && (delimiter != b',' || columns > 2 || spaced * 2 <= lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_as_text_becomes_markdown() {
        let text = "name;note\nAnn;\"two\nlines; and | more\"\nBob;x;extra\n";
        let document = csv(text, &Options::default()).unwrap();
        let expected = "| name | note |  |\n| --- | --- | --- |\n| Ann | two lines; and \\| more |  |\n| Bob | x | extra |";
        assert_eq!(document.text, expected);
    }

    #[test]
    fn prose_is_no_table() {
        for text in [
            "Dear Ann, dear Bob,\nwe met, and talked.\nYours, Eve\n",
            "One, two.\nThree, four.\nFive, six.\n",
            "just words\nwithout anything\nbetween\n",
            "a | b\n--- | ---\n1 | 2\n",
        ] {
            assert_eq!(delimiter(text, false), None, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_said_as_people_write_them() {
        assert_eq!(number_said(0.1 + 0.2), "0.3");
        assert_eq!(number_said(1234567.0), "1234567");
        assert_eq!(number_said(-2.5), "-2.5");
    }
}
