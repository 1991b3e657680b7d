//! Signs that are known by their form: turns of another conversation, payloads, links that carry data away.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::Threat;
use crate::{Risk, view::View};

/// A form: what it is a sign of, what it is called, how sure it makes, and its pattern over the text as it is.
type Form = (Risk, &'static str, f64, &'static str);

const FORMS: &[Form] = &[
    // Turns and delimiters of models.
    (
        Risk::Injection,
        "fake turn",
        0.85,
        r"(?i)<\|(?:im_start|im_end|system|user|assistant|start_header_id|end_header_id|eot_id|endoftext|begin_of_text)\|>",
    ),
    (Risk::Injection, "fake turn", 0.7, r"(?i)\[/?INST\]|<</?SYS>>"),
    (
        Risk::Injection,
        "fake turn",
        0.55,
        r"(?im)^[ \t>#*-]*(?:system|developer|admin(?:istrator)?)(?: (?:message|prompt|note|override|update|notice|instruction))?[ \t*]*(?::|\])[ \t*]*(?:you|your|ignore|disregard|override|from now|new |the (?:user|assistant)|all |do |never|always|disable|enable|reveal|send|print|safety|restrictions)",
    ),
    (
        Risk::Injection,
        "fake turn",
        0.55,
        r#"(?i)</?(?:system|system_prompt|system-prompt|sys|instructions?|admin|developer|assistant|user_input|user_query|context|documents?|untrusted|data)>\s*\n?[^<\n]{0,80}\b(?:ignore|disregard|you are|you must|new instructions?|override|reveal|print|forget|system)"#,
    ),
    (
        Risk::Injection,
        "fake turn",
        0.6,
        r#"(?i)\{\s*["']role["']\s*:\s*["'](?:system|developer|assistant)["']"#,
    ),
    (
        Risk::Injection,
        "fake turn",
        0.6,
        r"(?i)[-=#*_]{3,} ?(?:end|begin|start) (?:of )?(?:the )?(?:system|prompt|user|instructions?|context|new|document|conversation|input|override|untrusted)[^\n]{0,30}[-=#*_]{3,}",
    ),
    (
        Risk::Injection,
        "fake turn",
        0.5,
        r"(?im)^(?:user|human)[ \t]*:[^\n]{1,300}\n+(?:assistant|ai|bot)[ \t]*:[ \t]*(?:sure|of course|yes|certainly|okay|absolutely|here)",
    ),
    // Data that leaves in an address.
    (
        Risk::Injection,
        "link that carries data away",
        0.9,
        r"(?i)!\[[^\]\n]{0,200}\]\(\s*<?https?://[^)\s]{1,400}[?&/=][^)\s]{0,200}(?:\{|%7b|\$|<|\[)[^)\s]{0,100}",
    ),
    (
        Risk::Injection,
        "link that carries data away",
        0.7,
        r"(?i)!\[[^\]\n]{0,200}\]\(\s*<?https?://[^)\s]{1,300}[?&](?:q|d|data|c|content|text|chat|history|secret|token|leak|exfil|payload|msg|prompt|info|p|s|key|context|summary|conversation|answer)=",
    ),
    (
        Risk::Injection,
        "link that carries data away",
        0.6,
        r#"(?i)<img[^>]{1,300}src\s*=\s*["']?https?://[^>"'\s]{1,300}[?&][a-z_]{1,20}=[^>"'\s]*(?:\{|\$|\[|<)"#,
    ),
    // Payloads.
    (
        Risk::MaliciousCode,
        "reverse shell",
        0.9,
        r"(?i)(?:ba)?sh\s+-i\s*(?:>&|&>|[0-9]?>)|/dev/(?:tcp|udp)/[a-z0-9.\-$\{]|\b(?:nc|ncat|netcat)\b[^\n]{0,60}\s-[a-z]{0,3}e[a-z]{0,2}\s+\S{0,10}(?:sh\b|cmd)|mkfifo\s+\S+[^\n]{0,80}\bnc\b",
    ),
    (
        Risk::MaliciousCode,
        "reverse shell",
        0.85,
        r"(?is)socket\.socket\(.{0,400}(?:dup2|subprocess|pty\.spawn|os\.system)|pty\.spawn\(|fsockopen\(.{0,200}(?:exec|proc_open|shell_exec)|new-object\s+(?:system\.)?net\.sockets\.tcpclient",
    ),
    (
        Risk::MaliciousCode,
        "fork bomb",
        0.9,
        r":\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:|(?i)\bfork\s+while\s+fork\b|while\s+(?:true|1)\s*:\s*os\.fork\(\)|%0\s*\|\s*%0",
    ),
    (
        Risk::MaliciousCode,
        "deletion of a system",
        0.85,
        r"(?i)\brm\s+(?:-[a-z]+\s+|--[a-z-]+\s+)*-[a-z]*(?:rf|fr|r\s+-f|f\s+-r)[a-z]*\s+(?:--no-preserve-root\s+)?(?:/(?:\s|\*|$|;|&|'|`|\x22)|~/?(?:\s|\*|$|;|&)|\$HOME\b|/(?:etc|usr|bin|boot|home)/?(?:\s|\*|$))|\bdd\s+if=/dev/(?:zero|u?random)\s+of=/dev/(?:sd|nvme|hd|vd|disk)|\bmkfs(?:\.\w+)?\s+(?:-\w+\s+)*/dev/(?:sd|nvme|hd|vd)",
    ),
    (
        Risk::MaliciousCode,
        "deletion of a system",
        0.8,
        r"(?i)\bformat\s+c:\s*/|\bdel\s+(?:/[fsq]\s+){2,}[a-z]:\\|\brd\s+/s\s+/q\s+[a-z]:\\|vssadmin(?:\.exe)?\s+delete\s+shadows|shutil\.rmtree\(\s*['\x22](?:/|[a-z]:\\\\?)['\x22]",
    ),
    (
        Risk::MaliciousCode,
        "SQL injection payload",
        0.75,
        r"(?i)['\x22]\s*\)?\s*(?:or|and)\s+['\x22]?[0-9a-z]{1,10}['\x22]?\s*(?:=|like)\s*['\x22]?[0-9a-z]{1,10}['\x22]?\s*(?:--|#|/\*|;|$|['\x22])|['\x22]\s*\)?;\s*(?:drop|truncate|delete|update|insert|exec|shutdown)\b[^\n]{0,80}(?:--|;|$)|['\x22]?\s*\)?\s*\bunion\s+(?:all\s+)?select\b[^\n]{1,120}(?:--|#|/\*)|['\x22]\s*\)?\s*;?\s*waitfor\s+delay|\bsleep\(\d+\)\s*(?:--|#)",
    ),
    (
        Risk::MaliciousCode,
        "hidden command",
        0.85,
        r"(?i)\bpowershell(?:\.exe)?\b[^\n]{0,120}\s-e(?:nc|ncodedcommand|c)?\s+[a-z0-9+/=]{16,}|\biex\b\s*[\(\x22']?\s*\(?\s*(?:new-object|iwr|invoke-webrequest|irm)|downloadstring\s*\(|frombase64string\([^\n]{0,200}\)[^\n]{0,100}(?:iex|invoke)|base64\s+(?:-d|--decode|-D)[^\n|]{0,80}\|\s*(?:ba|z|da)?sh\b|eval\s*\(\s*(?:base64_decode|atob|gzinflate|str_rot13)|exec\s*\(\s*(?:base64|bytes\.fromhex|codecs\.decode|__import__\(['\x22]base64)",
    ),
    (
        Risk::MaliciousCode,
        "hidden command",
        0.7,
        r"(?i)\b(?:curl|wget)\b[^\n|]{0,120}https?://(?:\d{1,3}\.){3}\d{1,3}[^\n|]{0,120}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\bcertutil\b[^\n]{0,60}-urlcache|\bmshta\s+https?:|\bregsvr32\b[^\n]{0,60}/i:https?:",
    ),
    (
        Risk::MaliciousCode,
        "script that steals",
        0.85,
        r"(?is)<script\b[^>]{0,200}>.{0,600}(?:document\.cookie|localstorage|sessionstorage).{0,400}(?:fetch|location|\.src|xmlhttprequest|sendbeacon|https?:)|<script\b[^>]{0,200}>.{0,400}(?:fetch|location|\.src|sendbeacon|https?:).{0,200}(?:document\.cookie|localstorage)",
    ),
    (
        Risk::MaliciousCode,
        "script that steals",
        0.75,
        r"(?i)\bon(?:error|load|click|mouseover|focus)\s*=\s*['\x22]?[^>\n]{0,120}(?:document\.cookie|fetch\(|eval\(|alert\(|location\s*=)|javascript:\s*(?:[^\s'\x22]{0,60}document\.cookie|eval\(|alert\()|<script>\s*alert\(",
    ),
    (
        Risk::MaliciousCode,
        "exploit payload",
        0.85,
        r"(?i)\$\{(?:jndi|\$\{[^}]{0,20}\}ndi|\$\{lower:j\})[^}]{0,80}:|<!ENTITY\s+\S+\s+SYSTEM\s+['\x22](?:file|https?|php|expect):|\bsystem\s*\(\s*\$_(?:GET|POST|REQUEST)|\beval\s*\(\s*\$_(?:GET|POST|REQUEST)|\(\)\s*\{\s*:;\s*\}\s*;|\{\{[^}]{0,80}__(?:class|globals|import|subclasses|mro)__",
    ),
    (
        Risk::MaliciousCode,
        "exploit payload",
        0.6,
        r"(?i)(?:\.\./){3,}(?:etc/(?:passwd|shadow)|windows/)|(?:\.\.\\){3,}|\binvoke-mimikatz\b|sekurlsa::|\blsadump::|\bmsfvenom\b[^\n]{0,80}-p\s|;\s*cat\s+/etc/(?:passwd|shadow)\b|\|\s*cat\s+/etc/(?:passwd|shadow)\b",
    ),
];

