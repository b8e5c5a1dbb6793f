-- A row's number is never given twice (AUTOINCREMENT): what speaks of a row by
-- its number, as a note for the search index does, may outlive it, and must
-- not come to speak of another. And the checks of JSON say that NULL is
-- allowed: an SQLite before 3.45 takes json_valid(NULL) for a failure, and
-- people look at their data with the one that they have.
--
-- The tables are made anew, with their columns in the same order.

-- owner is below 0 while a conversation is being imported: it is nobody's, and
-- comes to be that of the owner of the same number without the sign when all
-- of the import is stored.
CREATE TABLE conversations_6 (
  n          INTEGER PRIMARY KEY AUTOINCREMENT,
  owner      INTEGER NOT NULL,
  id         BLOB    NOT NULL CHECK (length(id) = 16),
  title      TEXT    NOT NULL,
  models     TEXT    NOT NULL DEFAULT '',
  turn       INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  pinned     INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
  UNIQUE (owner, id)
) STRICT;
INSERT INTO conversations_6 SELECT * FROM conversations;
DROP TABLE conversations;
ALTER TABLE conversations_6 RENAME TO conversations;
CREATE INDEX conversations_newest ON conversations (owner, updated_ms DESC, n DESC);
CREATE INDEX conversations_pinned ON conversations (owner, updated_ms DESC, n DESC) WHERE pinned = 1;

CREATE TABLE messages_6 (
  n            INTEGER PRIMARY KEY AUTOINCREMENT,
  owner        INTEGER NOT NULL,
  conversation INTEGER NOT NULL REFERENCES conversations (n) ON DELETE CASCADE,
  id           BLOB    NOT NULL CHECK (length(id) = 16),
  parent       BLOB             CHECK (length(parent) = 16),
  lane         INTEGER NOT NULL DEFAULT 0,
  role         TEXT    NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  text         TEXT    NOT NULL DEFAULT '',
  created_ms   INTEGER NOT NULL,
  tool_call    TEXT    NOT NULL DEFAULT '',
  tool         TEXT    NOT NULL DEFAULT '',
  UNIQUE (owner, id)
) STRICT;
INSERT INTO messages_6 SELECT * FROM messages;
DROP TABLE messages;
ALTER TABLE messages_6 RENAME TO messages;
CREATE INDEX messages_conversation ON messages (conversation);

CREATE TABLE runs_6 (
  n               INTEGER PRIMARY KEY AUTOINCREMENT,
  owner           INTEGER NOT NULL,
  conversation    INTEGER NOT NULL,
  message         INTEGER NOT NULL REFERENCES messages (n) ON DELETE CASCADE,
  id              BLOB    NOT NULL CHECK (length(id) = 16),
  lane            INTEGER NOT NULL DEFAULT 0,
  endpoint        TEXT    NOT NULL,
  model           TEXT    NOT NULL,
  answered        TEXT    NOT NULL DEFAULT '',
  state           TEXT    NOT NULL CHECK (state IN ('running', 'done', 'stopped', 'failed', 'incomplete', 'interrupted')),
  finish          TEXT    NOT NULL DEFAULT '',
  problem         TEXT             CHECK (problem IS NULL OR json_valid(problem)),
  http_status     INTEGER NOT NULL DEFAULT 0,
  content_type    TEXT    NOT NULL DEFAULT '',
  request_id      TEXT    NOT NULL DEFAULT '',
  bytes           INTEGER NOT NULL DEFAULT 0,
  started_ms      INTEGER NOT NULL,
  first_token_ms  INTEGER NOT NULL DEFAULT 0,
  duration_ms     INTEGER NOT NULL DEFAULT 0,
  input_tokens    INTEGER NOT NULL DEFAULT 0,
  output_tokens   INTEGER NOT NULL DEFAULT 0,
  calls           TEXT             CHECK (calls IS NULL OR json_valid(calls)),
  reasoning_bytes INTEGER NOT NULL DEFAULT 0,
  sources         INTEGER NOT NULL DEFAULT 0,
  told_nano_usd   INTEGER,
  told_basis      TEXT,
  told_source     TEXT,
  UNIQUE (owner, id)
) STRICT;
INSERT INTO runs_6 SELECT * FROM runs;
DROP TABLE runs;
ALTER TABLE runs_6 RENAME TO runs;
CREATE INDEX runs_message ON runs (message);
CREATE INDEX runs_running ON runs (conversation) WHERE state = 'running';

