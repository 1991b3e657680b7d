-- What is remembered from one run to the next, by owner and topic.

CREATE TABLE notes (
    owner TEXT NOT NULL,
    topic TEXT NOT NULL,
    name  TEXT NOT NULL,
    text  TEXT NOT NULL,
    at    INTEGER NOT NULL,
    PRIMARY KEY (owner, topic, name)
) STRICT, WITHOUT ROWID;