/// What is a sign only in retrieved text.
const PASSAGE: &[Form] = &[
    (
        Risk::Injection,
        "hidden text",
        0.6,
        r"(?is)<!--.{0,1500}?(?:\bAI\b|assistant|\bLLM\b|language model|chatbot|instruction|prompt|ignore|\bsystem\b|summar).{0,1500}?-->",
    ),
    (
        Risk::Injection,
        "hidden text",
        0.6,
        r#"(?is)<[a-z]+[^>]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|color\s*:\s*(?:white|#fff(?:fff)?))[^>]{0,200}>[^<]{0,800}(?:\bAI\b|assistant|instruction|ignore|prompt|must|system)[^<]{0,800}"#,
    ),
    (
        Risk::Injection,
        "link that carries data away",
        0.7,
        r"(?i)!\[[^\]\n]{0,200}\]\(\s*<?https?://[^)\s]{1,400}\?[^)\s]{1,400}\)",
    ),
    (
        Risk::Injection,
        "fake turn",
        0.75,
        r"(?im)^[ \t>#*\[<-]*(?:system|assistant|developer|ai|ai assistant|user|human|llm|chatgpt|claude|gemini|copilot|tool|function)[ \t]*(?:message|prompt|note|override|instruction|instructions|output|result)?[\])>]?[ \t*]*:[ \t*]*(?:please |now |you |your |ignore|disregard|forget|send|reply|answer|respond|say|tell|do |don't|output|print|write|summari|translate|call|use|always|never|include|add|mention|state|recommend|visit|open|click|forward|email|delete|from now|new |the (?:user|following|correct|answer)|all |sure|reveal|override|repeat|cite|ok)",
    ),
];