CREATE TABLE library_6 (
  n          INTEGER PRIMARY KEY,
  owner      INTEGER NOT NULL REFERENCES users (n),
  id         BLOB    NOT NULL CHECK (length(id) = 16),
  kind       TEXT    NOT NULL CHECK (kind IN ('prompt', 'settings')),
  name       TEXT    NOT NULL,
  text       TEXT    NOT NULL DEFAULT '',
  family     TEXT    NOT NULL DEFAULT '',
  params     TEXT             CHECK (params IS NULL OR json_valid(params)),
  updated_ms INTEGER NOT NULL,
  UNIQUE (owner, id)
) STRICT;
INSERT INTO library_6 SELECT * FROM library;
DROP TABLE library;
ALTER TABLE library_6 RENAME TO library;

CREATE TABLE video_tasks_6 (
  n            INTEGER PRIMARY KEY AUTOINCREMENT,
  owner        INTEGER NOT NULL REFERENCES users (n),
  id           BLOB    NOT NULL CHECK (length(id) = 16),
  version      INTEGER NOT NULL DEFAULT 1,
  key          INTEGER REFERENCES video_keys (n),
  gateway      TEXT    NOT NULL DEFAULT '',
  remote       TEXT,
  uuid         TEXT    NOT NULL DEFAULT '',
  model        TEXT    NOT NULL,
  mode         TEXT    NOT NULL,
  prompt       TEXT    NOT NULL,
  title        TEXT    NOT NULL DEFAULT '',
  tags         TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  words        TEXT    NOT NULL,
  state        TEXT    NOT NULL CHECK (state IN ('creating', 'unknown', 'queued', 'running', 'done', 'failed', 'expired', 'refused', 'lost')),
  pause        TEXT    NOT NULL DEFAULT '',
  problem      TEXT             CHECK (problem IS NULL OR json_valid(problem)),
  poll_problem TEXT             CHECK (poll_problem IS NULL OR json_valid(poll_problem)),
  created_ms   INTEGER NOT NULL,
  accepted_ms  INTEGER NOT NULL DEFAULT 0,
  started_ms   INTEGER NOT NULL DEFAULT 0,
  finished_ms  INTEGER NOT NULL DEFAULT 0,
  deleted_ms   INTEGER NOT NULL DEFAULT 0,
  usual_least  INTEGER NOT NULL,
  usual_most   INTEGER NOT NULL,
  seconds      INTEGER NOT NULL,
  price        INTEGER NOT NULL CHECK (price >= 0),
  basis        TEXT    NOT NULL,
  sample       INTEGER NOT NULL CHECK (sample IN (0, 1)),
  prices       TEXT    NOT NULL CHECK (json_valid(prices)),
  source       BLOB             CHECK (length(source) = 16),
  source_index INTEGER NOT NULL DEFAULT 0,
  source_uuid  TEXT    NOT NULL DEFAULT '',
  family       TEXT    NOT NULL DEFAULT '',
  tier         TEXT    NOT NULL DEFAULT '',
  resolution   TEXT    NOT NULL DEFAULT '',
  root         TEXT    NOT NULL DEFAULT '',
  finish_state TEXT    NOT NULL DEFAULT '',
  favourite    INTEGER NOT NULL DEFAULT 0 CHECK (favourite IN (0, 1)),
  pinned       INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
  UNIQUE (owner, id)
) STRICT;
INSERT INTO video_tasks_6 SELECT * FROM video_tasks;
DROP TABLE video_tasks;
ALTER TABLE video_tasks_6 RENAME TO video_tasks;
CREATE UNIQUE INDEX video_tasks_remote ON video_tasks (owner, remote) WHERE remote IS NOT NULL;
CREATE INDEX video_tasks_newest ON video_tasks (owner, created_ms DESC, n DESC) WHERE deleted_ms = 0;
CREATE INDEX video_tasks_counts ON video_tasks (owner, state, model, mode) WHERE deleted_ms = 0;
CREATE INDEX video_tasks_tagged ON video_tasks (owner, tags) WHERE deleted_ms = 0 AND tags <> '[]';
CREATE INDEX video_tasks_deleted ON video_tasks (deleted_ms) WHERE deleted_ms > 0;
CREATE INDEX video_tasks_open ON video_tasks (state) WHERE state IN ('creating', 'unknown', 'queued', 'running');
CREATE INDEX video_tasks_done ON video_tasks (finished_ms) WHERE state = 'done';
CREATE INDEX video_tasks_key ON video_tasks (key) WHERE key IS NOT NULL;
CREATE INDEX video_tasks_uuid ON video_tasks (owner, uuid) WHERE uuid <> '';
CREATE INDEX video_tasks_source ON video_tasks (owner, source) WHERE source IS NOT NULL;

