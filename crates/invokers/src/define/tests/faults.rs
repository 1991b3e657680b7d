//! Definitions that are wrong, each with every fault: its line (0 where it has none), its key, and its sentence.

use consign_models::{ModelName, config::check_base_url};

use super::read;
use crate::define::{DefinitionFaults, read::UNTOLD};

type Row = (&'static str, &'static [(usize, &'static str, &'static str)]);

const ROWS: &[Row] = &[
    (
        "name = 'a'\n\
         colour = 1\n\
         effect = 'none'\n\
         [subproces]\n\
         command = []\n\
         speed = 2\n",
        &[
            (2, "colour", "unknown field `colour`; remove it (docs/agents.md has the fields)"),
            (3, "effect", "effect is \"none\"; write one of pure, idempotent, keyed, unsafe"),
            (4, "subproces", "unknown field `subproces`; did you mean `subprocess`?"),
            (
                5,
                "subproces.command",
                "subproces.command is empty; write the program, then its arguments",
            ),
            (
                6,
                "subproces.speed",
                "unknown field `subproces.speed`; write one of command, directory, env, answers, or remove it",
            ),
        ],
    ),
    (
        "name = 'A'\n\
         timeout_seconds = -1\n\
         [model]\n\
         name = 'gpt-5'\n\
         temperature = 3\n\
         max_tokens = 0\n",
        &[
            (
                1,
                "name",
                "name is \"A\"; begin with a letter and use a to z, 0 to 9 and -, 64 at most",
            ),
            (2, "timeout_seconds", "timeout_seconds is -1; write a number of seconds above 0"),
            (5, "model.temperature", "model.temperature is 3; write a number from 0 to 2"),
            (6, "model.max_tokens", "model.max_tokens is 0; write 1 or more"),
        ],
    ),
    (
        "",
        &[
            (0, "name", "name is missing; write name = \"my-agent\" in the first line"),
            (
                0,
                "",
                "the agent cannot be reached; add one of [model], [subprocess], [http], [mcp], [bridge]",
            ),
        ],
    ),
    (
        "name = 'a'\n",
        &[(
            0,
            "",
            "the agent cannot be reached; add one of [model], [subprocess], [http], [mcp], [bridge]",
        )],
    ),
    (
        "description = 'no name'\n\
         [bridge]\n",
        &[(0, "name", "name is missing; write name = \"my-agent\" in the first line")],
    ),
    (
        "name = 'a'\n\
         [telepathy]\n\
         x = 1\n",
        &[(2, "telepathy", "unknown field `telepathy`; remove it (docs/agents.md has the fields)")],
    ),
    (
        "name = 'a'\n\
         [subprocess]\n\
         command = 7\n",
        &[(3, "subprocess.command", "subprocess.command is 7; write a list of strings")],
    ),
    (
        "name = 'a'\n\
         [subprocess]\n\
         env = []\n",
        &[(
            2,
            "subprocess.command",
            "subprocess.command is missing; write command = [\"PROGRAM\", \"ARGUMENT\"]",
        )],
    ),
    (
        "name = 'a'\n\
         [limits]\n\
         memory_mb = 64\n\
         [subprocess]\n\
         command = ['cat', 5]\n\
         [model]\n\
         name = 'gpt-5'\n\
         stream = 'no'\n\
         [bridge]\n",
        &[
            (5, "subprocess.command[1]", "subprocess.command[1] is 5; write a string"),
            (
                6,
                "model",
                "an agent is reached in one way; keep one of [subprocess], [model], [bridge]",
            ),
            (8, "model.stream", "model.stream is a string; write true or false"),
        ],
    ),
    (
        "name = 'a'\n\
         efect = 'pure'\n\
         effect = 'pur'\n\
         timeout_seconds = nan\n\
         [bridge]\n\
         deadline_seconds = 1e10\n\
         promt = 'x'\n",
        &[
            (2, "efect", "unknown field `efect`; remove it (docs/agents.md has the fields)"),
            (3, "effect", "effect is \"pur\"; did you mean \"pure\"?"),
            (
                4,
                "timeout_seconds",
                "timeout_seconds has no effect on [bridge]; write bridge.deadline_seconds instead",
            ),
            (
                6,
                "bridge.deadline_seconds",
                "bridge.deadline_seconds is 10000000000; write 315360000 (3650 days) or less",
            ),
            (7, "bridge.promt", "unknown field `bridge.promt`; did you mean `prompt`?"),
        ],
    ),
    (
        "name = 'a'\n\
         timeout_seconds = 2592001\n\
         [http]\n\
         url = 'file:///etc/passwd'\n\
         probe_url = 'http://u:secret@h/'\n\
         allow_private = 'yes'\n\
         bearer_env = ['TOKEN']\n",
        &[
            (2, "timeout_seconds", "timeout_seconds is 2592001; write 2592000 (30 days) or less"),
            (
                4,
                "http.url",
                "http.url: not an http or https URL: write http:// or https://, then a host and a path",
            ),
            (
                5,
                "http.probe_url",
                "http.probe_url: the URL has a user or password in it: name a variable that holds the secret instead",
            ),
            (6, "http.allow_private", "http.allow_private is a string; write true or false"),
            (7, "http.bearer_env", "http.bearer_env is a list; write a string"),
        ],
    ),
    (
        "name = 'a'\n\
         timeout_seconds = 60\n\
         [limits]\n\
         output_mb = 1\n\
         memory_mb = 1\n\
         [bridge]\n",
        &[
            (
                2,
                "timeout_seconds",
                "timeout_seconds has no effect on [bridge]; write bridge.deadline_seconds instead",
            ),
            (4, "limits.output_mb", "limits.output_mb has no effect on [bridge]; remove it"),
            (5, "limits.memory_mb", "limits.memory_mb has no effect on [bridge]; remove it"),
        ],
    ),
    (
        "name = 'a'\n\
         [limits]\n\
         max_cost_usd = 1\n\
         memory_mb = 0\n\
         output_mb = -5\n\
         [model]\n\
         name = 'gpt-5'\n",
        &[
            (
                3,
                "limits.max_cost_usd",
                "limits.max_cost_usd has no effect on [model], whose price is known by its tokens; remove it",
            ),
            (4, "limits.memory_mb", "limits.memory_mb has no effect on [model]; remove it"),
            (5, "limits.output_mb", "limits.output_mb has no effect on [model]; remove it"),
        ],
    ),
    (
        "name = 'a'\n\
         [limits]\n\
         max_cost_usd = 'much'\n\
         memory_mb = 1.5\n\
         output = 3\n\
         [subprocess]\n\
         command = ['']\n\
         answers = 'yaml'\n",
        &[
            (
                3,
                "limits.max_cost_usd",
                "limits.max_cost_usd is \"much\"; write an amount in dollars, such as 0.25",
            ),
            (4, "limits.memory_mb", "limits.memory_mb is 1.5; write an integer"),
            (5, "limits.output", "unknown field `limits.output`; did you mean `output_mb`?"),
            (
                7,
                "subprocess.command",
                "subprocess.command is empty; write the program, then its arguments",
            ),
            (8, "subprocess.answers", "subprocess.answers is \"yaml\"; write one of json, text"),
        ],
    ),
    (
        "name = 'a'\n\
         [contract]\n\
         input = { type = 7 }\n\
         output = 'no/such'\n\
         timeout_seconds = 5\n\
         [bridge]\n",
        &[
            (
                3,
                "contract.input",
                "contract.input: not a JSON Schema: /type: matches none of the allowed forms; for the closest, 7 is not one of \"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", \"string\"",
            ),
            (
                4,
                "contract.output",
                "contract.output: could not read \"no/such\": No such file or directory (os error 2); `consign contracts list` has the published contracts",
            ),
            (
                5,
                "contract.timeout_seconds",
                "unknown field `contract.timeout_seconds`; it belongs above the first [table]",
            ),
        ],
    ),
    (
        "name = 'a'\n\
         [contract.output]\n\
         type = 'object'\n\
         [model]\n\
         name = 'gpt-5'\n\
         [[model.tools]]\n\
         name = 'look'\n\
         parameters = { type = 'object' }\n\
         [[model.tools]]\n\
         description = 7\n\
         colour = 'red'\n",
        &[
            (
                6,
                "model.tools",
                "model.tools and contract.output exclude each other: a model that asks for a tool does not give the output; remove one of them",
            ),
            (9, "model.tools[1].name", "model.tools[1].name is missing; write name = \"NAME\""),
            (
                9,
                "model.tools[1].parameters",
                "model.tools[1].parameters is missing; write parameters = { type = \"object\" }",
            ),
            (10, "model.tools[1].description", "model.tools[1].description is 7; write a string"),
            (
                11,
                "model.tools[1].colour",
                "unknown field `model.tools[1].colour`; write one of name, description, parameters, or remove it",
            ),
        ],
    ),
    (
        "name = 'a'\n\
         [model]\n\
         name = 'gpt-5'\n\
         files = ['none.md', 3]\n\
         repair = ['guess', 'lokal', 'person']\n\
         allow = ['gpt-4.1']\n\
         prompt = '{{outputs}}'\n\
         fallback = 'gpt-5-mini'\n",
        &[
            (
                4,
                "model.files[0]",
                "model.files[0]: could not read \"none.md\": No such file or directory (os error 2); paths start at the definition's folder",
            ),
            (4, "model.files[1]", "model.files[1] is 3; write a string"),
            (
                5,
                "model.repair[0]",
                "model.repair[0] is \"guess\"; write one of local, ask_again, fallback, person",
            ),
            (5, "model.repair[1]", "model.repair[1] is \"lokal\"; did you mean \"local\"?"),
            (6, "model.allow", "model.allow has no openai/gpt-5, which the agent asks; add it"),
            (
                7,
                "model.prompt",
                "model.prompt: {{outputs}} is not a placeholder: write {{input}} or {{input.field}}",
            ),
            (8, "model.fallback", "model.fallback is a string; write a list of strings"),
        ],
    ),
    (
        "name = 'a'\n\
         [model]\n\
         name = 'gpt-5'\n\
         fallback = ['gpt-4.1']\n\
         allow = ['gpt-4.1-mini']\n\
         base_url = 5\n\
         temperature = 'cold'\n",
        &[
            (5, "model.allow", "model.allow has no openai/gpt-5, which the agent asks; add it"),
            (5, "model.allow", "model.allow has no openai/gpt-4.1, which the agent asks; add it"),
            (6, "model.base_url", "model.base_url is 5; write a string"),
            (7, "model.temperature", "model.temperature is a string; write a number"),
        ],
    ),
    (
        "name = 'a'\n\
         [model]\n\
         name = 'bridge'\n\
         fallback = ['gpt-5']\n\
         max_tokens = 5000000000\n\
         [model.tools]\n\
         name = 'look'\n",
        &[
            (
                4,
                "model.fallback",
                "model.fallback: bridge replaces the model and takes no fallback",
            ),
            (5, "model.max_tokens", "model.max_tokens is 5000000000; write 4294967295 or less"),
            (6, "model.tools", "model.tools is a table; write tables, each under [[model.tools]]"),
        ],
    ),
    (
        "name = 'a'\n\
         [mcp]\n\
         tool = 5\n\
         command = []\n\
         url = 'http://127.0.0.1/'\n",
        &[
            (3, "mcp.tool", "mcp.tool is 5; write a string"),
            (4, "mcp.command", "mcp.command is empty; write the program, then its arguments"),
            (
                5,
                "mcp.url",
                "mcp.url: 127.0.0.1 is an address of this machine; only public addresses are reached unless the agent has `allow_private = true`",
            ),
            (5, "mcp.url", "mcp.command and mcp.url exclude each other; remove one of them"),
        ],
    ),
    (
        "name = 'a'\n\
         [mcp]\n\
         directory = 5\n",
        &[
            (2, "mcp.tool", "mcp.tool is missing; write tool = \"NAME\""),
            (2, "mcp.command", "mcp.command and mcp.url are missing; write one of them"),
            (3, "mcp.directory", "mcp.directory is 5; write a string"),
        ],
    ),
    (
        "name = 5\n\
         description = []\n\
         effect = true\n\
         timeout_seconds = 'long'\n\
         contract = 'x.json'\n\
         limits = []\n\
         model = 'gpt-5'\n",
        &[
            (1, "name", "name is 5; write a string"),
            (2, "description", "description is a list; write a string"),
            (3, "effect", "effect is true; write a string"),
            (4, "timeout_seconds", "timeout_seconds is a string; write a number"),
            (5, "contract", "contract is a string; write a table under [contract]"),
            (6, "limits", "limits is a list; write a table under [limits]"),
            (7, "model", "model is a string; write a table under [model]"),
        ],
    ),
    (
        "name = 'a\n\
         efect = 'pure'\n",
        &[(1, "", "not TOML: invalid literal string, expected `'`; correct this line")],
    ),
    (
        "name = 'a'\n\
         name = 'b'\n\
         [nonsense]\n",
        &[(2, "", "duplicate key \"name\"; remove one of the two")],
    ),
    (
        "name = 'a'\n\
         temperature = 1\n\
         deadline = 5\n\
         'two words' = 1\n\
         [model]\n\
         name = 'gpt-5'\n",
        &[
            (2, "temperature", "unknown field `temperature`; it belongs in [model]"),
            (3, "deadline", "unknown field `deadline`; remove it (docs/agents.md has the fields)"),
            (
                4,
                "\"two words\"",
                "unknown field `\"two words\"`; remove it (docs/agents.md has the fields)",
            ),
        ],
    ),
    (
        "name = 'a'\n\
         bridge.deadline_seconds = 0\n\
         bridge.timeout_seconds = 5\n",
        &[
            (
                2,
                "bridge.deadline_seconds",
                "bridge.deadline_seconds is 0; write a number of seconds above 0",
            ),
            (
                3,
                "bridge.timeout_seconds",
                "unknown field `bridge.timeout_seconds`; write deadline_seconds",
            ),
        ],
    ),
    (
        "name = 'an-agent-whose-name-has-a-hundred-letters-or-so-which-is-too-many-for-a-file'\n\
         [subprocess]\n\
         command = [\n\
           'cat',\n\
           7,\n\
         ]\n\
         env = [\n\
           'A',\n\
           { b = 1 },\n\
         ]\n",
        &[
            (
                1,
                "name",
                "name is \"an-agent-whose-name-has-a-hundred-letters-or-so-which-is-too-many-for-a-file\"; begin with a letter and use a to z, 0 to 9 and -, 64 at most",
            ),
            (5, "subprocess.command[1]", "subprocess.command[1] is 7; write a string"),
            (9, "subprocess.env[1]", "subprocess.env[1] is a table; write a string"),
        ],
    ),
];

