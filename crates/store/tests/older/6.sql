CREATE TABLE interactions (
    -- Grows with each ask that opens: it breaks ties between asks of the same instant.
    place     INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL,
    key       TEXT NOT NULL,
    kind      TEXT NOT NULL,
    prompt    TEXT NOT NULL,
    schema    TEXT NOT NULL,
    deadline  INTEGER,
    fallback  TEXT,
    opened_at INTEGER NOT NULL,
    state     TEXT NOT NULL, code TEXT,
    UNIQUE (run, key)
) STRICT;

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
, blob BLOB) STRICT;

CREATE TABLE owners (
    name     TEXT PRIMARY KEY,
    -- Large values of this owner are named with it, so that equal values of two owners share nothing.
    secret   BLOB NOT NULL,
    spent    INTEGER NOT NULL DEFAULT 0,
    reserved INTEGER NOT NULL DEFAULT 0,
    cap      INTEGER
) STRICT, WITHOUT ROWID;

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

CREATE TABLE sealed (
    owner TEXT NOT NULL,
    name  TEXT NOT NULL,
    bytes BLOB NOT NULL,
    at    INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
    run    INTEGER PRIMARY KEY,
    seq    INTEGER NOT NULL,
    head   BLOB NOT NULL,
    digest BLOB NOT NULL,
    state  TEXT
, blob BLOB) STRICT;

CREATE INDEX inbox ON interactions (opened_at, place) WHERE state = 'open';

CREATE INDEX journal_blobs ON journal (blob) WHERE blob IS NOT NULL;

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

CREATE INDEX snapshot_blobs ON snapshots (blob) WHERE blob IS NOT NULL;

INSERT INTO interactions VALUES (1, 5, 'who', 'clarification', 'who?', '{"type":"string"}', NULL, NULL, 1800000000000000, 'answered', NULL);
INSERT INTO interactions VALUES (2, 5, 'when', 'clarification', 'when?', '{"type":"string"}', 1800086400000000, '"noon"', 1800000000000000, 'open', NULL);
INSERT INTO interactions VALUES (3, 5, '@outcome:send@1', 'intervention', '@outcome:send@1?', '{"type":"string"}', NULL, NULL, 1800000000000000, 'open', 'OUTCOME_UNKNOWN');

