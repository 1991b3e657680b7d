//! Web pages: the main content, as headings, paragraphs, lists, tables and links.
//!
//! What stands on every page of a site (navigation, banners, footers) is left out. Where the main content is not marked
//! as such, it is found by `dom_smoothie`; if that would lose half of the page, the whole page is taken.

mod walk;

use dom_query::{Document as Page, NodeRef};
use dom_smoothie::{Config, Readability};

use crate::{Document, Kind, Limit, Options, ParseError, document::Writer};

/// Elements whose content is no text of the page.
const NEVER: &str = "script,style,noscript,template,iframe,object,embed,svg,math,canvas,audio,video,head > *:not(title)";

/// Elements that stand on every page of a site.
const FURNITURE: &str = "nav,aside,footer,form,button,dialog,[role=navigation],[role=banner],[role=contentinfo],\
    [role=search],[role=dialog],[aria-hidden=true],[hidden]";

/// Reads the main content of a page.
pub(crate) fn read(html: &str, options: &Options) -> Result<Document, ParseError> {
    page(html, options, true)
}

/// Reads a page as a whole: the body of an e-mail has no furniture.
pub(crate) fn read_all(html: &str, options: &Options) -> Result<Document, ParseError> {
    page(html, options, false)
}

fn page(html: &str, options: &Options, main_only: bool) -> Result<Document, ParseError> {
    // Building the tree of a page takes time with the square of its depth, so depth is guessed before.
    if guessed_depth(html) > options.limits.depth * 2 {
        return Err(too_deep(options));
    }
    let page = Page::from(html);
    check_depth(&page, options)?;
    let mut writer = Writer::new(Kind::Html, options.limits.text);
    facts(&page, &mut writer);
    page.select(NEVER).remove();
    let body = page.body().unwrap_or_else(|| page.root());
    if !main_only {
        walk::blocks(&body, &mut writer);
        return writer.finish();
    }
    // The page without its furniture is what is measured against; if that is nothing, the page is all furniture.
    let whole = length(&body);
    let bare = Page::from(page.html());
    bare.select(FURNITURE).remove();
    bare.select("body > header").remove();
    let bare_body = bare.body().unwrap_or_else(|| bare.root());
    let left = length(&bare_body);
    if left * 5 < whole {
        walk::blocks(&body, &mut writer);
        return writer.finish();
    }
    for place in ["main", "[role=main]", "article"] {
        let found = bare.select(place);
        let nodes = found.nodes();
        if let [node] = nodes
            && length(node) * 10 >= left * 4
        {
            walk::blocks(node, &mut writer);
            return writer.finish();
        }
    }
    // The reader makes second headings of all first ones.
    bare.select("h1").set_attr("data-level", "1");
    if let Some(article) = article(&bare.html(), left) {
        let article = Page::from(article.as_str());
        walk::blocks(&article.body().unwrap_or_else(|| article.root()), &mut writer);
        // An article without its headings and tables has lost what it is found by.
        let kept = |tags: &str| article.select(tags).length() >= bare.select(tags).length();
        if kept("h1,h2,h3") && kept("table") {
            return writer.finish();
        }
        writer = Writer::new(Kind::Html, options.limits.text);
        facts(&bare, &mut writer);
    }
    walk::blocks(&bare_body, &mut writer);
    writer.finish()
}

/// The main content by its looks. None when it would lose half of the page.
fn article(html: &str, left: usize) -> Option<String> {
    let config = Config { disable_json_ld: true, ..Config::default() };
    let article = Readability::new(html, None, Some(config)).ok()?.parse().ok()?;
    (article.length * 2 >= left).then(|| article.content.to_string())
}

fn length(node: &NodeRef<'_>) -> usize {
    node.text().split_whitespace().map(str::len).sum()
}

/// What the page says about itself.
fn facts(page: &Page, writer: &mut Writer) {
    let named = |name: &str| {
        let found = page.select(&format!("meta[property='{name}'],meta[name='{name}']"));
        found.attr("content").map(|value| value.to_string())
    };
    if let Some(title) = named("og:title") {
        writer.title(&title);
    }
    writer.title(&page.select_single("head > title").text());
    writer.title(&page.select_single("h1").text());
    for (fact, names) in [
        ("description", ["description", "og:description"]),
        ("author", ["author", "article:author"]),
        ("published", ["article:published_time", "date"]),
        ("site", ["og:site_name", "application-name"]),
    ] {
        if let Some(value) = names.into_iter().find_map(named) {
            writer.fact(fact, &value);
        }
    }
    if let Some(language) = page.select_single("html").attr("lang") {
        writer.fact("language", &language);
    }
    if let Some(address) = page.select_single("link[rel=canonical]").attr("href") {
        writer.fact("canonical", &address);
    }
}

