-- A large body or state is in a file; its row has the name instead of the text.

ALTER TABLE journal ADD COLUMN blob BLOB;
ALTER TABLE snapshots ADD COLUMN blob BLOB;

-- For the sweep: is there a row that names this file?
CREATE INDEX journal_blobs ON journal (blob) WHERE blob IS NOT NULL;
CREATE INDEX snapshot_blobs ON snapshots (blob) WHERE blob IS NOT NULL;
