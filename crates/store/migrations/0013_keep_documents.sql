-- Documents, their chunks and how these are found.

-- What is kept for one owner. Whoever holds a part of it in memory sees from `changes` that it is old, and from
-- `removals` that something is gone. Words are indexed under the shelf's secret, so that the words of two owners are
-- never the same, and none can be read from the index.
CREATE TABLE shelves (
    key      INTEGER PRIMARY KEY,
    owner    TEXT NOT NULL UNIQUE,
    secret   BLOB NOT NULL,
    changes  INTEGER NOT NULL,
    removals INTEGER NOT NULL
) STRICT;

-- A source and its current document. Its chunks and the pieces of its text have consecutive keys.
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
CREATE UNIQUE INDEX sources_by_id ON sources (shelf, id);
CREATE UNIQUE INDEX sources_by_document ON sources (shelf, document);
CREATE UNIQUE INDEX sources_by_name ON sources (shelf, collection, identifier);
CREATE INDEX sources_changed ON sources (shelf, changed);
CREATE INDEX sources_without_vectors ON sources (shelf, model, without_vectors);

-- The text of a document, in pieces of 8192 bytes.
CREATE TABLE pieces (
    key   INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
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

-- One byte for each dimension, after the length of a step.
CREATE TABLE vectors (
    chunk INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

-- What a document can be filtered by.
CREATE TABLE labels (
    shelf  INTEGER NOT NULL,
    name   TEXT NOT NULL,
    value  TEXT NOT NULL,
    source INTEGER NOT NULL,
    PRIMARY KEY (shelf, name, value, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX labels_of_source ON labels (source);

-- The words of chunks, as they are indexed: to remove them from the index, it must be told them again.
CREATE TABLE indexed_words (
    chunk INTEGER PRIMARY KEY,
    words BLOB NOT NULL
) STRICT;
-- Each word of a chunk once, with how often it is there.
CREATE VIRTUAL TABLE words USING fts5 (tokens, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE word_uses USING fts5vocab (words, instance);
