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
    state     TEXT NOT NULL, code TEXT, agent TEXT, answered_by TEXT, answered_at INTEGER,
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

CREATE TABLE notes (
    owner TEXT NOT NULL,
    topic TEXT NOT NULL,
    name  TEXT NOT NULL,
    text  TEXT NOT NULL,
    at    INTEGER NOT NULL,
    PRIMARY KEY (owner, topic, name)
) STRICT, WITHOUT ROWID;

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
, label TEXT, keeper TEXT, interrupted INTEGER NOT NULL DEFAULT 0) STRICT;

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

CREATE INDEX answered ON interactions (answered_at, place) WHERE state = 'answered';

CREATE INDEX inbox ON interactions (opened_at, place) WHERE state = 'open';

CREATE INDEX journal_blobs ON journal (blob) WHERE blob IS NOT NULL;

CREATE UNIQUE INDEX journal_by_run ON journal (run, seq);

CREATE UNIQUE INDEX runs_by_id ON runs (id);

CREATE INDEX runs_by_label ON runs (label) WHERE label IS NOT NULL;

CREATE INDEX runs_by_owner ON runs (owner);

CREATE INDEX runs_by_status ON runs (status);

CREATE INDEX runs_held ON runs (worker) WHERE worker IS NOT NULL;

CREATE INDEX runs_poked ON runs (worker) WHERE poked = 1;

CREATE INDEX runs_to_claim ON runs (priority DESC, key) WHERE status = 'queued' AND interrupted = 0;

CREATE INDEX runs_to_wake ON runs (wake_at) WHERE status = 'waiting' AND wake_at IS NOT NULL;

CREATE INDEX snapshot_blobs ON snapshots (blob) WHERE blob IS NOT NULL;

INSERT INTO interactions VALUES (1, 5, 'who', 'clarification', 'who?', '{"type":"string"}', NULL, NULL, 1800000000000000, 'answered', NULL, NULL, 'ada', 1800000000000004);
INSERT INTO interactions VALUES (2, 5, 'when', 'clarification', 'when?', '{"type":"string"}', 1800086400000000, '"noon"', 1800000000000000, 'open', NULL, NULL, NULL, NULL);
INSERT INTO interactions VALUES (3, 5, '@outcome:send@1', 'intervention', '@outcome:send@1?', '{"type":"string"}', NULL, NULL, 1800000000000000, 'open', 'OUTCOME_UNKNOWN', 'mailer', NULL, NULL);

