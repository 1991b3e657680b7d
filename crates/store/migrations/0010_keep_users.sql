-- Who may use a server: users, how they are known, and how often anybody tried.

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

CREATE UNIQUE INDEX users_by_id ON users (id);
CREATE UNIQUE INDEX users_by_email ON users (email_key);

-- Digests are the SHA-256 of a secret that only its holder has. A session ends once it is not used for some
-- time, or is too old: the earlier of the two is kept.
CREATE TABLE sessions (
    digest  BLOB PRIMARY KEY,
    user    INTEGER NOT NULL,
    made_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_user ON sessions (user);
CREATE INDEX sessions_by_end ON sessions (ends_at);

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

CREATE UNIQUE INDEX tokens_by_digest ON tokens (digest);
CREATE UNIQUE INDEX tokens_by_id ON tokens (id);
CREATE INDEX tokens_by_user ON tokens (user);

-- At most one code for each user: a new one takes the place of the one before.
CREATE TABLE codes (
    user    INTEGER PRIMARY KEY,
    purpose TEXT NOT NULL,
    digest  BLOB NOT NULL,
    made_at INTEGER NOT NULL,
    tries   INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One row for each attempt that still counts.
CREATE TABLE attempts (
    subject      TEXT NOT NULL,
    counts_until INTEGER NOT NULL
) STRICT;

CREATE INDEX attempts_by_subject ON attempts (subject, counts_until);
CREATE INDEX attempts_by_end ON attempts (counts_until);

-- Who somebody is at another site.
CREATE TABLE oauth_links (
    provider   TEXT NOT NULL,
    outside_id TEXT NOT NULL,
    user       INTEGER NOT NULL,
    made_at    INTEGER NOT NULL,
    PRIMARY KEY (provider, outside_id)
) STRICT, WITHOUT ROWID;

-- Sign-ins that went to another site and have not come back. The verifier has to be sent, so it is kept as it is.
CREATE TABLE oauth_attempts (
    state    BLOB PRIMARY KEY,
    provider TEXT NOT NULL,
    browser  BLOB NOT NULL,
    verifier TEXT NOT NULL,
    made_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_attempts_by_age ON oauth_attempts (made_at);

-- The token for the first user, until there is one.
CREATE TABLE setup (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    digest  BLOB NOT NULL,
    made_at INTEGER NOT NULL
) STRICT;
