//! Writes a repository of a million lines and says how long each question about it takes, and how much
//! memory: `cargo run --release -p consign-code --example million [directory]`.
//!
//! A directory that is given is asked as it is, and nothing is written to it.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it is there to print")]

use std::{env, fmt::Write, fs, path::Path, time::Instant};

use consign_code::{LogQuery, Query, Repository, Term};

const FILES: usize = 8_000;
const LINES: usize = 125;

fn main() {
    let given = env::args().nth(1);
    let made = tempfile::tempdir().unwrap();
    let root = given.as_deref().map_or(made.path(), Path::new);
    if given.is_none() {
        let began = Instant::now();
        write(root);
        println!("written: {} files, {} lines, {:?}", FILES, FILES * LINES, began.elapsed());
    }
    let began = Instant::now();
    let repository = Repository::open(root).unwrap();
    let tree = repository.list_tree("", 1, 100).unwrap();
    println!("listed                  {:>10.1?}  {} nodes", began.elapsed(), tree.nodes.len());
    memory();
    let terms =
        ["authentication", "auth", "login", "session", "token", "password", "verify", "user"]
            .map(|term| Term::new(term, 1.0));
    for _ in 0..2 {
        let began = Instant::now();
        let found = repository.survey(&terms, 20).unwrap();
        println!("survey of 8 terms       {:>10.1?}  {} files", began.elapsed(), found.total);
        found
            .items
            .iter()
            .take(3)
            .for_each(|file| println!("    {:6.2} {}", file.score, file.path));
    }
    memory();
    for query in [
        Query::text("login"),
        Query::text("the"),
        Query::regex(r"fn \w*token\w*\("),
        Query::regex(r"\b[A-Z]\w+Error\b"),
    ] {
        let began = Instant::now();
        let found = repository.search(&query).unwrap();
        let (time, total) = (began.elapsed(), found.total);
        println!("search {:<16} {time:>10.1?}  {total} lines", query.pattern);
    }
    memory();
    for name in ["verify_record_0", "Session_7", "new", "verify", "nobody_at_all"] {
        let began = Instant::now();
        let found = repository.find_symbol(name, None).unwrap();
        let (time, total) = (began.elapsed(), found.total);
        println!("find_symbol {name:<11} {time:>10.1?}  {total}, truncated {}", found.truncated);
    }
    memory();
    for name in ["compute_7", "log_event"] {
        let began = Instant::now();
        let found = repository.find_references(name, 50).unwrap().found;
        let (time, total) = (began.elapsed(), found.total);
        println!("find_references {name:<7} {time:>10.1?}  {total}, truncated {}", found.truncated);
    }
    for name in ["Record", "Base_7"] {
        let began = Instant::now();
        let found = repository.heirs(name).unwrap();
        let (time, parsed) = (began.elapsed(), found.files_parsed);
        println!("heirs {name:<17} {time:>10.1?}  {}, parsed {parsed}", found.total);
    }
    let began = Instant::now();
    let languages = repository.languages().unwrap();
    println!("languages               {:>10.1?}  {}", began.elapsed(), languages.len());
    let began = Instant::now();
    if let Ok(log) = repository.git_log(&LogQuery::default()) {
        println!("git_log                 {:>10.1?}  {}", began.elapsed(), log.items.len());
    }
    memory();
}

fn memory() {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM"));
    println!("    peak memory: {}", peak.unwrap_or("unknown").trim_start_matches("VmHWM:").trim());
}

/// Services in five languages, of which one in two hundred is about authentication.
fn write(root: &Path) {
    for file in 0..FILES {
        let (topic, noun) = if file % 200 == 7 { ("auth", "token") } else { ("part", "record") };
        let directory = root.join(format!("services/{topic}_{}/{}", file % 80, file % 5));
        fs::create_dir_all(&directory).unwrap();
        let extension = ["rs", "py", "ts", "go", "java"][file % 5];
        let path = directory.join(format!("{noun}_{file}.{extension}"));
        fs::write(path, text(file, extension, noun)).unwrap();
    }
}

fn text(file: usize, extension: &str, noun: &str) -> String {
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").unwrap();
    for block in 0..LINES / 5 {
        let id = file + block * FILES;
        match extension {
            "rs" => {
                line(format!("/// Verifies a {noun} of the user, see the session."));
                line(format!(
                    "pub fn verify_{noun}_{id}(value: &str) -> Result<u64, ParseError> {{"
                ));
                line(format!("    let parsed = value.parse::<u64>()?; log_event(\"{noun}\");"));
                line(format!("    Record::new(parsed + {block}).finish(compute_{id}(value))"));
                line("}".to_owned());
            }
            "py" => {
                line(format!("def verify_{noun}_{id}(value: str) -> int:"));
                line(format!("    \"\"\"Verifies a {noun}.\"\"\""));
                line(format!("    parsed = int(value) + {block}"));
                line(format!("    return Record(parsed).finish(compute_{id}(value))"));
                line(String::new());
            }
            "ts" => {
                line(format!("export class Session_{id} {{"));
                line(format!("  constructor(private readonly {noun}: string) {{}}"));
                line(format!("  finish(): number {{ return compute_{id}(this.{noun}); }}"));
                line("}".to_owned());
                line(format!("// the {noun} is kept for the length of the request"));
            }
            "go" => {
                line(format!("// Verify{id} verifies a {noun}."));
                line(format!("func Verify{id}(value string) (int, error) {{"));
                line(format!("\tparsed, err := strconv.Atoi(value + \"{noun}\")"));
                line(format!("\treturn parsed + {block}, err"));
                line("}".to_owned());
            }
            _ => {
                line(format!("class Service{id} extends Base_{} {{", id % 40));
                line(format!("    private final String {noun} = \"value\";"));
                line(format!("    int verify(String value) {{ return compute{id}(value); }}"));
                line("    Record make() { return new Record(); }".to_owned());
                line("}".to_owned());
            }
        }
    }
    text
}
