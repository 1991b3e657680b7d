//! From the elements of a page to blocks.

use dom_query::NodeRef;

use crate::document::{Spot, Writer};

/// Cells of a table that spans claim at most; a hostile one claims millions.
const SPAN: usize = 100;

/// Writes what is inside an element.
pub(super) fn blocks(node: &NodeRef<'_>, writer: &mut Writer) {
    let mut words = String::new();
    inside(node, writer, &mut words);
    flush(&mut words, writer);
}

/// What is inside an element: blocks go to the writer, words are gathered until the next block.
fn inside(node: &NodeRef<'_>, writer: &mut Writer, words: &mut String) {
    for child in node.children_it(false) {
        one(&child, writer, words);
    }
}

fn one(node: &NodeRef<'_>, writer: &mut Writer, words: &mut String) {
    if node.is_text() {
        words.push_str(&node.text());
        return;
    }
    let Some(name) = node.node_name().filter(|_| node.is_element()) else { return };
    match &*name {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
            flush(words, writer);
            let own = node.attr("data-level").and_then(|level| level.parse().ok());
            let level = own.unwrap_or_else(|| name.bytes().last().unwrap_or(b'1') - b'0');
            writer.heading(level, &plain(node), Spot::NONE);
        }
        "ul" | "ol" | "menu" => {
            flush(words, writer);
            let mut lines = String::new();
            list(node, 0, &mut lines);
            writer.lines(&lines, Spot::NONE);
        }
        "dl" => {
            flush(words, writer);
            writer.lines(&definitions(node), Spot::NONE);
        }
        "table" => {
            flush(words, writer);
            table(node, writer);
        }
        "pre" => {
            flush(words, writer);
            let code = node.text();
            let code = code.trim_matches('\n');
            if !code.trim().is_empty() {
                writer.lines(&format!("```\n{code}\n```"), Spot::NONE);
            }
        }
        "img" => {
            flush_image(node, writer, words);
        }
        "br" => words.push(' '),
        "hr" => flush(words, writer),
        "a" | "b" | "strong" | "i" | "em" | "code" | "span" | "u" | "s" | "sub" | "sup"
        | "small" | "mark" | "abbr" | "cite" | "q" | "time" | "kbd" | "var" | "samp" | "label"
        | "font" | "del" | "ins" | "tt" | "wbr" | "bdi" | "bdo" | "data" | "dfn" | "big" => {
            // A link around a heading or a picture is a block.
            if holds_block(node) { inside(node, writer, words) } else { inline(node, words) }
        }
        "title" | "head" => {}
        _ => {
            flush(words, writer);
            inside(node, writer, words);
            flush(words, writer);
        }
    }
}

fn holds_block(node: &NodeRef<'_>) -> bool {
    const BLOCKS: [&str; 18] = [
        "p",
        "div",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "table",
        "pre",
        "img",
        "section",
        "article",
        "figure",
        "dl",
        "blockquote",
    ];
    node.descendants_it()
        .any(|inner| inner.node_name().is_some_and(|name| BLOCKS.contains(&&*name)))
}

fn flush(words: &mut String, writer: &mut Writer) {
    writer.paragraph(words, Spot::NONE);
    words.clear();
}

fn flush_image(node: &NodeRef<'_>, writer: &mut Writer, words: &mut String) {
    let said = node.attr("alt").unwrap_or_default();
    // A picture about which nothing is said is decoration.
    if said.trim().is_empty() {
        return;
    }
    flush(words, writer);
    let source = node.attr("src").unwrap_or_default();
    let source = if source.starts_with("data:") { "" } else { &*source };
    writer.image(&said, source, Spot::NONE);
}

/// The words of an element with its links and emphasis.
fn inline(node: &NodeRef<'_>, words: &mut String) {
    if node.is_text() {
        words.push_str(&node.text());
        return;
    }
    let Some(name) = node.node_name() else { return };
    if matches!(&*name, "br" | "wbr") {
        words.push(' ');
        return;
    }
    let mut inner = String::new();
    for child in node.children_it(false) {
        inline(&child, &mut inner);
    }
    let said = inner.trim();
    if said.is_empty() {
        words.push_str(if inner.is_empty() { "" } else { " " });
        return;
    }
    let (before, after) = match &*name {
        "b" | "strong" => ("**", "**".to_owned()),
        "i" | "em" => ("*", "*".to_owned()),
        "code" | "kbd" | "samp" | "tt" => ("`", "`".to_owned()),
        "a" => match node.attr("href") {
            Some(address) if leads_somewhere(&address, said) => {
                ("[", format!("]({})", address.replace([' ', '\n', '\t'], "%20")))
            }
            _ => ("", String::new()),
        },
        "p" | "div" | "li" | "td" | "th" => (" ", " ".to_owned()),
        _ => ("", String::new()),
    };
    if inner.starts_with(char::is_whitespace) {
        words.push(' ');
    }
    words.push_str(before);
    words.push_str(said);
    words.push_str(&after);
    if inner.ends_with(char::is_whitespace) {
        words.push(' ');
    }
}

