mod count;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;

#[derive(Parser)]
#[command(version, about = "Counts words")]
struct Args {
    file: PathBuf,
    #[arg(long, default_value_t = 10)]
    top: usize,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let text = std::fs::read_to_string(&args.file).context("could not read the file")?;
    for (word, count) in count::top_words(&text, args.top) {
        println!("{count}\t{word}");
    }
    Ok(())
}