INSERT INTO journal VALUES (1, 1, 0, 1800000000000000, 'engine', 'created', X'DC3D6CF7930824A3A8D1C12E479C796A88F185539A66D46A5F9F791047CC002A', X'00000000000000000000000000000000', NULL, '{"run":"done","workflow":"letters","version":1,"owner":"ada","placement":"anywhere","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap","unmetered":true}}', NULL);
INSERT INTO journal VALUES (2, 1, 1, 1800000000000001, 'engine', 'call_completed', X'C16768284EDDB50322774C3EA7EF1E7C167BB1837EB525825D20111C1E52C6C3', X'01010101010101010101010101010101', NULL, '{"key":"call","attempt":1,"output":{"it''s":"done"},"paid":{"nanos":0}}', NULL);
INSERT INTO journal VALUES (3, 2, 0, 1800000000000000, 'engine', 'created', X'2A9F509E28F590F25DF6B7E956E3CE44F04079D139FB43B4D524E5AFED8FCAA1', X'00000000000000000000000000000000', NULL, '{"run":"held","workflow":"letters","version":1,"owner":"ada","placement":"anywhere","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap","unmetered":true}}', NULL);
INSERT INTO journal VALUES (4, 2, 1, 1800000000000001, 'engine', 'call_completed', X'9E5F632EF943576F239A366DAA87309C18EC617844A6DD9E2F57B7AEF4B9805D', X'01010101010101010101010101010101', NULL, '{"key":"call","attempt":1,"output":1,"paid":{"nanos":0}}', NULL);
INSERT INTO journal VALUES (5, 2, 2, 1800000000000002, 'ada', 'advised', X'34EEDFD5662CEB344CCA32C2AAB61F1B6F12C3AE66C4870C50D746D546455B1D', X'02020202020202020202020202020202', NULL, '{"text":"be quick"}', NULL);
INSERT INTO journal VALUES (6, 3, 0, 1800000000000000, 'engine', 'created', X'8AED16FF8A3592D77597D5F28B23C5D90754FF17CD4ED56FA7C657A86C935DA1', X'00000000000000000000000000000000', NULL, '{"run":"due","workflow":"letters","version":1,"owner":"bob","placement":{"host":"desk"},"input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap","unmetered":true}}', NULL);
INSERT INTO journal VALUES (7, 4, 0, 1800000000000000, 'engine', 'created', X'186700849B488E4FD0B3FFCC0488FF9D1BCE6FE19AA429E866EC4C26D70B74D9', X'00000000000000000000000000000000', NULL, '{"run":"next","workflow":"letters","version":1,"owner":"bob","placement":"foreground","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap","unmetered":true}}', NULL);
INSERT INTO journal VALUES (8, 5, 0, 1800000000000000, 'engine', 'created', X'960E0B5AEF226192933E1535AC2EE6DBCEB96726B027E15A702B8B83CD067196', X'00000000000000000000000000000000', NULL, '{"run":"asks","workflow":"letters","version":1,"owner":"bob","placement":"anywhere","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap","unmetered":true}}', NULL);
INSERT INTO journal VALUES (9, 5, 1, 1800000000000001, 'engine', 'asked', X'AECF6F5E98526EDF9700267AD70B5E36930AFF5BADF443868A623761537CEF63', X'01010101010101010101010101010101', NULL, '{"key":"who","kind":"clarification","prompt":"who?","schema":{"type":"string"},"deadline":null}', NULL);
INSERT INTO journal VALUES (10, 5, 2, 1800000000000002, 'engine', 'asked', X'E0C9E9E7E2823FC883F84EFB0541C904B9F7A73595128205583D2AEE36AFC836', X'02020202020202020202020202020202', NULL, '{"key":"when","kind":"clarification","prompt":"when?","schema":{"type":"string"},"deadline":1800086400000000,"default":"noon"}', NULL);
INSERT INTO journal VALUES (11, 5, 3, 1800000000000003, 'engine', 'asked', X'0DADD4438866E5E3EB69DC2FE64BC670332BBC4EA3C9CD8D91CBEB0448F0CF24', X'03030303030303030303030303030303', NULL, '{"key":"@outcome:send@1","kind":"intervention","prompt":"@outcome:send@1?","schema":{"type":"string"},"deadline":null,"agent":"mailer"}', NULL);
INSERT INTO journal VALUES (12, 5, 4, 1800000000000004, 'ada', 'answered', X'F85C4846B894681E15C3D0DA18D16E75C53D3D20E427380F2FE6ADA2FFF47FB7', X'04040404040404040404040404040404', NULL, '{"key":"who","value":"Ada"}', NULL);
INSERT INTO journal VALUES (13, 5, 5, 1800000000000005, 'engine', 'call_completed', X'A9042A428BFE4AFCEFEFF7DA9946A2B6A263D402A804A1DD74C13AEB8868E8D4', X'05050505050505050505050505050505', NULL, '{"key":"call","attempt":1,"output":1,"paid":{"nanos":0}}', NULL);
INSERT INTO journal VALUES (14, 6, 0, 1800000000000000, 'engine', 'created', X'11EC9636C6925356F4DD284BAD66A21BA0E8008D634A9423E7E933A60C93C028', X'00000000000000000000000000000000', NULL, '{"run":"large","workflow":"letters","version":1,"owner":"cy","placement":"anywhere","input":null,"limits":{"cost":null,"calls":null,"active":null},"certificate":{"cost":null,"calls":null,"bounded_by":"cap","unmetered":true}}', NULL);
INSERT INTO journal VALUES (15, 6, 1, 1800000000000001, 'engine', 'call_completed', X'855C1561CD034620AEAC3FAEC5005921CA9004AE1C37D7C2DF742E68E0CF865C', X'01010101010101010101010101010101', NULL, NULL, X'AF1A869574B844EE4C37900E4CE1B2A6A54A4FBB0D9487DE5A1E66B79341C015');


INSERT INTO owners VALUES ('ada', X'522ED5148AA1C10D4C6186E007DCA2C834CC23BE63D0E133829A773606D9F404', 10, 2, NULL);
INSERT INTO owners VALUES ('bob', X'950D8B62C83C75EC09DB5422FD8B6843E3BACBC73163C21E56C156F7C6189BAE', 0, 0, NULL);
INSERT INTO owners VALUES ('cy', X'62E6D2F95FCD6FCB241A7DD29C3BCB32E5FD7293170F1A31A66AA63851AE3BB9', 0, 0, NULL);
INSERT INTO owners VALUES ('dan', X'471FA111B85C8F535F4D4F1E6FF7E8CF0DCFAF99AD292D676586F84B21F38CFE', 0, 0, 100);