type Build = Box<dyn FnOnce() -> Regex + Send>;

static SET: LazyLock<RegexSet> = LazyLock::new(|| set(FORMS));
static EACH: LazyLock<Vec<LazyLock<Regex, Build>>> = LazyLock::new(|| each(FORMS));
static PASSAGE_SET: LazyLock<RegexSet> = LazyLock::new(|| set(PASSAGE));
static PASSAGE_EACH: LazyLock<Vec<LazyLock<Regex, Build>>> = LazyLock::new(|| each(PASSAGE));

fn set(forms: &[Form]) -> RegexSet {
    let mut set = RegexSetBuilder::new(forms.iter().map(|form| form.3));
    set.unicode(false).build().expect("the patterns are right")
}

/// Each pattern is built when the set says that it is there.
fn each(forms: &'static [Form]) -> Vec<LazyLock<Regex, Build>> {
    let lazy = |form: &'static Form| {
        let build: Build = Box::new(|| pattern(form.3));
        LazyLock::new(build)
    };
    forms.iter().map(lazy).collect()
}

/// Patterns are over bytes: what they leave open then needs one state each, not one for each form of a letter.
fn pattern(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).unicode(false).build().expect("the patterns are right")
}

/// A match over bytes, from letter to letter.
fn whole(text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end)
}

/// The forms in a text. `view` is the same text folded: its words say whether the text asks about them.
pub(super) fn look(text: &str, view: &View) -> Vec<Threat> {
    let matched = SET.matches(text.as_bytes());
    if !matched.matched_any() {
        return Vec::new();
    }
    let words = super::lexicon::LEXICON.find(&view.text, false);
    let mut threats = Vec::new();
    for number in matched {
        let (risk, kind, score, _) = FORMS[number];
        threats.extend(EACH[number].find_iter(text.as_bytes()).map(|found| {
            let span = whole(text, found.range());
            let weight = super::context::of_form(risk, &words, span.clone(), view);
            Threat { risk, kind, score: score * weight, span }
        }));
    }
    threats
}

pub(super) fn in_passage(text: &str) -> Vec<Threat> {
    PASSAGE_SET
        .matches(text.as_bytes())
        .into_iter()
        .flat_map(|number| {
            let (risk, kind, score, _) = PASSAGE[number];
            PASSAGE_EACH[number].find_iter(text.as_bytes()).map(move |found| Threat {
                risk,
                kind,
                score,
                span: whole(text, found.range()),
            })
        })
        .collect()
}