CREATE TABLE video_outputs_6 (
  n         INTEGER PRIMARY KEY,
  owner     INTEGER NOT NULL REFERENCES users (n),
  task      INTEGER NOT NULL REFERENCES video_tasks (n) ON DELETE CASCADE,
  idx       INTEGER NOT NULL CHECK (idx >= 0),
  url       TEXT    NOT NULL,
  archive   TEXT    NOT NULL DEFAULT 'waiting' CHECK (archive IN ('waiting', 'copying', 'saved', 'failed', 'full', 'removed')),
  sha256    BLOB             CHECK (length(sha256) = 32),
  type      TEXT    NOT NULL DEFAULT '',
  width     INTEGER NOT NULL DEFAULT 0,
  height    INTEGER NOT NULL DEFAULT 0,
  seconds   REAL    NOT NULL DEFAULT 0,
  bytes     INTEGER NOT NULL DEFAULT 0,
  saved_ms  INTEGER NOT NULL DEFAULT 0,
  problem   TEXT             CHECK (problem IS NULL OR json_valid(problem)),
  poster      BLOB           CHECK (length(poster) = 32), -- SHA-256 of its file
  poster_type TEXT  NOT NULL DEFAULT '',
  UNIQUE (task, idx)
) STRICT;
INSERT INTO video_outputs_6 SELECT * FROM video_outputs;
DROP TABLE video_outputs;
ALTER TABLE video_outputs_6 RENAME TO video_outputs;
CREATE INDEX video_outputs_sha ON video_outputs (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX video_outputs_poster ON video_outputs (poster) WHERE poster IS NOT NULL;
CREATE INDEX video_outputs_jobs ON video_outputs (n) WHERE archive IN ('waiting', 'copying', 'full');
CREATE INDEX video_outputs_saved ON video_outputs (owner, saved_ms) WHERE archive = 'saved';

-- The search index begins anew. It may hold words without a row: of messages
-- that were given the number of one that was gone, and that every search that
-- came upon them failed at.
DROP TRIGGER search_rows_gone;
DELETE FROM search_rows;
INSERT INTO search (search) VALUES ('delete-all');
CREATE TRIGGER search_rows_gone AFTER DELETE ON search_rows
BEGIN DELETE FROM search WHERE rowid = OLD.n; END;

-- With a conversation's title go its messages from this number on, if it isn't
-- NULL: one note is enough for all that was imported together.
DELETE FROM search_todo;
ALTER TABLE search_todo ADD COLUMN messages_from INTEGER;
INSERT INTO search_todo (owner, conversation, messages_from) SELECT owner, n, 0 FROM conversations;
INSERT INTO search_todo (owner, conversation, video) SELECT owner, 0, n FROM video_tasks;