INSERT INTO runs VALUES (1, 'done', 'letters', 1, 'ada', 'anywhere', 0, 'succeeded', 1, X'C16768284EDDB50322774C3EA7EF1E7C167BB1837EB525825D20111C1E52C6C3', 1800000000000001, 1800000000000000, 1, NULL, NULL, 0, 7, 0, NULL, NULL, NULL, 0);
INSERT INTO runs VALUES (2, 'held', 'letters', 1, 'ada', 'anywhere', 0, 'running', 2, X'34EEDFD5662CEB344CCA32C2AAB61F1B6F12C3AE66C4870C50D746D546455B1D', 1800000000000002, 1800000000000000, 1, 'w1', NULL, 1, 3, 2, 9, NULL, NULL, 0);
INSERT INTO runs VALUES (3, 'due', 'letters', 1, 'bob', 'host:desk', 5, 'waiting', 0, X'8AED16FF8A3592D77597D5F28B23C5D90754FF17CD4ED56FA7C657A86C935DA1', 1800000000000000, 1800000000000000, 0, NULL, 1800003600000000, 0, 0, 0, NULL, NULL, NULL, 0);
INSERT INTO runs VALUES (4, 'next', 'letters', 1, 'bob', 'foreground', -1, 'queued', 0, X'186700849B488E4FD0B3FFCC0488FF9D1BCE6FE19AA429E866EC4C26D70B74D9', 1800000000000000, 1800000000000000, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, 0);
INSERT INTO runs VALUES (5, 'asks', 'letters', 1, 'bob', 'anywhere', 0, 'waiting', 5, X'A9042A428BFE4AFCEFEFF7DA9946A2B6A263D402A804A1DD74C13AEB8868E8D4', 1800000000000005, 1800000000000000, 2, NULL, NULL, 0, 0, 0, NULL, 'draft', 'w1', 0);
INSERT INTO runs VALUES (6, 'large', 'letters', 1, 'cy', 'anywhere', 0, 'running', 1, X'855C1561CD034620AEAC3FAEC5005921CA9004AE1C37D7C2DF742E68E0CF865C', 1800000000000001, 1800000000000000, 1, 'w1', NULL, 0, 0, 0, NULL, NULL, NULL, 0);

INSERT INTO sealed VALUES ('ada', 'openai', X'000127FF', 1800000000000000);
INSERT INTO sealed VALUES ('bob', 'openai', X'', 1800000000000000);

INSERT INTO snapshots VALUES (1, 0, X'DC3D6CF7930824A3A8D1C12E479C796A88F185539A66D46A5F9F791047CC002A', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (2, 1, X'9E5F632EF943576F239A366DAA87309C18EC617844A6DD9E2F57B7AEF4B9805D', X'46C45F44CB61BF84F4D395226596E7BD8FEF5EB20BAAFC2BA0EFB554A0B52A98', '{"calls":1}', NULL);
INSERT INTO snapshots VALUES (3, 0, X'8AED16FF8A3592D77597D5F28B23C5D90754FF17CD4ED56FA7C657A86C935DA1', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (4, 0, X'186700849B488E4FD0B3FFCC0488FF9D1BCE6FE19AA429E866EC4C26D70B74D9', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (5, 0, X'960E0B5AEF226192933E1535AC2EE6DBCEB96726B027E15A702B8B83CD067196', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (6, 1, X'855C1561CD034620AEAC3FAEC5005921CA9004AE1C37D7C2DF742E68E0CF865C', X'8FF750004C85752CB4D47DE64D7AE79D194C429EE45BC21152336E70130CBAE4', NULL, X'4D502FAB7E54EF27B16D0ABF5725851761CC902E06C457A6753D07ACA1EEB68C');

PRAGMA application_id = 1131311975;
PRAGMA user_version = 9;
-- file blobs/af/af1a869574b844ee4c37900e4ce1b2a6a54a4fbb0d9487de5a1e66b79341c015 28B52FFDA0A91101001D0200A4037B226B6579223A2263616C6C222C22617474656D7074223A312C226F7574707574223A2278222C2270616964223A7B226E616E6F73223A307D7D0100658BC8C113
-- file blobs/4d/4d502fab7e54ef27b16d0abf5725851761cc902e06c457a6753d07aca1eeb68c 28B52FFDA0721101005D00001822732201006C1139C002
