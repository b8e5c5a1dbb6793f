-- Video tasks, their files, and what people upload for them.

-- A gateway key as the open tasks of an owner hold it, sealed with its own n:
-- it is forgotten with the last task that needs it. paused: the gateway has
-- refused it, and its tasks wait for another one. replaced: it was entered
-- later in the place of such a key.
CREATE TABLE video_keys (
  n        INTEGER PRIMARY KEY AUTOINCREMENT,
  owner    INTEGER NOT NULL REFERENCES users (n),
  sealed   BLOB    NOT NULL,
  paused   INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  replaced INTEGER NOT NULL DEFAULT 0 CHECK (replaced IN (0, 1))
) STRICT;
CREATE INDEX video_keys_owner ON video_keys (owner);

-- A video task. Its charge and return are in the ledger, under its id; price is
-- what it costs by the catalogue of its creation, held as reserved while the
-- state is creating or unknown. gateway is where it was sent, and where alone its
-- key may go. version grows with every change. words is what
-- a search looks in: prompt, title, tags and model in small letters.
CREATE TABLE video_tasks (
  n            INTEGER PRIMARY KEY,
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
  problem      TEXT             CHECK (json_valid(problem)),
  poll_problem TEXT             CHECK (json_valid(poll_problem)),
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
CREATE UNIQUE INDEX video_tasks_remote ON video_tasks (owner, remote) WHERE remote IS NOT NULL;
CREATE INDEX video_tasks_newest ON video_tasks (owner, created_ms DESC, n DESC) WHERE deleted_ms = 0;
-- What a gallery counts is read from these two alone.
CREATE INDEX video_tasks_counts ON video_tasks (owner, state, model, mode) WHERE deleted_ms = 0;
CREATE INDEX video_tasks_tagged ON video_tasks (owner, tags) WHERE deleted_ms = 0 AND tags <> '[]';
CREATE INDEX video_tasks_deleted ON video_tasks (deleted_ms) WHERE deleted_ms > 0;
CREATE INDEX video_tasks_open ON video_tasks (state) WHERE state IN ('creating', 'unknown', 'queued', 'running');
CREATE INDEX video_tasks_done ON video_tasks (finished_ms) WHERE state = 'done';
CREATE INDEX video_tasks_key ON video_tasks (key) WHERE key IS NOT NULL;
CREATE INDEX video_tasks_uuid ON video_tasks (owner, uuid) WHERE uuid <> '';
CREATE INDEX video_tasks_source ON video_tasks (owner, source) WHERE source IS NOT NULL;

-- The exact bodies that were sent, apart from the rows that change.
CREATE TABLE video_requests (
  task  INTEGER PRIMARY KEY REFERENCES video_tasks (n) ON DELETE CASCADE,
  owner INTEGER NOT NULL REFERENCES users (n),
  body  TEXT    NOT NULL
) STRICT;

-- The files of a finished task. url is the gateway's; sha256 names the copy in
-- the archive, and with one copy several rows may be satisfied. A row that
-- waits is an archive job.
CREATE TABLE video_outputs (
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
  problem   TEXT             CHECK (json_valid(problem)),
  poster      BLOB           CHECK (length(poster) = 32), -- SHA-256 of its file
  poster_type TEXT  NOT NULL DEFAULT '',
  UNIQUE (task, idx)
) STRICT;
CREATE INDEX video_outputs_sha ON video_outputs (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX video_outputs_poster ON video_outputs (poster) WHERE poster IS NOT NULL;
CREATE INDEX video_outputs_jobs ON video_outputs (n) WHERE archive IN ('waiting', 'copying', 'full');
CREATE INDEX video_outputs_saved ON video_outputs (owner, saved_ms) WHERE archive = 'saved';

-- Files that people give to gateways. id is random and stands in an address
-- that needs no session: it is the secret.
CREATE TABLE uploads (
  n          INTEGER PRIMARY KEY,
  owner      INTEGER NOT NULL REFERENCES users (n),
  id         TEXT    NOT NULL UNIQUE,
  type       TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  bytes      INTEGER NOT NULL,
  width      INTEGER NOT NULL,
  height     INTEGER NOT NULL,
  seconds    REAL    NOT NULL,
  created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_owner ON uploads (owner, created_ms, bytes);
