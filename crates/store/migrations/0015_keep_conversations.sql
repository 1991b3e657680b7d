-- What was said in conversations about documents, and which runs made it.

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
CREATE INDEX conversations_by_time ON conversations (owner, ended_at DESC, key DESC);

CREATE TABLE messages (
    conversation INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    role         TEXT NOT NULL,
    content      TEXT NOT NULL,
    at           INTEGER NOT NULL,
    -- Not clustered: rows of such a table move, and copies of them would stay behind when they are removed.
    UNIQUE (conversation, number)
) STRICT;

CREATE TABLE turns (
    run          TEXT PRIMARY KEY,
    conversation INTEGER NOT NULL,
    owner        TEXT NOT NULL
) STRICT;
CREATE INDEX turns_of_conversation ON turns (conversation);

-- Of which sources each turn was given passages.
CREATE TABLE turn_sources (
    owner  TEXT NOT NULL,
    source TEXT NOT NULL,
    run    TEXT NOT NULL,
    PRIMARY KEY (owner, source, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_sources_of_run ON turn_sources (run);

-- Runs whose journals have words of what was removed since.
CREATE TABLE redactions (
    run TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
