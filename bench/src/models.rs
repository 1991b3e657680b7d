//! A call of a model, beside the bare HTTP call that it makes to the double.
//!
//! The same question goes the same way to the same double four times over: as a bare POST, by the
//! client, by the agent's invoker, and as a run on a disk. The four take turns. The double is a
//! process of its own, so what this process uses is ours alone.

mod alone;
mod bare;
mod double;
mod first;
mod noted;
mod question;
mod stage;
mod together;
mod way;

use std::{error::Error, sync::Arc};

use serde_json::{Value, json};

use self::{double::Double, stage::Stage};
use crate::ground::{self, Place};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Calls of each way, one at a time
    #[arg(long, default_value_t = 500)]
    calls: u32,
    /// Calls at once
    #[arg(long, default_value_t = 64)]
    at_once: u32,
    /// How often each of those is repeated in a turn
    #[arg(long, default_value_t = 16)]
    repeats: u32,
    /// Turns of each way with so many at once
    #[arg(long, default_value_t = 9)]
    rounds: u32,
    /// Streamed calls of each way
    #[arg(long, default_value_t = 200)]
    streams: u32,
    /// Bytes of the question
    #[arg(long, default_value_t = 2048)]
    prompt: usize,
    /// Bytes of the answer
    #[arg(long, default_value_t = 1024)]
    answer: usize,
    /// Pieces of a streamed answer
    #[arg(long, default_value_t = 20)]
    chunks: u32,
    /// Milliseconds between them
    #[arg(long, default_value_t = 2)]
    pause_ms: u32,
    /// Be the double, until nobody asks any more
    #[arg(long, hide = true)]
    serve: bool,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    if args.serve {
        return double::serve();
    }
    let mut double = Double::start(&question::script(args.answer, args.chunks, args.pause_ms))?;
    let folder = args.place.folder()?;
    let runtime = ground::runtime()?;
    runtime.block_on(async {
        let prompt = question::words(args.prompt);
        let whole = Stage::set(&folder.path().join("whole"), &double.url, &prompt, false).await?;
        let call = alone::measure(&whole, args.calls).await?;
        let size =
            together::Size { at_once: args.at_once, repeats: args.repeats, rounds: args.rounds };
        let at_once = together::measure(&Arc::new(whole), &mut double, size).await?;
        let streamed =
            Stage::set(&folder.path().join("streamed"), &double.url, &prompt, true).await?;
        let first_token = first::measure(&streamed, args.streams).await?;
        Ok(json!({
            "bench": "models",
            "prompt": args.prompt,
            "answer": args.answer,
            "call": call,
            "at_once": at_once,
            "first_token": first_token,
        }))
    })
}