INSERT INTO journal VALUES (1, 1, 0, 1800000000000000, 'engine', 'created', X'723B7CAD573E31AEA23D80484D8E65D545A4D3F5DEEC3660D4AB1E2CDC8F88C3', X'00000000000000000000000000000000', NULL, '{"run":"done","workflow":"letters","version":1,"owner":"ada","placement":"anywhere","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap"}}', NULL);
INSERT INTO journal VALUES (2, 1, 1, 1800000000000001, 'engine', 'call_completed', X'364BA2D6622E4E558E7EB514B2522193C21A6D5348E5079360E89F04AC12AB8B', X'01010101010101010101010101010101', NULL, '{"key":"call","attempt":1,"output":{"it''s":"done"},"paid":{"nanos":0}}', NULL);
INSERT INTO journal VALUES (3, 2, 0, 1800000000000000, 'engine', 'created', X'D4C7FCF75921563BD1B099F3CC57AE2ACAF1DF0602277FEE8C3ED8A8AFDD85EB', X'00000000000000000000000000000000', NULL, '{"run":"held","workflow":"letters","version":1,"owner":"ada","placement":"anywhere","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap"}}', NULL);
INSERT INTO journal VALUES (4, 2, 1, 1800000000000001, 'engine', 'call_completed', X'78E06F583C8EC3A4B4F298ED02937BCBFA7C0080CCF84D0CD13D42D672D216A1', X'01010101010101010101010101010101', NULL, '{"key":"call","attempt":1,"output":1,"paid":{"nanos":0}}', NULL);
INSERT INTO journal VALUES (5, 2, 2, 1800000000000002, 'ada', 'advised', X'7D5ED643DA7FA71FA6F3E332AFE1C3E66CCFC6F7F9356B4A7055FB12666A12CB', X'02020202020202020202020202020202', NULL, '{"text":"be quick"}', NULL);
INSERT INTO journal VALUES (6, 3, 0, 1800000000000000, 'engine', 'created', X'8962B9CF369622B5A1FE6B73C0D8530B7FD9147337012D74C3EF6F3388D9CBA1', X'00000000000000000000000000000000', NULL, '{"run":"due","workflow":"letters","version":1,"owner":"bob","placement":{"host":"desk"},"input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap"}}', NULL);
INSERT INTO journal VALUES (7, 4, 0, 1800000000000000, 'engine', 'created', X'E380483129D113CD6A30343ABA4363A5B2A3B650692009CCE80C29185062B7F7', X'00000000000000000000000000000000', NULL, '{"run":"next","workflow":"letters","version":1,"owner":"bob","placement":"foreground","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap"}}', NULL);
INSERT INTO journal VALUES (8, 5, 0, 1800000000000000, 'engine', 'created', X'5DF9972B7D72514119F82986F7569A6EEFC721E7DA51BA7F5780E4C259AB9DDB', X'00000000000000000000000000000000', NULL, '{"run":"asks","workflow":"letters","version":1,"owner":"bob","placement":"anywhere","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap"}}', NULL);
INSERT INTO journal VALUES (9, 5, 1, 1800000000000001, 'engine', 'asked', X'3C56F9BAA493EFAEB6533A56BF59145C663E1BC934BA3E062C3B7E4A2DC415EE', X'01010101010101010101010101010101', NULL, '{"key":"who","kind":"clarification","prompt":"who?","schema":{"type":"string"},"deadline":null}', NULL);
INSERT INTO journal VALUES (10, 5, 2, 1800000000000002, 'engine', 'asked', X'230BBEC5C02F7284CB2835022EB75B01E0352A91D06761278A56D96E56E16B90', X'02020202020202020202020202020202', NULL, '{"key":"when","kind":"clarification","prompt":"when?","schema":{"type":"string"},"deadline":1800086400000000,"default":"noon"}', NULL);
INSERT INTO journal VALUES (11, 5, 3, 1800000000000003, 'engine', 'asked', X'48D41E59A8FA4AF6566A3D00DD85062FB51DD0934059E842869558FEDA69FE48', X'03030303030303030303030303030303', NULL, '{"key":"@outcome:send@1","kind":"intervention","prompt":"@outcome:send@1?","schema":{"type":"string"},"deadline":null}', NULL);
INSERT INTO journal VALUES (12, 5, 4, 1800000000000004, 'ada', 'answered', X'40032796CEEA643E3265532DA75157DE6965EC0F503685A3E0929D5A1956E9E4', X'04040404040404040404040404040404', NULL, '{"key":"who","value":"Ada"}', NULL);
INSERT INTO journal VALUES (13, 5, 5, 1800000000000005, 'engine', 'call_completed', X'BB9BB99347090261A20B7696FE0DB877D04E2E8FD9B29F312B09246F9DF9B1FD', X'05050505050505050505050505050505', NULL, '{"key":"call","attempt":1,"output":1,"paid":{"nanos":0}}', NULL);
INSERT INTO journal VALUES (14, 6, 0, 1800000000000000, 'engine', 'created', X'CB49425A165F86ABA980E635509BE4184CBCE44F3FE331F2F9F3F77FFAB5AE6A', X'00000000000000000000000000000000', NULL, '{"run":"large","workflow":"letters","version":1,"owner":"cy","placement":"anywhere","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap"}}', NULL);
INSERT INTO journal VALUES (15, 6, 1, 1800000000000001, 'engine', 'call_completed', X'814B74A0AB57F8F82C8D3B91F0B30EC6017AFABECA20D08EAFF41CE36B42F20E', X'01010101010101010101010101010101', NULL, NULL, X'00E1D822353BC6E82F5BD7CFA8606F8C18268D62D67E1BA6C0A6A39B06F71263');

INSERT INTO owners VALUES ('ada', X'1035A44509B31BADA8E4C5AF9CD945E927DCAA1BA1CA8EEF5C43CAF79D79A3B3', 10, 2, NULL);
INSERT INTO owners VALUES ('bob', X'ABF8750B8C235C5DC5591FB70D237475414483CA7B7E90AF70090B31967C50A3', 0, 0, NULL);
INSERT INTO owners VALUES ('cy', X'5A1684501BB8495F9508B69263DDC4A78BB04D3F8821DB4E3811A80A8F8B637A', 0, 0, NULL);
INSERT INTO owners VALUES ('dan', X'0CC6D503F3E4DDCEC92929FCE29A28467E84E6B5B9C64F8DDE43B43E7684D8CF', 0, 0, 100);

