//! What the tests of the invokers start: a keeper, or an MCP server on stdin and stdout.

#[path = "../tests/it/tools.rs"]
mod tools;

use std::{ffi::OsString, process::ExitCode};

use rmcp::ServiceExt;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match arguments.first().and_then(|word| word.to_str()) {
        Some("supervise") => match consign_invokers::process::supervise(&arguments[1..]) {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        },
        Some("serve") => {
            let runtime = tokio::runtime::Runtime::new().expect("there is a runtime");
            runtime.block_on(async {
                let serving = tools::Tools.serve(rmcp::transport::stdio()).await;
                let _ = serving.expect("somebody greets us").waiting().await;
            });
            ExitCode::SUCCESS
        }
        _ => ExitCode::from(2),
    }
}