/// Line, key and sentence of every fault.
fn told(text: &str) -> Vec<(usize, String, String)> {
    let DefinitionFaults(faults) = read(text).expect_err("it is wrong");
    let told =
        faults.iter().map(|fault| (fault.line.unwrap_or(0), fault.key(), fault.what.clone()));
    told.collect()
}

#[test]
fn every_fault_is_told_with_its_line_and_its_key() {
    for (text, expected) in ROWS {
        let found = told(text);
        let found: Vec<_> =
            found.iter().map(|(line, key, what)| (*line, key.as_str(), what.as_str())).collect();
        assert_eq!(&found, expected, "{text}");
    }
}

#[test]
fn whatever_is_missing_a_reason_is_told() {
    for (text, _) in ROWS {
        let lines: Vec<_> = text.lines().collect();
        for without in 0..lines.len() {
            let mut left = lines.clone();
            left.remove(without);
            let text = left.join("\n");
            let Err(DefinitionFaults(faults)) = read(&text) else { continue };
            assert!(faults.iter().all(|fault| fault.what != UNTOLD), "{text}");
        }
    }
}

#[test]
fn what_models_say_of_their_names_and_addresses_is_told_in_their_words() {
    let text = "name = 'a'\n[model]\nname = 'nope/x'\nfallback = ['gpt-5', 'acme']\nbase_url = 'ftp://h'\n";
    let why = |name: &str| name.parse::<ModelName>().unwrap_err();
    let [name, fallback, url] = &told(text)[..] else { panic!("{:?}", told(text)) };
    assert_eq!((name.0, name.1.as_str()), (3, "model.name"));
    assert!(name.2.starts_with(&format!("model.name: {}", why("nope/x"))), "{name:?}");
    let expected = format!("model.fallback[1]: {}", why("acme"));
    assert_eq!(*fallback, (4, "model.fallback[1]".to_owned(), expected));
    let expected = format!("model.base_url: {}", check_base_url("ftp://h").unwrap_err());
    assert_eq!(*url, (5, "model.base_url".to_owned(), expected));
}

#[test]
fn a_secret_in_an_address_is_not_told() {
    let faults = told("name = 'a'\n[http]\nurl = 'http://user:hunter2@host/'\n");
    assert!(!format!("{faults:?}").contains("hunter2"), "{faults:?}");
}

#[test]
fn however_long_a_value_is_its_fault_is_one_line() {
    let long = "x".repeat(100_000);
    for text in [
        format!("name = '{long}'\n[bridge]"),
        format!("name = 'a'\n{long} = 1\n[bridge]"),
        format!("name = 'a'\n[limits]\nmax_cost_usd = {}\n[bridge]", "9".repeat(100_000)),
        format!("name = 'a'\n[bridge]\ndeadline_seconds = '{long}'\n"),
        format!("name = 'a'\n[contract]\noutput = '{long}'\n[bridge]"),
        format!("name = 'a'\n[model]\nname = '{long}'\n"),
    ] {
        let faults = told(&text);
        assert_eq!(faults.len(), 1, "{}", faults.len());
        assert!(faults[0].2.len() < 600, "{}", faults[0].2.len());
    }
}
