//! What a large project is made of: `consign template analyze` on a tree of many files.

use std::{
    error::Error,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};

use crate::{
    clock::{median, rounded},
    ground::beside,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program; by default the `consign` beside this one
    #[arg(long)]
    program: Option<PathBuf>,

    /// Rounds
    #[arg(long, default_value_t = 5)]
    rounds: u32,

    /// Files of the project, a fifth of them in `node_modules`
    #[arg(long, default_value_t = 100_000)]
    files: usize,

    /// A project of yours instead
    #[arg(long)]
    path: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let program = beside(args.program.as_ref())?;
    let dir = tempfile::tempdir()?;
    let path = match &args.path {
        Some(path) => path.clone(),
        None => made(dir.path(), args.files)?,
    };
    let (mut seconds, mut first) = (Vec::new(), None);
    for _ in 0..=args.rounds {
        let began = Instant::now();
        let mut command = Command::new(&program);
        command.args(["template", "analyze", "--json", "--path"]).arg(&path);
        let output = command.stderr(Stdio::inherit()).output()?;
        seconds.push(began.elapsed().as_secs_f64());
        if !output.status.success() {
            return Err("it could not be analysed".into());
        }
        // The same tree gives the same words.
        let same = first.get_or_insert_with(|| output.stdout.clone());
        if *same != output.stdout {
            return Err("two analyses of one tree differ".into());
        }
    }
    let found: Value = serde_json::from_slice(&first.unwrap_or_default())?;
    if args.path.is_none() && found.to_string().contains("outside") {
        return Err("a link was followed out of the project".into());
    }
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    // The first round brings the files into memory.
    let cold = seconds.remove(0);
    Ok(json!({
        "bench": "analyze",
        "files": args.files,
        "counted": found["files"],
        "primary_language": found["primary_language"],
        "framework": found["framework"],
        "first_seconds": rounded(cold),
        "seconds": rounded(median(seconds)),
        "peak_mb": rounded(peak as f64 / 1024.0),
    }))
}

/// A shop of many features: a server in TypeScript, a service in Go, scripts in Python, what was fetched, and
/// a link that leads out.
fn made(dir: &Path, files: usize) -> Result<PathBuf, Box<dyn Error>> {
    let (root, outside) = (dir.join("shop"), dir.join("outside"));
    fs::create_dir_all(&root)?;
    fs::create_dir_all(&outside)?;
    fs::write(outside.join("outside.rs"), "pub fn outside() {}\n")?;
    symlink(&outside, root.join("outside"))?;
    let package = json!({
        "name": "shop",
        "scripts": { "build": "tsc", "test": "jest" },
        "dependencies": { "@nestjs/core": "^10.0.0", "@nestjs/common": "^10.0.0" },
        "devDependencies": { "jest": "^29.0.0" },
    });
    fs::write(root.join("package.json"), package.to_string())?;
    fs::write(root.join("go.mod"), "module example.org/shop\n\ngo 1.22\n")?;
    let mut folder = PathBuf::new();
    for file in 0..files {
        let (group, within) = (file / 50, file % 10);
        let (place, name, text) = match within {
            0 | 1 => (
                format!("node_modules/package-{group}/lib"),
                format!("file{file}.js"),
                format!("exports.f{file} = function () {{ return {file}; }};\n").repeat(20),
            ),
            2..=4 => (
                format!("src/feature-{group}"),
                format!("feature-{file}.service.ts"),
                service(file),
            ),
            5 => (
                format!("src/feature-{group}"),
                format!("feature-{file}.controller.ts"),
                controller(file),
            ),
            6 => (
                format!("src/feature-{group}"),
                format!("feature-{file}.service.spec.ts"),
                format!("describe('feature {file}', () => {{\n  it('works', () => {{}})\n}})\n"),
            ),
            7 => (format!("internal/part{group}"), format!("part_{file}.go"), part(file)),
            8 => (
                format!("scripts/batch_{group}"),
                format!("task_{file}.py"),
                format!("def task_{file}(rows):\n    return [row for row in rows]\n").repeat(8),
            ),
            _ => (
                format!("docs/feature-{group}"),
                format!("page{file}.md"),
                format!("# Page {file}\n"),
            ),
        };
        let place = root.join(place);
        if place != folder {
            fs::create_dir_all(&place)?;
            folder = place;
        }
        fs::write(folder.join(name), text)?;
    }
    Ok(root)
}

fn service(file: usize) -> String {
    format!(
        "import {{ Injectable }} from '@nestjs/common';\n\n@Injectable()\nexport class \
         Feature{file}Service {{\n  private readonly known = new Map<string, number>();\n\n  find(id: \
         string): number {{\n    const found = this.known.get(id);\n    if (found === undefined) {{\n      \
         throw new Error('missing');\n    }}\n    return found;\n  }}\n}}\n"
    )
}

fn controller(file: usize) -> String {
    format!(
        "import {{ Controller, Get }} from '@nestjs/common';\n\n@Controller('feature-{file}')\nexport class \
         Feature{file}Controller {{\n  @Get()\n  all(): number[] {{\n    return [];\n  }}\n}}\n"
    )
}

fn part(file: usize) -> String {
    format!(
        "package part\n\nimport \"errors\"\n\nfunc Part{file}(id string) (int, error) {{\n\tif id == \"\" \
         {{\n\t\treturn 0, errors.New(\"no id\")\n\t}}\n\treturn {file}, nil\n}}\n"
    )
}