fn leads_somewhere(address: &str, said: &str) -> bool {
    let address = address.trim();
    let lower = address.get(..11).unwrap_or(address).to_ascii_lowercase();
    !address.is_empty()
        && !address.starts_with('#')
        && !lower.starts_with("javascript:")
        && !lower.starts_with("data:")
        && address.len() < 500
        && address != said
}

/// The words of an element without marks.
fn plain(node: &NodeRef<'_>) -> String {
    let mut words = String::new();
    gather(node, &mut words);
    words
}

fn gather(node: &NodeRef<'_>, words: &mut String) {
    for child in node.children_it(false) {
        if child.is_text() {
            words.push_str(&child.text());
        } else if child.has_name("br") {
            words.push(' ');
        } else if child.has_name("a") && child.text().trim() == "¶" {
            // The mark that links a heading to itself.
        } else {
            gather(&child, words);
        }
    }
}

fn list(node: &NodeRef<'_>, depth: usize, lines: &mut String) {
    let ordered = node.has_name("ol");
    let mut number: i64 =
        node.attr("start").and_then(|start| start.trim().parse().ok()).unwrap_or(1);
    for item in node.children_it(false) {
        if item.has_name("ul") || item.has_name("ol") {
            list(&item, depth + 1, lines);
            continue;
        }
        if !item.is_element() {
            continue;
        }
        let mut words = String::new();
        let mut inner = String::new();
        for part in item.children_it(false) {
            if part.has_name("ul") || part.has_name("ol") {
                list(&part, depth + 1, &mut inner);
            } else {
                inline(&part, &mut words);
            }
        }
        let words = crate::document::one_line(&words);
        if !words.is_empty() {
            let indent = "  ".repeat(depth);
            let mark = if ordered { format!("{number}.") } else { "-".to_owned() };
            lines.push_str(&format!("{indent}{mark} {words}\n"));
        }
        number = number.saturating_add(1);
        lines.push_str(&inner);
    }
}

fn definitions(node: &NodeRef<'_>) -> String {
    let mut lines = String::new();
    for part in node.descendants_it() {
        let mark = if part.has_name("dt") {
            ""
        } else if part.has_name("dd") {
            ": "
        } else {
            continue;
        };
        let mut words = String::new();
        for child in part.children_it(false) {
            inline(&child, &mut words);
        }
        lines.push_str(&format!("{mark}{}\n", crate::document::one_line(&words)));
    }
    lines
}

fn table(node: &NodeRef<'_>, writer: &mut Writer) {
    // A table around a table is there for the layout.
    let nested = node.descendants_it().any(|inner| inner.has_name("table"));
    let rows = rows(node);
    let wide = rows.iter().map(Vec::len).max().unwrap_or(0);
    if nested || wide < 2 {
        for cell in
            node.descendants_it().filter(|inner| inner.has_name("td") || inner.has_name("th"))
        {
            // Cells inside cells are written with the cell that holds them.
            let outer = cell.ancestors_it(None).find(|above| above.has_name("table"));
            if outer.is_some_and(|outer| outer.id == node.id) {
                blocks(&cell, writer);
            }
        }
        return;
    }
    for caption in node.children_it(false).filter(|child| child.has_name("caption")) {
        writer.paragraph(&plain(&caption), Spot::NONE);
    }
    writer.table(&rows, Spot::NONE);
}

/// The rows of a table. A cell that spans rows or columns is written in each row, and once in each of them.
fn rows(node: &NodeRef<'_>) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    // Cells from above: for how many more rows, and what they say.
    let mut above: Vec<Option<(usize, String)>> = Vec::new();
    for row in node.descendants_it().filter(|inner| inner.has_name("tr")) {
        let mut cells: Vec<String> = Vec::new();
        let fill = |cells: &mut Vec<String>, above: &mut Vec<Option<(usize, String)>>| {
            while let Some(Some((left, said))) = above.get_mut(cells.len()) {
                cells.push(said.clone());
                *left -= 1;
                if *left == 0 {
                    above[cells.len() - 1] = None;
                }
            }
        };
        for cell in row.children_it(false) {
            if !cell.has_name("td") && !cell.has_name("th") {
                continue;
            }
            fill(&mut cells, &mut above);
            let span = |name: &str| {
                cell.attr(name).and_then(|value| value.trim().parse::<usize>().ok()).unwrap_or(1)
            };
            let (down, across) = (span("rowspan").clamp(1, SPAN), span("colspan").clamp(1, SPAN));
            let mut words = String::new();
            for child in cell.children_it(false) {
                inline(&child, &mut words);
            }
            let words = crate::document::one_line(&words);
            for at in 0..across {
                let said = if at == 0 { words.clone() } else { String::new() };
                if down > 1 {
                    above.resize(above.len().max(cells.len() + 1), None);
                    above[cells.len()] = Some((down - 1, said.clone()));
                }
                cells.push(said);
            }
        }
        fill(&mut cells, &mut above);
        rows.push(cells);
    }
    rows
}
