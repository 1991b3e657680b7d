//! Three small repositories in different languages, and a document that is true for one of them.

use consign_documentation::{Critique, Facts, LogEntry, Snapshot, check};

pub(crate) fn snapshot(name: &str, files: &[(&str, &str)]) -> Snapshot {
    let mut snapshot = Snapshot::new("acme", name);
    for (path, text) in files {
        snapshot.add(path, text.as_bytes());
    }
    snapshot
}

fn commit(subject: &str, body: &str, tags: &[&str]) -> LogEntry {
    LogEntry {
        id: "0123456789abcdef".to_owned(),
        date: "2026-03-01T10:00:00Z".to_owned(),
        subject: subject.to_owned(),
        body: body.to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
    }
}

const MIT: &str = "MIT License\n\nPermission is hereby granted, free of charge, to any person";

/// A service and a program in Rust.
pub(crate) fn rust() -> Snapshot {
    let main = r#"//! The program.
use clap::Parser;

#[derive(Parser)]
struct Arguments {
    /// Where to listen.
    #[arg(long, env = "SHOP_ADDRESS")]
    listen_on: String,
    #[arg(long = "dry-run")]
    dry: bool,
}

fn main() {
    let url = std::env::var("SHOP_DATABASE_URL");
    let app = Router::new()
        .route("/orders", get(list_orders).post(place_order))
        .route("/orders/{id}", get(show_order));
}
"#;
    let lib = "/// Counts the stock of one shelf.\npub fn count_stock(shelf: u32) -> u32 { shelf }\n\npub struct StockError;\n";
    let manifest = "[package]\nname = \"shop\"\nversion = \"1.4.2\"\ndescription = \"Orders of a small shop\"\nlicense = \"MIT\"\nrust-version = \"1.80\"\n\n[dependencies]\nclap = \"4\"\n\n[features]\ntls = []\n";
    let make = "build:\n\tcargo build\n\nlint: build\n\tcargo clippy\n";
    let mut snapshot = snapshot(
        "shop",
        &[
            ("Cargo.toml", manifest),
            ("Makefile", make),
            ("LICENSE", MIT),
            ("src/main.rs", main),
            ("src/lib.rs", lib),
            ("tests/orders.rs", "#[test]\nfn orders_are_kept() {}\n"),
            ("docs/GUIDE.md", "# Guide\n\n## Opening hours\n"),
            ("config/shop.toml", "currency = \"EUR\"\n"),
        ],
    );
    snapshot.commits = vec![
        commit("feat(orders): show one order", "", &[]),
        commit("fix!: refuse negative amounts", "", &[]),
        commit("chore: release", "", &["v1.4.2"]),
        commit("feat: list orders", "BREAKING CHANGE: the path changed", &[]),
        commit("tidy up", "", &[]),
    ];
    snapshot
}

/// A library and a service in JavaScript.
pub(crate) fn node() -> Snapshot {
    let manifest = r#"{
  "name": "tiny-queue",
  "version": "2.0.1",
  "description": "A queue in memory",
  "license": "ISC",
  "bin": "cli.js",
  "engines": {"node": ">=18"},
  "scripts": {"build": "rollup -c", "test": "node --test", "lint:fix": "eslint --fix ."}
}
"#;
    let index = "export function createQueue(options) {}\nexport class QueueError extends Error {}\napp.get('/jobs/:id', show)\n";
    let cli = "program.option('-c, --concurrency <n>', 'how many at once')\nconst level = process.env.QUEUE_LOG_LEVEL\n";
    snapshot(
        "tiny-queue",
        &[
            ("package.json", manifest),
            ("src/index.js", index),
            ("cli.js", cli),
            ("test/queue.test.js", "test('runs', () => {})\n"),
        ],
    )
}

/// A library in Python.
pub(crate) fn python() -> Snapshot {
    let manifest = "[project]\nname = \"soil-map\"\nversion = \"0.3.0\"\ndescription = \"Maps of soil\"\nrequires-python = \">=3.10\"\nlicense = \"BSD-3-Clause\"\n\n[project.scripts]\nsoil = \"soil_map.cli:main\"\n";
    let module = "import os\n\nTOKEN = os.environ[\"SOIL_TOKEN\"]\n\n\ndef read_samples(path):\n    \"\"\"Reads samples of a file.\"\"\"\n    return []\n\n\nclass SampleError(Exception):\n    pass\n";
    let cli = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument(\"--grid-size\")\n";
    snapshot(
        "soil-map",
        &[
            ("pyproject.toml", manifest),
            ("soil_map/__init__.py", module),
            ("soil_map/cli.py", cli),
            ("tests/test_samples.py", "def test_samples():\n    pass\n"),
        ],
    )
}

/// True for [`rust`].
pub(crate) const TRUE_README: &str = r#"# shop

Orders of a small shop. Licensed under the MIT license.

- [Usage](#usage)

## Features

- `count_stock()` counts a shelf; it gives a `StockError` if it cannot.
- The routes are in `src/main.rs`, its settings in `config/shop.toml`.

## Installation

It requires Rust 1.80 or newer.

```sh
git clone https://example.com/shop
cd shop
cargo install --path .
make lint
```

```toml
[dependencies]
shop = "1.4"
```

## Usage

```console
$ shop --listen-on 127.0.0.1:80 --dry-run
listening
$ cargo test --features tls
```

```rust
use shop::count_stock;
let stock = count_stock(3);
```

`GET /orders/7` shows one order; `POST /orders` makes one:

```json
{"article": 7, "amount": 2}
```

## Configuration

| variable | for |
|---|---|
| `SHOP_DATABASE_URL` | the database |
| `SHOP_ADDRESS` | where to listen |

## Contributing

See [the guide](docs/GUIDE.md#opening-hours) and run `make build`.

## License

[MIT](LICENSE)
"#;

pub(crate) fn checked(path: &str, text: &str, snapshot: &Snapshot) -> Critique {
    check(path, text, &Facts::of(snapshot), snapshot)
}