INSERT INTO runs VALUES (1, 'done', 'letters', 1, 'ada', 'anywhere', 0, 'succeeded', 1, X'364BA2D6622E4E558E7EB514B2522193C21A6D5348E5079360E89F04AC12AB8B', 1800000000000001, 1800000000000000, 1, NULL, NULL, 0, 7, 0, NULL);
INSERT INTO runs VALUES (2, 'held', 'letters', 1, 'ada', 'anywhere', 0, 'running', 2, X'7D5ED643DA7FA71FA6F3E332AFE1C3E66CCFC6F7F9356B4A7055FB12666A12CB', 1800000000000002, 1800000000000000, 1, 'w1', NULL, 1, 3, 2, 9);
INSERT INTO runs VALUES (3, 'due', 'letters', 1, 'bob', 'host:desk', 5, 'waiting', 0, X'8962B9CF369622B5A1FE6B73C0D8530B7FD9147337012D74C3EF6F3388D9CBA1', 1800000000000000, 1800000000000000, 0, NULL, 1800003600000000, 0, 0, 0, NULL);
INSERT INTO runs VALUES (4, 'next', 'letters', 1, 'bob', 'foreground', -1, 'queued', 0, X'E380483129D113CD6A30343ABA4363A5B2A3B650692009CCE80C29185062B7F7', 1800000000000000, 1800000000000000, 0, NULL, NULL, 0, 0, 0, NULL);
INSERT INTO runs VALUES (5, 'asks', 'letters', 1, 'bob', 'anywhere', 0, 'waiting', 5, X'BB9BB99347090261A20B7696FE0DB877D04E2E8FD9B29F312B09246F9DF9B1FD', 1800000000000005, 1800000000000000, 2, NULL, NULL, 0, 0, 0, NULL);
INSERT INTO runs VALUES (6, 'large', 'letters', 1, 'cy', 'anywhere', 0, 'running', 1, X'814B74A0AB57F8F82C8D3B91F0B30EC6017AFABECA20D08EAFF41CE36B42F20E', 1800000000000001, 1800000000000000, 1, 'w1', NULL, 0, 0, 0, NULL);

INSERT INTO sealed VALUES ('ada', 'openai', X'000127FF', 1800000000000000);
INSERT INTO sealed VALUES ('bob', 'openai', X'', 1800000000000000);

INSERT INTO snapshots VALUES (1, 0, X'723B7CAD573E31AEA23D80484D8E65D545A4D3F5DEEC3660D4AB1E2CDC8F88C3', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (2, 1, X'78E06F583C8EC3A4B4F298ED02937BCBFA7C0080CCF84D0CD13D42D672D216A1', X'46C45F44CB61BF84F4D395226596E7BD8FEF5EB20BAAFC2BA0EFB554A0B52A98', '{"calls":1}', NULL);
INSERT INTO snapshots VALUES (3, 0, X'8962B9CF369622B5A1FE6B73C0D8530B7FD9147337012D74C3EF6F3388D9CBA1', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (4, 0, X'E380483129D113CD6A30343ABA4363A5B2A3B650692009CCE80C29185062B7F7', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (5, 0, X'5DF9972B7D72514119F82986F7569A6EEFC721E7DA51BA7F5780E4C259AB9DDB', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (6, 1, X'814B74A0AB57F8F82C8D3B91F0B30EC6017AFABECA20D08EAFF41CE36B42F20E', X'8FF750004C85752CB4D47DE64D7AE79D194C429EE45BC21152336E70130CBAE4', NULL, X'E107E95B1F476243E91E4F3AD9B9F231D6DBCEB62845D3C15F959FD9233CE9B0');

PRAGMA application_id = 1131311975;
PRAGMA user_version = 6;
-- file blobs/e1/e107e95b1f476243e91e4f3ad9b9f231d6dbceb62845d3c15f959fd9233ce9b0 28B52FFDA0721101005D00001822732201006C1139C002
-- file blobs/00/00e1d822353bc6e82f5bd7cfa8606f8c18268d62d67e1ba6c0a6a39b06f71263 28B52FFDA0A91101001D0200A4037B226B6579223A2263616C6C222C22617474656D7074223A312C226F7574707574223A2278222C2270616964223A7B226E616E6F73223A307D7D0100658BC8C113
