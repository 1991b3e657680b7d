//! E-mails: who wrote to whom and when, the text, and what is attached.

use mail_parser::{Address, Message, MessageParser, MimeHeaders, PartType};

use crate::{
    Document, Kind, Options, ParseError, document::Spot, document::Writer, html, parse, text,
};

/// Attachments inside attachments are read so deep.
const DEPTH: usize = 3;

/// Attachments that are read. The names of all are listed.
const ATTACHMENTS: usize = 100;

/// Reads an e-mail, and the documents attached to it.
pub(crate) fn read(bytes: &[u8], options: &Options, depth: usize) -> Result<Document, ParseError> {
    let message = MessageParser::default()
        .parse(bytes)
        .ok_or_else(|| ParseError::unsupported("the e-mail cannot be read"))?;
    let mut writer = Writer::new(Kind::Eml, options.limits.text);
    whole(&message, options, depth, &mut writer);
    writer.finish()
}

fn whole(message: &Message<'_>, options: &Options, depth: usize, writer: &mut Writer) {
    headers(message, writer);
    for part in message.text_body.iter().filter_map(|part| message.part(*part)) {
        match &part.body {
            PartType::Html(page) => body_page(page, options, writer),
            PartType::Text(said) => body_text(said, writer),
            PartType::Binary(_)
            | PartType::InlineBinary(_)
            | PartType::Message(_)
            | PartType::Multipart(_) => {}
        }
    }
    attachments(message, options, depth, writer);
}

fn headers(message: &Message<'_>, writer: &mut Writer) {
    let mut lines = Vec::new();
    if let Some(subject) = message.subject() {
        writer.title(subject);
        writer.heading(1, subject, Spot::NONE);
    }
    for (name, address) in [("From", message.from()), ("To", message.to()), ("Cc", message.cc())] {
        let said = address.map(addresses).unwrap_or_default();
        if !said.is_empty() {
            writer.fact(&name.to_ascii_lowercase(), &said);
            lines.push(format!("{name}: {said}"));
        }
    }
    if let Some(date) = message.date() {
        let date = date.to_rfc3339();
        writer.fact("date", &date);
        lines.push(format!("Date: {date}"));
    }
    if let Some(id) = message.message_id() {
        writer.fact("message_id", id);
    }
    writer.lines(&lines.join("\n"), Spot::NONE);
}

fn addresses(address: &Address<'_>) -> String {
    let said: Vec<String> = address
        .iter()
        .filter_map(|one| match (one.name(), one.address()) {
            (Some(name), Some(address)) => Some(format!("{name} <{address}>")),
            (None, Some(said)) | (Some(said), None) => Some(said.to_owned()),
            (None, None) => None,
        })
        .collect();
    said.join(", ").split(['\n', '\r']).collect::<Vec<_>>().join(" ")
}

fn body_text(said: &str, writer: &mut Writer) {
    let said = said.replace("\r\n", "\n");
    for span in text::paragraphs(&said) {
        let paragraph = &said[span];
        // What is quoted, signed or listed has lines that mean something.
        let lines = paragraph.lines().any(|line| line.starts_with(['>', '-', '*', '|']));
        let short = paragraph.lines().filter(|line| line.len() < 40).count();
        if lines || short > 1 {
            writer.lines(paragraph, Spot::NONE);
        } else {
            writer.paragraph(paragraph, Spot::NONE);
        }
    }
}

fn body_page(page: &str, options: &Options, writer: &mut Writer) {
    match html::read_all(page, options) {
        Ok(document) => {
            for block in &document.blocks {
                writer.block(block.layout, block.breaks, document.text_of(block), Spot::NONE);
            }
        }
        Err(error) => writer.warn(format!("the page of the e-mail: {error}")),
    }
}

fn attachments(message: &Message<'_>, options: &Options, depth: usize, writer: &mut Writer) {
    for (at, part) in message.attachments().enumerate() {
        let name = part.attachment_name().unwrap_or("attachment").to_owned();
        if at >= ATTACHMENTS || depth >= DEPTH {
            writer.warn(format!("attachment {name} is not read: there are too many"));
            continue;
        }
        let read = match &part.body {
            PartType::Message(inner) => {
                let mut inner_writer = Writer::new(Kind::Eml, options.limits.text);
                whole(inner, options, depth + 1, &mut inner_writer);
                inner_writer.finish()
            }
            PartType::Text(_)
            | PartType::Html(_)
            | PartType::Binary(_)
            | PartType::InlineBinary(_)
            | PartType::Multipart(_) => {
                let own = Options { name: Some(name.clone()), ..options.clone() };
                parse::read(part.contents(), &own, depth + 1)
            }
        };
        match read {
            Ok(document) => writer.append(&name, &document),
            Err(error) => writer.warn(format!("attachment {name} is not read: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTER: &str = "From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\r\nTo: ann@example.org\r\n\
        Subject: =?utf-8?b?w5xiZXJzaWNodA==?=\r\nDate: Tue, 4 Mar 2025 10:00:00 +0100\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
        Content-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe aus Ulm. Bis morgen,=20\r\nJ=FCrgen.\r\n--b\r\n\
        Content-Type: text/csv; name=\"t.csv\"\r\nContent-Disposition: attachment; filename=\"t.csv\"\r\n\r\n\
        name,age,town\r\nAnn,31,Bonn\r\nBob,42,Ulm\r\n--b--\r\n";

    #[test]
    fn a_letter_is_read_with_what_is_attached() {
        let document = read(LETTER.as_bytes(), &Options::default(), 0).unwrap();
        assert_eq!(document.title.as_deref(), Some("Übersicht"));
        assert_eq!(document.metadata["from"], "Jürgen <j@example.org>");
        assert_eq!(document.metadata["date"], "2025-03-04T10:00:00+01:00");
        assert!(document.text.contains("Grüße aus Ulm. Bis morgen,"), "{}", document.text);
        assert!(document.text.contains("# t.csv\n\n| name | age | town |"), "{}", document.text);
        assert_eq!(document.warnings, Vec::<String>::new());
    }
}
