-- Videos can be found too, by their prompts, titles, tags, models and errors:
-- a row of the index is of a conversation or of a video task.
CREATE TABLE search_rows_5 (
  n            INTEGER PRIMARY KEY,
  owner        INTEGER NOT NULL REFERENCES users (n),
  conversation INTEGER          REFERENCES conversations (n) ON DELETE CASCADE,
  message      INTEGER          REFERENCES messages (n) ON DELETE CASCADE,
  run          INTEGER          REFERENCES runs (n) ON DELETE CASCADE,
  video        INTEGER          REFERENCES video_tasks (n) ON DELETE CASCADE,
  CHECK ((conversation IS NULL) <> (video IS NULL))
) STRICT;
INSERT INTO search_rows_5 (n, owner, conversation, message, run) SELECT n, owner, conversation, message, run FROM search_rows;
DROP TABLE search_rows;
ALTER TABLE search_rows_5 RENAME TO search_rows;
CREATE INDEX search_rows_message ON search_rows (message) WHERE message IS NOT NULL;
CREATE INDEX search_rows_conversation ON search_rows (conversation) WHERE conversation IS NOT NULL;
CREATE INDEX search_rows_run ON search_rows (run) WHERE run IS NOT NULL;
CREATE INDEX search_rows_video ON search_rows (video) WHERE video IS NOT NULL;

CREATE TRIGGER search_rows_gone AFTER DELETE ON search_rows
BEGIN DELETE FROM search WHERE rowid = OLD.n; END;

-- Of a video task conversation is 0.
ALTER TABLE search_todo ADD COLUMN video INTEGER;
INSERT INTO search_todo (owner, conversation, video) SELECT owner, 0, n FROM video_tasks;
