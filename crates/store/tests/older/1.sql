CREATE TABLE journal (
    place      INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    actor      TEXT NOT NULL,
    kind       TEXT NOT NULL,
    hash       BLOB NOT NULL,
    salt       BLOB,
    -- What binds a body that was redacted: then it has neither text nor salt.
    commitment BLOB,
    body       TEXT
) STRICT;

CREATE TABLE runs (
    key        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    workflow   TEXT NOT NULL,
    version    INTEGER NOT NULL,
    owner      TEXT NOT NULL,
    placement  TEXT NOT NULL,
    priority   INTEGER NOT NULL,
    status     TEXT NOT NULL,
    -- The newest event: its place, its hash, its instant.
    seq        INTEGER NOT NULL,
    head       BLOB NOT NULL,
    at         INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    epoch      INTEGER NOT NULL,
    worker     TEXT,
    wake_at    INTEGER,
    -- Something was delivered that the holder has not seen.
    poked      INTEGER NOT NULL DEFAULT 0,
    spent      INTEGER NOT NULL,
    reserved   INTEGER NOT NULL,
    cap        INTEGER
) STRICT;

CREATE TABLE snapshots (
    run    INTEGER PRIMARY KEY,
    seq    INTEGER NOT NULL,
    head   BLOB NOT NULL,
    digest BLOB NOT NULL,
    state  TEXT
) STRICT;

CREATE UNIQUE INDEX journal_by_run ON journal (run, seq);

CREATE UNIQUE INDEX runs_by_id ON runs (id);

CREATE INDEX runs_by_owner ON runs (owner);

CREATE INDEX runs_by_status ON runs (status);

CREATE INDEX runs_held ON runs (worker) WHERE worker IS NOT NULL;

CREATE INDEX runs_poked ON runs (worker) WHERE poked = 1;

CREATE INDEX runs_to_claim ON runs (priority DESC, key)
    WHERE status = 'queued' AND placement <> 'foreground';

CREATE INDEX runs_to_wake ON runs (wake_at)
    WHERE status = 'waiting' AND placement <> 'foreground' AND wake_at IS NOT NULL;

INSERT INTO journal VALUES (1, 1, 0, 1800000000000000, 'engine', 'created', X'723B7CAD573E31AEA23D80484D8E65D545A4D3F5DEEC3660D4AB1E2CDC8F88C3', X'00000000000000000000000000000000', NULL, '{"run":"done","workflow":"letters","version":1,"owner":"ada","placement":"anywhere","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap"}}');
INSERT INTO journal VALUES (2, 1, 1, 1800000000000001, 'engine', 'call_completed', X'364BA2D6622E4E558E7EB514B2522193C21A6D5348E5079360E89F04AC12AB8B', X'01010101010101010101010101010101', NULL, '{"key":"call","attempt":1,"output":{"it''s":"done"},"paid":{"nanos":0}}');
INSERT INTO journal VALUES (3, 2, 0, 1800000000000000, 'engine', 'created', X'D4C7FCF75921563BD1B099F3CC57AE2ACAF1DF0602277FEE8C3ED8A8AFDD85EB', X'00000000000000000000000000000000', NULL, '{"run":"held","workflow":"letters","version":1,"owner":"ada","placement":"anywhere","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap"}}');
INSERT INTO journal VALUES (4, 2, 1, 1800000000000001, 'engine', 'call_completed', X'78E06F583C8EC3A4B4F298ED02937BCBFA7C0080CCF84D0CD13D42D672D216A1', X'01010101010101010101010101010101', NULL, '{"key":"call","attempt":1,"output":1,"paid":{"nanos":0}}');
INSERT INTO journal VALUES (5, 2, 2, 1800000000000002, 'ada', 'advised', X'7D5ED643DA7FA71FA6F3E332AFE1C3E66CCFC6F7F9356B4A7055FB12666A12CB', X'02020202020202020202020202020202', NULL, '{"text":"be quick"}');
INSERT INTO journal VALUES (6, 3, 0, 1800000000000000, 'engine', 'created', X'8962B9CF369622B5A1FE6B73C0D8530B7FD9147337012D74C3EF6F3388D9CBA1', X'00000000000000000000000000000000', NULL, '{"run":"due","workflow":"letters","version":1,"owner":"bob","placement":{"host":"desk"},"input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap"}}');
INSERT INTO journal VALUES (7, 4, 0, 1800000000000000, 'engine', 'created', X'E380483129D113CD6A30343ABA4363A5B2A3B650692009CCE80C29185062B7F7', X'00000000000000000000000000000000', NULL, '{"run":"next","workflow":"letters","version":1,"owner":"bob","placement":"foreground","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap"}}');

INSERT INTO runs VALUES (1, 'done', 'letters', 1, 'ada', 'anywhere', 0, 'succeeded', 1, X'364BA2D6622E4E558E7EB514B2522193C21A6D5348E5079360E89F04AC12AB8B', 1800000000000001, 1800000000000000, 1, NULL, NULL, 0, 7, 0, NULL);
INSERT INTO runs VALUES (2, 'held', 'letters', 1, 'ada', 'anywhere', 0, 'running', 2, X'7D5ED643DA7FA71FA6F3E332AFE1C3E66CCFC6F7F9356B4A7055FB12666A12CB', 1800000000000002, 1800000000000000, 1, 'w1', NULL, 1, 3, 2, 9);
INSERT INTO runs VALUES (3, 'due', 'letters', 1, 'bob', 'host:desk', 5, 'waiting', 0, X'8962B9CF369622B5A1FE6B73C0D8530B7FD9147337012D74C3EF6F3388D9CBA1', 1800000000000000, 1800000000000000, 0, NULL, 1800003600000000, 0, 0, 0, NULL);
INSERT INTO runs VALUES (4, 'next', 'letters', 1, 'bob', 'foreground', -1, 'queued', 0, X'E380483129D113CD6A30343ABA4363A5B2A3B650692009CCE80C29185062B7F7', 1800000000000000, 1800000000000000, 0, NULL, NULL, 0, 0, 0, NULL);

INSERT INTO snapshots VALUES (1, 0, X'723B7CAD573E31AEA23D80484D8E65D545A4D3F5DEEC3660D4AB1E2CDC8F88C3', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}');
INSERT INTO snapshots VALUES (2, 1, X'78E06F583C8EC3A4B4F298ED02937BCBFA7C0080CCF84D0CD13D42D672D216A1', X'46C45F44CB61BF84F4D395226596E7BD8FEF5EB20BAAFC2BA0EFB554A0B52A98', '{"calls":1}');
INSERT INTO snapshots VALUES (3, 0, X'8962B9CF369622B5A1FE6B73C0D8530B7FD9147337012D74C3EF6F3388D9CBA1', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}');
INSERT INTO snapshots VALUES (4, 0, X'E380483129D113CD6A30343ABA4363A5B2A3B650692009CCE80C29185062B7F7', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}');

PRAGMA application_id = 1131311975;
PRAGMA user_version = 1;
