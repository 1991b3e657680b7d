//! Writes a scaffold to a new folder: `scaffold REQUIREMENTS STACK OUTDIR`. An empty STACK gives the
//! minimal scaffold. `scripts/scaffolds` builds and tests what it writes.

use std::path::Path;
use std::{env, fs};

use consign_authoring::proto;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [requirements, stack, out] = arguments.as_slice() else {
        return Err("usage: scaffold REQUIREMENTS STACK OUTDIR".into());
    };
    let made = proto::generate(Some(requirements), None, Some(stack))?;
    proto::check_paths(&made.artifacts)?;
    for file in &made.artifacts {
        let path = Path::new(out).join(&file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, &file.content)?;
    }
    Ok(())
}
