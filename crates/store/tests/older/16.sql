CREATE TABLE attempts (
    subject      TEXT NOT NULL,
    counts_until INTEGER NOT NULL
) STRICT;

CREATE TABLE chunks (
    key     INTEGER PRIMARY KEY,
    page    INTEGER,
    layout  TEXT NOT NULL,
    -- How many words of it are indexed.
    words   INTEGER NOT NULL,
    start   INTEGER NOT NULL,
    stop    INTEGER NOT NULL,
    heading TEXT NOT NULL,
    bbox    TEXT,
    -- Where it is not the text between start and stop.
    content TEXT
) STRICT;

CREATE TABLE codes (
    user    INTEGER PRIMARY KEY,
    purpose TEXT NOT NULL,
    digest  BLOB NOT NULL,
    made_at INTEGER NOT NULL,
    tries   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE comments (
    number INTEGER PRIMARY KEY,
    run    TEXT NOT NULL,
    id     TEXT NOT NULL,
    owner  TEXT NOT NULL,
    author TEXT NOT NULL,
    at     INTEGER NOT NULL,
    text   TEXT NOT NULL,
    UNIQUE (run, id)
) STRICT;

CREATE TABLE conversations (
    key         INTEGER PRIMARY KEY,
    owner       TEXT NOT NULL,
    session     TEXT NOT NULL,
    -- Drawn when the conversation began: one that was removed and began again has another.
    id          TEXT NOT NULL,
    -- How many turns have ended.
    turns       INTEGER NOT NULL,
    began_at    INTEGER NOT NULL,
    ended_at    INTEGER NOT NULL,
    -- Of the last turn.
    plan        TEXT,
    context     TEXT NOT NULL,
    preferences TEXT NOT NULL,
    -- Which marks stand for which values, by keyed hashes.
    marks       TEXT,
    UNIQUE (owner, session)
) STRICT;

CREATE TABLE indexed_words (
    chunk INTEGER PRIMARY KEY,
    words BLOB NOT NULL
) STRICT;

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

CREATE TABLE labels (
    shelf  INTEGER NOT NULL,
    name   TEXT NOT NULL,
    value  TEXT NOT NULL,
    source INTEGER NOT NULL,
    PRIMARY KEY (shelf, name, value, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
    conversation INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    role         TEXT NOT NULL,
    content      TEXT NOT NULL,
    at           INTEGER NOT NULL,
    -- Not clustered: rows of such a table move, and copies of them would stay behind when they are removed.
    UNIQUE (conversation, number)
) STRICT;

CREATE TABLE notes (
    owner TEXT NOT NULL,
    topic TEXT NOT NULL,
    name  TEXT NOT NULL,
    text  TEXT NOT NULL,
    at    INTEGER NOT NULL,
    PRIMARY KEY (owner, topic, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE oauth_attempts (
    state    BLOB PRIMARY KEY,
    provider TEXT NOT NULL,
    browser  BLOB NOT NULL,
    verifier TEXT NOT NULL,
    made_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE oauth_links (
    provider   TEXT NOT NULL,
    outside_id TEXT NOT NULL,
    user       INTEGER NOT NULL,
    made_at    INTEGER NOT NULL,
    PRIMARY KEY (provider, outside_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE owners (
    name     TEXT PRIMARY KEY,
    -- Large values of this owner are named with it, so that equal values of two owners share nothing.
    secret   BLOB NOT NULL,
    spent    INTEGER NOT NULL DEFAULT 0,
    reserved INTEGER NOT NULL DEFAULT 0,
    cap      INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE pieces (
    key   INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE redactions (
    run TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE revisions (
    number      INTEGER PRIMARY KEY,
    run         TEXT NOT NULL UNIQUE,
    parent      TEXT NOT NULL,
    first       TEXT NOT NULL,
    owner       TEXT NOT NULL,
    at          INTEGER NOT NULL,
    instruction TEXT NOT NULL,
    mode        TEXT NOT NULL,
    scope       TEXT NOT NULL
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
, label TEXT, keeper TEXT, interrupted INTEGER NOT NULL DEFAULT 0, redacted INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE sealed (
    owner TEXT NOT NULL,
    name  TEXT NOT NULL,
    bytes BLOB NOT NULL,
    at    INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE served (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    owner TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
    digest  BLOB PRIMARY KEY,
    user    INTEGER NOT NULL,
    made_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    owner TEXT NOT NULL,
    name  TEXT NOT NULL,
    value TEXT NOT NULL,
    at    INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE setup (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    digest  BLOB NOT NULL,
    made_at INTEGER NOT NULL
) STRICT;

CREATE TABLE shelves (
    key      INTEGER PRIMARY KEY,
    owner    TEXT NOT NULL UNIQUE,
    secret   BLOB NOT NULL,
    changes  INTEGER NOT NULL,
    removals INTEGER NOT NULL
) STRICT;

CREATE TABLE snapshots (
    run    INTEGER PRIMARY KEY,
    seq    INTEGER NOT NULL,
    head   BLOB NOT NULL,
    digest BLOB NOT NULL,
    state  TEXT
, blob BLOB) STRICT;

CREATE TABLE sources (
    key             INTEGER PRIMARY KEY,
    shelf           INTEGER NOT NULL,
    id              TEXT NOT NULL,
    document        TEXT NOT NULL,
    collection      TEXT NOT NULL,
    source_type     TEXT NOT NULL,
    identifier      TEXT NOT NULL,
    url             TEXT,
    checksum        TEXT NOT NULL,
    kind            TEXT NOT NULL,
    file_type       TEXT NOT NULL,
    file_name       TEXT,
    title           TEXT,
    metadata        TEXT NOT NULL,
    pages           INTEGER NOT NULL,
    ingested_at     INTEGER NOT NULL,
    missing         INTEGER NOT NULL,
    digest          BLOB NOT NULL,
    languages       INTEGER NOT NULL,
    changed         INTEGER NOT NULL,
    first_chunk     INTEGER NOT NULL,
    chunks          INTEGER NOT NULL,
    first_piece     INTEGER NOT NULL,
    length          INTEGER NOT NULL,
    -- Whose vectors its chunks have, and how many have none.
    model           TEXT NOT NULL,
    without_vectors INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
    key     INTEGER PRIMARY KEY,
    digest  BLOB NOT NULL,
    id      TEXT NOT NULL,
    user    INTEGER NOT NULL,
    name    TEXT,
    -- Words with a space between. None: without scopes.
    scopes  TEXT,
    made_at INTEGER NOT NULL
) STRICT;

CREATE TABLE turn_sources (
    owner  TEXT NOT NULL,
    source TEXT NOT NULL,
    run    TEXT NOT NULL,
    PRIMARY KEY (owner, source, run)
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
    run          TEXT PRIMARY KEY,
    conversation INTEGER NOT NULL,
    owner        TEXT NOT NULL
) STRICT;

CREATE TABLE users (
    key         INTEGER PRIMARY KEY,
    id          TEXT NOT NULL,
    -- As it was given.
    email       TEXT NOT NULL,
    -- The same for all spellings of one address.
    email_key   TEXT NOT NULL,
    -- Argon2id as a PHC string. None for those who only sign in from another site.
    password    TEXT,
    role        TEXT NOT NULL,
    is_verified INTEGER NOT NULL,
    is_disabled INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE vectors (
    chunk INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

CREATE VIRTUAL TABLE word_uses USING fts5vocab (words, instance);

CREATE VIRTUAL TABLE words USING fts5 (tokens, content = '', columnsize = 0, detail = none, tokenize = 'ascii');

CREATE INDEX answered ON interactions (answered_at, place) WHERE state = 'answered';

CREATE INDEX attempts_by_end ON attempts (counts_until);

CREATE INDEX attempts_by_subject ON attempts (subject, counts_until);

CREATE INDEX comments_of_run ON comments (run, number);

CREATE INDEX conversations_by_time ON conversations (owner, ended_at DESC, key DESC);

CREATE INDEX inbox ON interactions (opened_at, place) WHERE state = 'open';

CREATE INDEX journal_blobs ON journal (blob) WHERE blob IS NOT NULL;

CREATE UNIQUE INDEX journal_by_run ON journal (run, seq);

CREATE INDEX labels_of_source ON labels (source);

CREATE INDEX oauth_attempts_by_age ON oauth_attempts (made_at);

CREATE INDEX revisions_of_first ON revisions (first, number);

CREATE UNIQUE INDEX runs_by_id ON runs (id);

CREATE INDEX runs_by_label ON runs (label) WHERE label IS NOT NULL;

CREATE INDEX runs_by_owner ON runs (owner);

CREATE INDEX runs_by_status ON runs (status);

CREATE INDEX runs_held ON runs (worker) WHERE worker IS NOT NULL;

CREATE INDEX runs_held_of_owner ON runs (owner, worker) WHERE worker IS NOT NULL;

CREATE INDEX runs_poked ON runs (worker) WHERE poked = 1;

CREATE INDEX runs_to_claim ON runs (placement, owner, priority DESC, key, workflow, version, keeper)
    WHERE status = 'queued' AND interrupted = 0;

CREATE INDEX runs_to_wake ON runs (wake_at) WHERE status = 'waiting' AND wake_at IS NOT NULL;

CREATE INDEX sessions_by_end ON sessions (ends_at);

CREATE INDEX sessions_by_user ON sessions (user);

CREATE INDEX snapshot_blobs ON snapshots (blob) WHERE blob IS NOT NULL;

CREATE UNIQUE INDEX sources_by_document ON sources (shelf, document);

CREATE UNIQUE INDEX sources_by_id ON sources (shelf, id);

CREATE UNIQUE INDEX sources_by_name ON sources (shelf, collection, identifier);

CREATE INDEX sources_changed ON sources (shelf, changed);

CREATE INDEX sources_without_vectors ON sources (shelf, model, without_vectors);

CREATE UNIQUE INDEX tokens_by_digest ON tokens (digest);

CREATE UNIQUE INDEX tokens_by_id ON tokens (id);

CREATE INDEX tokens_by_user ON tokens (user);

CREATE INDEX turn_sources_of_run ON turn_sources (run);

CREATE INDEX turns_of_conversation ON turns (conversation);

CREATE UNIQUE INDEX users_by_email ON users (email_key);

CREATE UNIQUE INDEX users_by_id ON users (id);

DELETE FROM words_config;
DELETE FROM words_data;
DELETE FROM words_idx;
INSERT INTO attempts VALUES ('codes', 1800000900000000);

INSERT INTO chunks VALUES (1, NULL, 'text', 4, 0, 21, '["It''s"]', NULL, NULL);
INSERT INTO chunks VALUES (2, NULL, 'text', 1, 22, 32, '["It''s"]', NULL, NULL);

INSERT INTO codes VALUES (2, 'verify', X'8D969EEF6ECAD3C29A3A629280E686CF0C3F5D5A86AFF3CA12020C923ADC6C92', 1800000000000000, 0);

INSERT INTO comments VALUES (1, 'done', '1', 'ada', 'cli:ada', 1800000000000000, 'it''s good');

INSERT INTO conversations VALUES (1, 'ada', 'it''s', 'drawn', 1, 1800000000000000, 1800000000000000, '[]', '[]', '{"persona":"it''s"}', '{}');

INSERT INTO indexed_words VALUES (1, X'37A977ED390100A88C2D299E0100CA2B9C01470100EFEEC017480100');
INSERT INTO indexed_words VALUES (2, X'5B593D51D30100');

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
INSERT INTO journal VALUES (15, 6, 1, 1800000000000001, 'engine', 'call_completed', X'855C1561CD034620AEAC3FAEC5005921CA9004AE1C37D7C2DF742E68E0CF865C', X'01010101010101010101010101010101', NULL, NULL, X'AA34D09D0ECD937C3F28F396B8511F3ABEDBEE766FEF41A2514F5F5442D4B18F');

INSERT INTO labels VALUES (1, 'checksum', '00', 1);
INSERT INTO labels VALUES (1, 'collection', 'default', 1);
INSERT INTO labels VALUES (1, 'document_id', 'doc_8582b32e83e64dc87aa152d94352dfc4', 1);
INSERT INTO labels VALUES (1, 'file_name', 'it''s.txt', 1);
INSERT INTO labels VALUES (1, 'file_type', 'txt', 1);
INSERT INTO labels VALUES (1, 'kind', 'txt', 1);
INSERT INTO labels VALUES (1, 'source_id', 'src_75e33a185ee621d6fc3632ae8afd31be', 1);
INSERT INTO labels VALUES (1, 'source_type', 'local', 1);
INSERT INTO labels VALUES (1, 'team', 'it''s', 1);
INSERT INTO labels VALUES (1, 'title', 'null', 1);

INSERT INTO messages VALUES (1, 1, 'user', 'how long?', 1800000000000000);
INSERT INTO messages VALUES (1, 2, 'assistant', 'it''s 14 days', 1800000000000000);


INSERT INTO oauth_attempts VALUES (X'4BA69735CA53765ED6A709EDB56C6EA236B7193A3B29A6B390C346F0F4340E4E', 'google', X'D4C3E8A11256AB82A4FC72560EB4A2B0E87BAD820C290DD9B03616DE240AA6DB', 'verifier', 1800000000000000);

INSERT INTO oauth_links VALUES ('github', '17', 3, 1800000000000000);

INSERT INTO owners VALUES ('ada', X'5C81867376E9A013D4FC91873FFF32802802273FF750EE5BEA4BDEE393DC40AB', 10, 2, NULL);
INSERT INTO owners VALUES ('bob', X'6E5093D42B746F2E214D0ED90CEC967261EE986A037FD19DF4F04074C77E2337', 0, 0, NULL);
INSERT INTO owners VALUES ('cy', X'F2E580BF3954C63FBEE4E699151CFB4A27C1B80A9A5CBFF5AAB4A753CA05C54B', 0, 0, NULL);
INSERT INTO owners VALUES ('dan', X'0EC5B1C325D2BE233FBE0569C736F15B211723256512AFC8390277BBFDE840E6', 0, 0, 100);

INSERT INTO pieces VALUES (1, X'526566756E64732074616B6520313420646179732E204974277320667265652E');

INSERT INTO redactions VALUES ('done');

INSERT INTO revisions VALUES (1, 'again', 'done', 'done', 'ada', 1800000000000000, 'shorter, it''s long', 'edit', 'files');

INSERT INTO runs VALUES (1, 'done', 'letters', 1, 'ada', 'anywhere', 0, 'succeeded', 1, X'C16768284EDDB50322774C3EA7EF1E7C167BB1837EB525825D20111C1E52C6C3', 1800000000000001, 1800000000000000, 1, NULL, NULL, 0, 7, 0, NULL, NULL, NULL, 0, 0);
INSERT INTO runs VALUES (2, 'held', 'letters', 1, 'ada', 'anywhere', 0, 'running', 2, X'34EEDFD5662CEB344CCA32C2AAB61F1B6F12C3AE66C4870C50D746D546455B1D', 1800000000000002, 1800000000000000, 1, 'w1', NULL, 1, 3, 2, 9, NULL, NULL, 0, 0);
INSERT INTO runs VALUES (3, 'due', 'letters', 1, 'bob', 'host:desk', 5, 'waiting', 0, X'8AED16FF8A3592D77597D5F28B23C5D90754FF17CD4ED56FA7C657A86C935DA1', 1800000000000000, 1800000000000000, 0, NULL, 1800003600000000, 0, 0, 0, NULL, NULL, NULL, 0, 0);
INSERT INTO runs VALUES (4, 'next', 'letters', 1, 'bob', 'foreground', -1, 'queued', 0, X'186700849B488E4FD0B3FFCC0488FF9D1BCE6FE19AA429E866EC4C26D70B74D9', 1800000000000000, 1800000000000000, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, 0, 0);
INSERT INTO runs VALUES (5, 'asks', 'letters', 1, 'bob', 'anywhere', 0, 'waiting', 5, X'A9042A428BFE4AFCEFEFF7DA9946A2B6A263D402A804A1DD74C13AEB8868E8D4', 1800000000000005, 1800000000000000, 2, NULL, NULL, 0, 0, 0, NULL, 'draft', 'w1', 0, 0);
INSERT INTO runs VALUES (6, 'large', 'letters', 1, 'cy', 'anywhere', 0, 'running', 1, X'855C1561CD034620AEAC3FAEC5005921CA9004AE1C37D7C2DF742E68E0CF865C', 1800000000000001, 1800000000000000, 1, 'w1', NULL, 0, 0, 0, NULL, NULL, NULL, 0, 0);

INSERT INTO sealed VALUES ('ada', 'openai', X'000127FF', 1800000000000000);
INSERT INTO sealed VALUES ('bob', 'openai', X'', 1800000000000000);


INSERT INTO sessions VALUES (X'41242B9FAE56FAD4E6E77DFE33CB18D1C3FC583F988CF25EF9F2D9BE0D440BBB', 3, 1800000000000000, 1800000000000000, 1800003600000000);
INSERT INTO sessions VALUES (X'E8BC163C82EEE18733288C7D4AC636DB3A6DEB013EF2D37B68322BE20EDC45CC', 1, 1800000000000000, 1800000000000000, 1800003600000000);

INSERT INTO settings VALUES ('ada', 'agents/trace', '{"model":"it''s"}', 1800000000000000);


INSERT INTO shelves VALUES (1, 'ada', X'7043CC59909C2964E8E58F742D252A517E958B81965132B8A1683B1DA7CC23B9', 2, 0);

INSERT INTO snapshots VALUES (1, 0, X'DC3D6CF7930824A3A8D1C12E479C796A88F185539A66D46A5F9F791047CC002A', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (2, 1, X'9E5F632EF943576F239A366DAA87309C18EC617844A6DD9E2F57B7AEF4B9805D', X'46C45F44CB61BF84F4D395226596E7BD8FEF5EB20BAAFC2BA0EFB554A0B52A98', '{"calls":1}', NULL);
INSERT INTO snapshots VALUES (3, 0, X'8AED16FF8A3592D77597D5F28B23C5D90754FF17CD4ED56FA7C657A86C935DA1', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (4, 0, X'186700849B488E4FD0B3FFCC0488FF9D1BCE6FE19AA429E866EC4C26D70B74D9', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (5, 0, X'960E0B5AEF226192933E1535AC2EE6DBCEB96726B027E15A702B8B83CD067196', X'DAE0388955E212F5B5D1BF7DC703F0F1816A80B25620F537668239A1824D5C4E', '{"new":true}', NULL);
INSERT INTO snapshots VALUES (6, 1, X'855C1561CD034620AEAC3FAEC5005921CA9004AE1C37D7C2DF742E68E0CF865C', X'8FF750004C85752CB4D47DE64D7AE79D194C429EE45BC21152336E70130CBAE4', NULL, X'7DDED6B6B654053977BB320EDD9E0CE0B59570D1851321512A597DEBFAE27D02');

INSERT INTO sources VALUES (1, 1, 'src_75e33a185ee621d6fc3632ae8afd31be', 'doc_8582b32e83e64dc87aa152d94352dfc4', 'default', 'local', 'it''s.txt', NULL, '00', 'txt', 'txt', 'it''s.txt', NULL, '{"team":"it''s"}', 1, 1800000000000000, 0, X'B950351D7E3550A2E15A9CE9DA59E80818B14B6D2B0DF5C9FBD2FE886A86916E', 16, 2, 1, 2, 1, 32, 'm', 1);

INSERT INTO tokens VALUES (1, X'628B49D96DCDE97A430DD4F597705899E09A968F793491E4B704CAE33A40DC02', 'id-of-t1', 1, NULL, 'jobs answer', 1800000000000000);
INSERT INTO tokens VALUES (2, X'C44474038D459E40E4714AFEFA7BF8DAE9F9834B22F5E8EC1DD434ECB62B512E', 'id-of-t2', 1, 'ci', NULL, 1800000000000000);


INSERT INTO turns VALUES ('done', 1, 'ada');

INSERT INTO users VALUES (1, '00000000-0000-4000-8000-000000000001', 'Ada@Example.org', 'ada@example.org', '$argon2id$it''s', 'admin', 1, 0, 1800000000000000);
INSERT INTO users VALUES (2, '00000000-0000-4000-8000-000000000002', 'bob@example.org', 'bob@example.org', '$argon2id$it''s', 'member', 0, 0, 1800000000000000);
INSERT INTO users VALUES (3, '00000000-0000-4000-8000-000000000003', 'cy@example.org', 'cy@example.org', NULL, 'member', 1, 0, 1800000000000000);

INSERT INTO vectors VALUES (1, X'0402013C7F00');

INSERT INTO words_config VALUES ('secure-delete', 1);
INSERT INTO words_config VALUES ('version', 4);

INSERT INTO words_data VALUES (1, X'0205');
INSERT INTO words_data VALUES (10, X'000000010101010001010101');
INSERT INTO words_data VALUES (137438953473, X'0000004A0C3061796F726A76647432323301010B6668676E756F696E32323302010B703461347565677932323301010B746370747332656232323301010B787A72673237756332323301040E0E0E0E');

INSERT INTO words_idx VALUES (1, X'', 2);

PRAGMA application_id = 1131311975;
PRAGMA user_version = 16;
-- file blobs/aa/aa34d09d0ecd937c3f28f396b8511f3abedbee766fef41a2514f5f5442d4b18f 28B52FFDA0A91101001D0200A4037B226B6579223A2263616C6C222C22617474656D7074223A312C226F7574707574223A2278222C2270616964223A7B226E616E6F73223A307D7D0100658BC8C113
-- file blobs/7d/7dded6b6b654053977bb320edd9e0ce0b59570d1851321512a597debfae27d02 28B52FFDA0721101005D00001822732201006C1139C002
