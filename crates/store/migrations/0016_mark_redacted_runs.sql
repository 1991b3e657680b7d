-- What a redacted run said and heard is erased.

ALTER TABLE runs ADD COLUMN redacted INTEGER NOT NULL DEFAULT 0;
