use proptest::prelude::*;

use super::*;

#[test]
fn files_of_secrets_are_known_by_name() {
    for (path, expected) in [
        (".env", true),
        ("app/.env.production", true),
        (".env.example", false),
        ("certs/server.pem", true),
        ("deploy/id_rsa.pub", true),
        ("config/credentials.yml.enc", true),
        ("src/credentials.rs", false),
        ("src/keys.py", false),
        ("secrets.json", true),
        ("src/Secrets.java", false),
        ("terraform.tfstate", true),
        ("prod.tfvars", true),
        (".aws/credentials", true),
        (".envrc", true),
    ] {
        assert_eq!(by_name(path).is_some(), expected, "{path}");
    }
}

#[test]
fn tokens_are_known_by_their_form() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{line}\n");
    let token = format!("token = \"{}{}\"", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    for (path, content, expected) in [
        ("a.txt", key.as_str(), true),
        ("a.py", "if '-----BEGIN PRIVATE KEY-----' in text:\n    pass", false),
        ("a.py", &token, true),
        ("a.py", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", false),
        (".npmrc", "//registry.example/:_authToken=abc", true),
        (".npmrc", "engine-strict=true", false),
        ("a.js", "sketch_live_x", false),
        ("a.json", "{\"key\": \"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w\\n\"}", true),
        ("a.js", "k = 'sk_live_4eC39HqLyjWDarjt'", true),
        ("a.js", "k = 'xoxb-123456789012-abcdefABCDEF'", true),
    ] {
        assert_eq!(by_content(path, content).is_some(), expected, "{content}");
    }
}

#[test]
fn what_is_shown_has_three_stars_where_a_secret_was() {
    let token = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert_eq!(hidden(&format!("a = '{token}'; b = '{token}'\n")), "a = '***'; b = '***'\n");
    let key =
        "x\n-----BEGIN EC PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n-----END EC PRIVATE KEY-----\ny";
    assert_eq!(hidden(key), "x\n-----BEGIN EC PRIVATE KEY-----***-----END EC PRIVATE KEY-----\ny");
    assert_eq!(
        hidden("postgres://me:word@db/x http://a:80/b@c"),
        "postgres://***@db/x http://a:80/b@c"
    );
    assert_eq!(hidden("nothing here"), "nothing here");
}

/// Letters and digits as a generator makes them; a whole token is never in this file.
const LETTERS: &str =
    "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7b8C9d0E1f2G3h4I5j6K7l8M9n0";
const HEX: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";

/// What begins a token, how many characters follow, and of which they are.
const KNOWN: &[(&str, usize, &str)] = &[
    ("AKIA", 16, "Q3EGWR7ZT5JHL2VN"),
    ("ASIA", 16, "Q3EGWR7ZT5JHL2VN"),
    ("ghp_", 36, LETTERS),
    ("gho_", 36, LETTERS),
    ("ghu_", 36, LETTERS),
    ("ghs_", 36, LETTERS),
    ("ghr_", 36, LETTERS),
    ("github_pat_", 70, LETTERS),
    ("glpat-", 20, LETTERS),
    ("gldt-", 20, LETTERS),
    ("glrt-", 20, LETTERS),
    ("xoxb-", 40, LETTERS),
    ("xoxp-", 40, LETTERS),
    ("xoxe.xoxp-1-", 40, LETTERS),
    ("xapp-1-", 40, LETTERS),
    ("sk-ant-api03-", 60, LETTERS),
    ("sk-proj-", 48, LETTERS),
    ("sk-svcacct-", 48, LETTERS),
    ("sk-or-v1-", 64, HEX),
    ("sk-", 48, LETTERS),
    ("sk_live_", 24, LETTERS),
    ("sk_test_", 24, LETTERS),
    ("rk_live_", 24, LETTERS),
    ("whsec_", 32, LETTERS),
    ("AIza", 35, LETTERS),
    ("GOCSPX-", 28, LETTERS),
    ("ya29.", 60, LETTERS),
    ("npm_", 36, LETTERS),
    ("pypi-AgEIcHlwaS5vcmc", 60, LETTERS),
    ("hf_", 34, LETTERS),
    ("SK", 32, HEX),
    ("dop_v1_", 64, HEX),
    ("dor_v1_", 64, HEX),
];

fn known() -> Vec<String> {
    let mut known: Vec<String> =
        KNOWN.iter().map(|(begin, length, of)| format!("{begin}{}", &of[..*length])).collect();
    known.push(format!("SG.{}.{}", &LETTERS[..22], &LETTERS[22..65]));
    known.push(format!("eyJ{}.eyJ{}.{}", &LETTERS[..17], &LETTERS[5..40], &LETTERS[20..63]));
    known.push(
        format!("eyJ{}..", &LETTERS[..17])
            .replace("..", &format!(".{0}.{0}.{0}.{0}", &LETTERS[..22])),
    );
    known
}

#[test]
fn every_known_token_is_hidden_wherever_it_stands() {
    for token in known() {
        assert_eq!(by_content("a.txt", &token), Some("it holds a token"), "{token}");
        for (before, after) in [
            ("", ""),
            ("key = \"", "\"\n"),
            ("KEY=", "\n"),
            ("+", "\n"),
            ("it is ", ", said she"),
            ("it is ", ". So"),
            ("{\"text\": \"a line\\n", "\\nanother\"}"),
            ("{\"text\": \"{\\\"key\\\": \\\"", "\\\"}\"}"),
            ("\u{1f511}", "\u{fc}"),
            ("https://api.example/?key=", "&x=1"),
        ] {
            let shown = hidden(&format!("{before}{token}{after}"));
            assert_eq!(shown, format!("{before}***{after}"), "{token}");
        }
    }
}

#[test]
fn what_stands_where_a_secret_would_is_hidden() {
    let key = format!("{}/+{}", &LETTERS[..20], &LETTERS[20..38]);
    let azure = format!("{}{}==", LETTERS, "x/Y+z0");
    let basic = "dXNlcjpwYXNzd29yZA==";
    for (line, secret) in [
        ("aws_secret_access_key = {}", key.as_str()),
        ("AWS_SECRET_ACCESS_KEY={}", &key),
        ("export AWS_SECRET_ACCESS_KEY='{}'", &key),
        ("\"SecretAccessKey\": \"{}\",", &key),
        ("secretAccessKey: '{}',", &key),
        ("<SecretAccessKey>{}</SecretAccessKey>", &key),
        ("os.environ[\"AWS_SECRET_ACCESS_KEY\"] = \"{}\"", &key),
        ("{\"env\": \"aws_secret_access_key = {}\\nregion = eu\"}", &key),
        ("aws_session_token = {}", &azure),
        ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=x", &azure),
        ("Endpoint=sb://a.servicebus.windows.net/;SharedAccessKey={}", &azure),
        ("Server=tcp:a.database.windows.net;User ID=me;Password={};Encrypt=True", "h\u{fc}nter2!"),
        ("Server=a; pwd={}", "hunter2"),
        ("twilio_auth_token: {}", &HEX[..32]),
        ("//registry.npmjs.org/:_authToken={}", "01234567-89ab-cdef-0123-456789abcdef"),
        ("Authorization: Bearer {}", &LETTERS[..24]),
        ("authorization: bearer {}", &LETTERS[..24]),
        ("Proxy-Authorization: Basic {}", basic),
        ("Authorization: Basic {}", basic),
        ("curl -H 'Authorization: Bearer {}' https://a.example", &LETTERS[..24]),
        ("\"Authorization\": \"Bearer {}\"", &LETTERS[..24]),
        ("{\\\"Authorization\\\":\\\"Bearer {}\\\"}", &LETTERS[..24]),
        ("headers['Authorization'] = 'token {}'", &LETTERS[..24]),
        (".header(\"Authorization\", \"Bearer {}\")", &LETTERS[..24]),
        ("postgres://{}@db.example/x", "me:p%40ss"),
        ("\"redis://{}@cache:6379\"", ":hunter2"),
        ("https://hooks.example https://{}@a.example/b@c", "me:pa@ss"),
    ] {
        assert_eq!(hidden(&line.replace("{}", secret)), line.replace("{}", "***"), "{line}");
    }
    let hook = format!("https://hooks.slack.com/services/T0AB12CD3/B0AB12CD3/{}", &LETTERS[..24]);
    assert_eq!(hidden(&hook), "https://***");
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let image = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";
    let map =
        "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImEuanMiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IkFBQUEifQ==";
    let image = format!("<img src=\"data:image/png;base64,{image}\">");
    let map = format!("//# sourceMappingURL=data:application/json;base64,{map}");
    for text in [
        "1ebda1b0c7f1d4e8a2b3c4d5e6f708192a3b4c5d",
        "commit 1ebda1b0c7f1d4e8a2b3c4d5e6f708192a3b4c5d\nAuthor: A <a@example.com>",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "123e4567-e89b-12d3-a456-426614174000",
        &image,
        &map,
        "\"integrity\": \"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==\"",
        "checksum = \"ddddbf932745a6be37109b6112d3ee09696106f848449069d3a57bba937ab82e\"",
        "golang.org/x/sys v0.1.0/go.mod h1:oPkhp1MJrh7nUepCBck5+mAzfO9JrbApNNgaTdGDITg=",
        "sk-learn and sk-ant- are words, sk-prefixed ones too",
        "class=\"sk-container-id-1 sk-toggleable__content-arrow\"",
        "ask-whether-the-task-can-be-done-before-2027-01-01",
        "sk-ant-your-api-key-here",
        "sk_test_your_key_here",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "GH_TOKEN=ghp_YOUR_TOKEN_GOES_HERE_PLEASE_REPLACE",
        "npm_config_registry_and_other_settings_of_npm",
        "npm_lifecycle_event npm_package_version",
        "hf_hub_download(repo_id, filename)",
        "AIzaShort",
        "SG.Framework.Core.Namespaces.AreLong.ButNoTokens",
        "SKETCH SKU-0123456789",
        "AKIA is how they begin",
        "eyJ is how a JSON object begins in base64",
        "eyJhbGciOiJIUzI1NiJ9.short.x",
        "xoxb-your-token-here-please",
        "glpat-your-access-token-here",
        "Authorization: Bearer <token>",
        "Authorization: Bearer ${TOKEN}",
        "Authorization: Bearer YOUR_ACCESS_TOKEN",
        "`Authorization: Bearer {token}` is wanted",
        "Authorization: Basic realm",
        "authorization is a word, basic authentication are two",
        "AWS_SECRET_ACCESS_KEY: ${{ secrets.AWS_SECRET_ACCESS_KEY }}",
        "aws_secret_access_key = os.environ['AWS_SECRET_ACCESS_KEY']",
        "aws_secret_access_key:\\nthenextlineisnotakeyandhasmanylettersinit1",
        "AccountKey=<your-key>",
        "AccountKey is a property of the connection string",
        "Server=a;Password={your_password};Encrypt=True",
        "Server=a;Password=$PASSWORD",
        "the password=secret of a form",
        "http://a:80/b@c http://[::1]:80/ mailto:me@a.example",
        "see https://a.example:8080\\nand write to me@a.example",
        "git@github.com:owner/name.git ssh://git@github.com/owner/name",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END CERTIFICATE-----",
        "if '-----BEGIN PRIVATE KEY-----' in text:",
        "{\"text\": \"first\\npm_notatokenbuttheendofalineandthensome01\"}",
        "",
        "***",
    ] {
        assert_eq!(hidden(text), text);
        assert_eq!(by_content("a.txt", text), None, "{text}");
    }
}

#[test]
fn a_private_key_is_hidden_in_every_kind_of_string() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    for (text, expected) in [
        ("<B>\n<L>\n<L>\nabc=\n<E>\ny", "<B>***<E>\ny"),
        (r#"{"a": "<B>\n<L>\n<L>\n<E>\n", "b": 1}"#, r#"{"a": "<B>***<E>\n", "b": 1}"#),
        (r#"{"a": "<B>\n<L>\/<L>\u003d\n<E>"}"#, r#"{"a": "<B>***<E>"}"#),
        (r#"["<B>", "<L>", "<L>", "<E>"]"#, r#"["<B>", "***", "***", "<E>"]"#),
        (
            r#"{"a": "<B>\n<L>", "b": false, "c": "<E>"}"#,
            r#"{"a": "<B>***", "b": false, "c": "<E>"}"#,
        ),
        ("'<B>\\n' +\n  '<L>\\n' +\n  '<E>'", "'<B>***' +\n  '***' +\n  '<E>'"),
        ("<B>\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n<L>\n<E>", "<B>***<E>"),
        // Cut off.
        (
            r#"{"a": "<B>\n<L>", "b": 1234567890123456789}"#,
            r#"{"a": "<B>\n***", "b": 1234567890123456789}"#,
        ),
        ("<B>\n<L>\n<L>", "<B>\n***\n***"),
        (
            "'<B><L>', 'see crates/contracts/src and aVeryLongNameOfSomething'",
            "'<B>***', 'see crates/contracts/src and aVeryLongNameOfSomething'",
        ),
        ("<B>\n<L>\n... k = 'xoxb-123456789012-abcdefABCDEF'", "<B>\n***\n... k = '***'"),
    ] {
        let whole = |text: &str| {
            text.replace("<B>", "-----BEGIN RSA PRIVATE KEY-----")
                .replace("<E>", "-----END RSA PRIVATE KEY-----")
                .replace("<L>", line)
        };
        assert_eq!(hidden(&whole(text)), whole(expected));
        assert_eq!(by_content("a.txt", &whole(text)), Some("it holds a private key"));
    }
}

#[test]
fn a_megabyte_is_searched_in_one_pass() {
    let million = 1 << 20;
    let token = known().remove(2);
    for unit in [
        "the quick brown fox jumps over the lazy dog, asks a task and sketches ",
        "AKIA",
        "-AKIA",
        "SG.",
        "eyJ-",
        "-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAA",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "://a:",
        "authorization: ",
        "Authorization: Bearer a1B2c3D4e5F6 ",
        ";password=",
        "aws_secret_access_key=",
        "\\",
        "\\npm_",
        &format!("{token} "),
        &format!("https://{token}:x@h "),
    ] {
        let text = unit.repeat(million / unit.len());
        // A search that began anew at each hit would not end here.
        let shown = hidden(&text);
        assert_eq!(hidden(&shown), shown, "{unit:?}");
    }
}

/// Texts of beginnings, tokens and what stands between them.
fn texts() -> impl Strategy<Value = String> {
    let mut pieces: Vec<String> = known();
    pieces.extend(KNOWN.iter().map(|(begin, ..)| (*begin).to_owned()));
    let others = [
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "-----",
        "MIIEvQIBADANBgkqhkiG9w0B",
        "://",
        "a:b",
        "@",
        "Authorization: ",
        "Bearer ",
        "Basic ",
        "AccountKey=",
        ";Password=",
        "aws_secret_access_key",
        " = ",
        "\"",
        "\\n",
        "\\",
        "\n",
        " ",
        ".",
        "-",
        "_",
        "/",
        "+",
        "***",
        "*",
        "\u{e9}",
        "\u{1f511}",
        "n",
        "eyJ",
        "\\u003d",
        "true",
        ",",
        ":",
    ];
    pieces.extend(others.map(str::to_owned));
    pieces.push(LETTERS.to_owned());
    pieces.push(LETTERS[..34].to_owned());
    pieces.push(LETTERS[..16].to_owned());
    proptest::collection::vec(
        prop_oneof![4 => proptest::sample::select(pieces), 1 => any::<String>()],
        0..24,
    )
    .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn hiding_twice_is_hiding_once(text in texts()) {
        let once = hidden(&text);
        prop_assert_eq!(hidden(&once), once);
    }

    #[test]
    fn any_text_can_be_hidden(text in any::<String>()) {
        let _ = (hidden(&text), by_content(&text, &text), by_name(&text));
    }

    #[test]
    fn json_stays_json(texts in proptest::collection::vec(texts(), 0..5), number in any::<u64>()) {
        // The document, and the same as a string in another.
        let document = serde_json::json!({ "texts": texts, "more": [true, null, number] }).to_string();
        let nested = serde_json::json!([document, false]).to_string();
        for text in [document, nested] {
            let shown = hidden(&text);
            prop_assert!(serde_json::from_str::<serde_json::Value>(&shown).is_ok(), "{}", shown);
        }
    }
}
