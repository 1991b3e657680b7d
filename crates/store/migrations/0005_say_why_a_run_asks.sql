-- The code of what made the engine ask, such as OUTCOME_UNKNOWN. A workflow's own asks have none.

ALTER TABLE interactions ADD COLUMN code TEXT;
