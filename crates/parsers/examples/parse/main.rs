//! How well and at what cost documents are read: scans, tables, and pages of text beside PyMuPDF.
//!
//! ```sh
//! python3 -m venv /tmp/v && /tmp/v/bin/pip install reportlab pillow pymupdf
//! cargo run --release -p consign-parsers --example parse -- /tmp/v/bin/python [MODELS]
//! ```
//!
//! MODELS is the folder of the models that `consign models pull ocr` fetches. `pages.py` makes the files anew each time,
//! of fixed seeds. Files are read as the program reads them, in a process of its own; costs are the CPU time of that
//! process, the answer included.

#![expect(clippy::print_stdout, reason = "printing figures is what it is for")]

mod figures;

use std::{
    env,
    error::Error,
    ffi::OsString,
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use consign_parsers::{
    Document, Limits, Ocr, Options, Quality, When,
    child::{Worker, serve},
    find_tesseract,
};

use self::figures::{Cells, characters};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Rounds of what is compared; the median counts.
const ROUNDS: usize = 7;

/// Pages of each text, as `pages.py` makes them.
const PAGES: f64 = 200.0;

fn main() -> Result<()> {
    let mut arguments = env::args_os().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some("serve".as_ref()) {
        return Ok(serve()?);
    }
    let python =
        PathBuf::from(first.ok_or("name a Python that has reportlab, pillow and pymupdf")?);
    let models = arguments.next().map(PathBuf::from);
    let folder = tempfile::tempdir()?;
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/parse");
    let made = Command::new(&python).arg(here.join("pages.py")).arg(folder.path()).status()?;
    if !made.success() {
        return Err("pages.py failed".into());
    }
    let bench = Bench { folder: folder.path().to_owned(), program: env::current_exe()? };
    for look in ["ruled", "three-line", "borderless"] {
        println!("tables, {look}: cell F1 {:.4}", bench.tables(look)?);
    }
    match find_tesseract() {
        Some(program) => {
            bench.scans("tesseract", Ocr { tesseract: Some(program), ..Ocr::default() })?
        }
        None => println!("SKIPPED: scans by tesseract, it is not installed"),
    }
    match models {
        Some(models) => {
            let ocr = Ocr { quality: Quality::Best, models: Some(models), ..Ocr::default() };
            bench.scans("models", ocr)?;
        }
        None => println!("SKIPPED: scans by the models, their folder was not named"),
    }
    bench.texts(&python, &here)
}

struct Bench {
    folder: PathBuf,
    program: PathBuf,
}

impl Bench {
    fn worker(&self) -> Worker {
        Worker::new(&self.program, &[OsString::from("serve")])
    }

    /// The files whose name begins so, in order.
    fn files(&self, begin: &str) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(begin) && name.ends_with(".pdf") {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    fn tables(&self, look: &str) -> Result<f64> {
        let (mut worker, mut cells) = (self.worker(), Cells::default());
        for file in self.files(&format!("table-{look}-"))? {
            let drawn: Vec<Vec<String>> =
                serde_json::from_slice(&fs::read(file.with_extension("json"))?)?;
            let document = read(&mut worker, &file, &plain())?;
            cells.add(&drawn, &document);
        }
        Ok(cells.f1())
    }

    fn scans(&self, by: &str, ocr: Ocr) -> Result<()> {
        let (mut worker, mut shares, mut seconds) = (self.worker(), Vec::new(), 0.0);
        let limits = Limits { time: Duration::from_secs(600), ..Limits::default() };
        let options = Options { ocr, limits, ..Options::default() };
        for file in self.files("scan-")? {
            let before = worker.id().map_or(Ok(0.0), cpu)?;
            let document = read(&mut worker, &file, &options)?;
            seconds += worker.id().map_or(Ok(0.0), cpu)? - before;
            let drawn = fs::read_to_string(file.with_extension("txt"))?;
            shares.push(characters(&drawn, &document.text));
            if !document.warnings.is_empty() {
                println!("{}: {:?}", file.display(), document.warnings);
            }
        }
        let count = shares.len() as f64;
        println!(
            "{count} scans by {by}: {:.4} of characters right, {:.4} on the worst page, {:.2} s of CPU a page",
            shares.iter().sum::<f64>() / count,
            shares.iter().copied().fold(1.0, f64::min),
            seconds / count
        );
        Ok(())
    }

    /// Pages of text, in turns with PyMuPDF.
    fn texts(&self, python: &Path, here: &Path) -> Result<()> {
        let (mut worker, mut peer) = (self.worker(), Peer::start(python, &here.join("peer.py"))?);
        for name in ["plain", "mixed"] {
            let file = self.folder.join(format!("text-{name}.pdf"));
            // The first file also pays for the start of the process.
            read(&mut worker, &file, &plain())?;
            let mut rounds: [Vec<f64>; 3] = Default::default();
            for _ in 0..ROUNDS {
                let id = worker.id().ok_or("the process has ended")?;
                let before = cpu(id)?;
                read(&mut worker, &file, &plain())?;
                rounds[0].push(cpu(id)? - before);
                rounds[1].push(peer.ask(&file, "text")?);
                rounds[2].push(peer.ask(&file, "dict")?);
            }
            let [own, text, dict] = rounds.map(|seconds| median(seconds) * 1000.0 / PAGES);
            let tables = peer.ask(&file, "tables")? * 1000.0 / PAGES;
            println!(
                "{name}: {own:.2} ms of CPU a page; PyMuPDF {text:.2} for text, {dict:.2} with places, \
                 {tables:.0} with tables"
            );
        }
        Ok(())
    }
}

fn plain() -> Options {
    Options { ocr: Ocr { when: When::Off, ..Ocr::default() }, ..Options::default() }
}

fn read(worker: &mut Worker, file: &Path, options: &Options) -> Result<Document> {
    let read = worker.parse(&fs::read(file)?, options, &|| false);
    Ok(read.map_err(|error| format!("{}: {error}", file.display()))?)
}

/// Seconds of CPU of a process and of the processes that it has waited for.
fn cpu(id: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
    let (_, fields) = stat.rsplit_once(')').ok_or("/proc has another form")?;
    let ticks = fields.split_whitespace().skip(11).take(4).map(str::parse::<u64>);
    // A tick is a hundredth of a second on every Linux.
    Ok(ticks.sum::<std::result::Result<u64, _>>()? as f64 / 100.0)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// A process that reads with PyMuPDF.
struct Peer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Peer {
    fn start(python: &Path, script: &Path) -> Result<Self> {
        let mut child = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let to = child.stdin.take().ok_or("it has no pipe")?;
        let from = BufReader::new(child.stdout.take().ok_or("it has no pipe")?);
        Ok(Self { child, to, from })
    }

    fn ask(&mut self, file: &Path, how: &str) -> Result<f64> {
        writeln!(self.to, "{how}\t{}", file.display())?;
        self.to.flush()?;
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        Ok(line.trim().parse()?)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