fn too_deep(options: &Options) -> ParseError {
    let most = options.limits.depth;
    ParseError::limited(
        Limit::Depth,
        format!("elements of the page are nested more than {most} deep"),
    )
}

/// About how deep elements are nested: tags that open, less tags that close. Elements that need no end are not counted.
fn guessed_depth(html: &str) -> usize {
    const NO_END: [&str; 27] = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
        "track", "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead", "tfoot",
        "option", "colgroup", "param", "rt",
    ];
    let (mut depth, mut deepest) = (0_usize, 0);
    for tag in html.split('<').skip(1) {
        let closing = tag.starts_with('/');
        let name = tag.trim_start_matches('/');
        let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = name.get(..end).unwrap_or_default();
        let without_end = NO_END.iter().any(|own| own.eq_ignore_ascii_case(name));
        if name.is_empty() || without_end {
            continue;
        }
        if closing {
            depth = depth.saturating_sub(1);
        } else {
            depth += 1;
            deepest = deepest.max(depth);
        }
    }
    deepest
}

/// Refuses a page whose elements are nested deeper than allowed, without going down into it.
fn check_depth(page: &Page, options: &Options) -> Result<(), ParseError> {
    let most = options.limits.depth;
    let mut node = page.root();
    let mut depth = 0;
    loop {
        if let Some(child) = node.first_child() {
            depth += 1;
            if depth > most {
                return Err(too_deep(options));
            }
            node = child;
            continue;
        }
        loop {
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            match node.parent() {
                Some(parent) if depth > 0 => {
                    node = parent;
                    depth -= 1;
                }
                _ => return Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, document::Breaks};

    fn text(html: &str) -> String {
        read(html, &Options::default()).unwrap().text
    }

    #[test]
    fn the_main_content_is_read_with_its_structure() {
        let html = "<!doctype html><html lang=de><head><title>Title of the page</title><meta name=author content='Ann'>\
            <style>p{}</style></head><body><nav><a href=/>Home</a><a href=/x>News</a></nav><main>\
            <h1>Cats &amp; dogs</h1><p>Some <b>bold</b> words, a <a href='https://e.org/x'>link</a><br>and\n more.</p>\
            <h2>List</h2><ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul><ol start=3><li>three</li></ol>\
            <table><caption>Sizes</caption><tr><th>a</th><th>b</th></tr><tr><td rowspan=2>1</td><td>2</td></tr>\
            <tr><td>3</td></tr></table><pre>fn f() {\n    x\n}</pre><img src=cat.png alt='A cat'>\
            <script>evil()</script></main><footer>Imprint</footer></body></html>";
        let document = read(html, &Options::default()).unwrap();
        let expected = "# Cats & dogs\n\nSome **bold** words, a [link](https://e.org/x) and more.\n\n## List\n\n\
            - one\n  - inner\n- two\n\n3. three\n\nSizes\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 |\n\n\
            ```\nfn f() {\n    x\n}\n```\n\n![A cat](cat.png)";
        assert_eq!(document.text, expected);
        assert_eq!(document.title.as_deref(), Some("Title of the page"));
        assert_eq!(document.metadata["author"], "Ann");
        assert_eq!(document.metadata["language"], "de");
        let table = document.blocks.iter().find(|block| block.layout == Layout::Table).unwrap();
        assert_eq!(table.heading.as_ref(), ["Cats & dogs", "List"]);
        assert_eq!(table.breaks, Breaks::Lines);
        assert_eq!(document.blocks.last().unwrap().layout, Layout::Image);
    }

    #[test]
    fn a_page_without_marks_keeps_its_text() {
        let text = text(
            "<html><body><div><h1>A</h1><p>First words.</p><div>Loose words.</div></div></body></html>",
        );
        assert_eq!(text, "# A\n\nFirst words.\n\nLoose words.");
        assert_eq!(
            super::read("<nav>Only this</nav><p></p>", &Options::default()).unwrap().text,
            "Only this"
        );
    }

    #[test]
    fn elements_that_are_nested_too_deep_are_refused() {
        let html = "<div>".repeat(100_000);
        let error = read(&html, &Options::default()).unwrap_err();
        assert_eq!(error.limit(), Some(Limit::Depth));
    }
}
