//! `consign doctor`: what is here, what is missing, and what that costs.

mod disk;
mod home;
mod tools;

use consign_contracts::json::Json;

use crate::{
    error::{Error, Exit},
    output::{BAD, FAINT, GOOD, Output, Reader, WARN, object, printable, styled},
};

/// Fails only where Consign could not work: its directory cannot be written.
pub(super) fn run(output: &mut Output) -> Result<Exit, Error> {
    let home = home::look();
    let disk = home.as_ref().ok().and_then(|home| disk::measure(&home.probe).ok());
    let tools = tools::look();
    let ready = home.is_ok() && disk.is_some();
    match output.reader {
        Reader::Program => for_program(ready, &home, disk.as_ref(), &tools, output)?,
        Reader::Person | Reader::Pipe => {
            for_person(ready, &home, disk.as_ref(), &tools, output)?;
        }
    }
    Ok(if ready { Exit::Done } else { Exit::Failed })
}

type Home = Result<home::Home, String>;

fn platform() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

fn cores() -> u64 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64)
}

fn for_person(
    ready: bool,
    home: &Home,
    disk: Option<&disk::Disk>,
    tools: &[tools::Tool],
    output: &mut Output,
) -> Result<(), Error> {
    let version = env!("CARGO_PKG_VERSION");
    output.line(format!("consign {version}, {}, {} cores", platform(), cores()))?;
    match home {
        Ok(home) => {
            let note = if home.exists { "" } else { " (made when it is first needed)" };
            output.line(format!(
                "directory  {} {}{note}",
                styled(GOOD, "ok"),
                printable(&home.path.to_string_lossy())
            ))?;
            output.line(format!("space      {} free", bytes(home.free)))?;
        }
        Err(why) => output.line(format!("directory  {} {}", styled(BAD, "bad"), printable(why)))?,
    }
    if let Some(disk) = disk {
        output.line(format!("writing    {:.0} MB/s", disk.megabytes_per_second))?;
        output.line(format!(
            "fsync      median {:.2} ms, slowest {:.2} ms: about {:.0} durable writes a second, one at a time",
            disk.median_ms, disk.slowest_ms, 1000.0 / disk.median_ms.max(0.001)
        ))?;
    }
    let rows = tools.iter().map(|tool| {
        let state = match &tool.path {
            Some(path) => path.display().to_string(),
            None => "missing".to_owned(),
        };
        vec![tool.name.to_owned(), state, tool.used_for.to_owned(), tool.without.to_owned()]
    });
    output.rows(&["program", "found", "used for", "without it"], rows.collect())?;
    let missing = tools.iter().filter(|tool| tool.path.is_none()).count();
    output.line(match (ready, missing) {
        (false, _) => styled(BAD, "Consign cannot work here: see above."),
        (true, 0) => styled(GOOD, "Everything is here."),
        (true, _) => styled(WARN, format!("Ready; {missing} optional programs are missing.")),
    })?;
    output.line(styled(FAINT, "CONSIGN_HOME moves the directory."))?;
    Ok(())
}

fn for_program(
    ready: bool,
    home: &Home,
    disk: Option<&disk::Disk>,
    tools: &[tools::Tool],
    output: &mut Output,
) -> Result<(), Error> {
    let text = |text: String| Json::String(text.into());
    let home = match home {
        Ok(home) => object([
            ("path", text(home.path.display().to_string())),
            ("exists", Json::Bool(home.exists)),
            ("writable", Json::Bool(true)),
            ("free_bytes", Json::Number(home.free.into())),
        ]),
        Err(why) => object([("writable", Json::Bool(false)), ("problem", text(why.clone()))]),
    };
    let disk = disk.map_or(Json::Null, |disk| {
        let number = |value: f64| {
            let rounded = (value * 1000.0).round() / 1000.0;
            rounded.try_into().map_or(Json::Null, Json::Number)
        };
        Json::Object(object([
            ("write_mb_per_second", number(disk.megabytes_per_second)),
            ("fsync_median_ms", number(disk.median_ms)),
            ("fsync_slowest_ms", number(disk.slowest_ms)),
        ]))
    });
    let tools = tools.iter().map(|tool| {
        Json::Object(object([
            ("name", Json::from(tool.name)),
            ("found", Json::Bool(tool.path.is_some())),
            (
                "path",
                tool.path.as_ref().map_or(Json::Null, |path| text(path.display().to_string())),
            ),
            ("used_for", Json::from(tool.used_for)),
            ("without", Json::from(tool.without)),
        ]))
    });
    output.object(object([
        ("ready", Json::Bool(ready)),
        ("version", Json::from(env!("CARGO_PKG_VERSION"))),
        ("platform", text(platform())),
        ("cores", Json::Number(cores().into())),
        ("home", Json::Object(home)),
        ("disk", disk),
        ("tools", Json::Array(tools.collect())),
    ]))?;
    Ok(())
}

fn bytes(count: u64) -> String {
    match count as f64 {
        few if few < 1e9 => format!("{:.0} MB", few / 1e6),
        many => format!("{:.1} GB", many / 1e9),
    }
}
