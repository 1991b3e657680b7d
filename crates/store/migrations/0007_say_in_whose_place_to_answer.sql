-- The agent in whose place somebody outside is to answer. Whoever answers for one looks for it.

ALTER TABLE interactions ADD COLUMN agent TEXT;
