-- What people show each other, and what they say of it.

-- A share shows a conversation or a clip to others than its owner. It goes with
-- what it shows, to an heir too; one that was taken back, or is over, has no row.
-- A link is asked for by its hash, what is shown to people by name by the share's
-- id. What isn't shown live has the title that it had, and of a conversation a
-- snapshot, the file that exports it; what is live is read where it stands.
CREATE TABLE shares (
  n            INTEGER PRIMARY KEY AUTOINCREMENT,
  id           BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  owner        INTEGER NOT NULL REFERENCES users (n),
  conversation INTEGER REFERENCES conversations (n) ON DELETE CASCADE,
  task         INTEGER REFERENCES video_tasks (n) ON DELETE CASCADE,
  audience     TEXT    NOT NULL CHECK (audience IN ('people', 'team', 'everyone', 'link')),
  to_team      INTEGER REFERENCES teams (n),
  hash         BLOB    UNIQUE CHECK (length(hash) = 32),
  live         INTEGER NOT NULL CHECK (live IN (0, 1)),
  wire         INTEGER NOT NULL CHECK (wire IN (0, 1)),
  title        TEXT    NOT NULL DEFAULT '',
  coding       INTEGER NOT NULL DEFAULT 0,
  created_ms   INTEGER NOT NULL,
  expires_ms   INTEGER NOT NULL DEFAULT 0, -- 0: never
  snapshot     BLOB, -- the last, so that the others are read without it
  CHECK ((conversation IS NULL) <> (task IS NULL)),
  CHECK ((audience = 'team') = (to_team IS NOT NULL)),
  CHECK ((audience = 'link') = (hash IS NOT NULL)),
  CHECK ((live = 0 AND conversation IS NOT NULL) = (snapshot IS NOT NULL))
) STRICT;
CREATE INDEX shares_owner ON shares (owner, n);
CREATE INDEX shares_conversation ON shares (conversation) WHERE conversation IS NOT NULL;
CREATE INDEX shares_task ON shares (task) WHERE task IS NOT NULL;
CREATE INDEX shares_team ON shares (to_team) WHERE to_team IS NOT NULL;
CREATE INDEX shares_everyone ON shares (audience, n) WHERE audience = 'everyone';
CREATE INDEX shares_link ON shares (n) WHERE audience = 'link';
CREATE INDEX shares_expires ON shares (expires_ms) WHERE expires_ms > 0;

CREATE TABLE share_people (
  share  INTEGER NOT NULL REFERENCES shares (n) ON DELETE CASCADE,
  person INTEGER NOT NULL REFERENCES users (n) ON DELETE CASCADE,
  PRIMARY KEY (share, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX share_people_person ON share_people (person);

-- What was for a team ends with it; who is erased is in no audience.
CREATE TRIGGER shares_of_team AFTER UPDATE OF deleted_ms ON teams WHEN new.deleted_ms > 0 BEGIN
  DELETE FROM shares WHERE to_team = new.n;
END;
CREATE TRIGGER shares_without_erased AFTER UPDATE OF erased_ms ON users WHEN new.erased_ms > 0 BEGIN
  DELETE FROM share_people WHERE person = new.n;
END;

-- Who sees which share by name: this alone says so. Whether one has expired is
-- the asker's to look at, who knows what time it is; whether what it shows lies in
-- the trash, too. What somebody shows who was deactivated is seen by nobody until
-- it is handed over.
CREATE VIEW sights AS
  SELECT p.person AS person, s.n AS share, s.expires_ms AS expires_ms
    FROM share_people p JOIN shares s ON s.n = p.share JOIN users o ON o.n = s.owner JOIN users u ON u.n = p.person
    WHERE s.audience = 'people' AND o.active = 1 AND u.active = 1 AND p.person <> s.owner
  UNION ALL
  SELECT p.person, s.n, s.expires_ms
    FROM team_people p JOIN shares s ON s.to_team = p.team JOIN users o ON o.n = s.owner JOIN users u ON u.n = p.person
    WHERE s.to_team IS NOT NULL AND o.active = 1 AND u.active = 1 AND p.person <> s.owner
  UNION ALL
  SELECT u.n, s.n, s.expires_ms
    FROM users u JOIN shares s JOIN users o ON o.n = s.owner
    WHERE s.audience = 'everyone' AND o.active = 1 AND u.active = 1 AND u.email IS NOT NULL AND u.n <> s.owner;

-- Where a copy comes from: the share and how it was called then, kept when the
-- original is gone, and whose it was, by the name that they have now.
ALTER TABLE conversations ADD COLUMN copied_share BLOB CHECK (length(copied_share) = 16); -- its id
ALTER TABLE conversations ADD COLUMN copied_title TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN copied_from  INTEGER REFERENCES users (n);
ALTER TABLE video_tasks   ADD COLUMN copied_share BLOB CHECK (length(copied_share) = 16);
ALTER TABLE video_tasks   ADD COLUMN copied_title TEXT NOT NULL DEFAULT '';
ALTER TABLE video_tasks   ADD COLUMN copied_from  INTEGER REFERENCES users (n);

-- A review is of a clip and its next versions, which carry the thread on. A
-- version keeps its number when others go: versions is the last that was given.
-- What was said of a version that is gone for good goes with it, and the review
-- with its last one.
CREATE TABLE reviews (
  n        INTEGER PRIMARY KEY AUTOINCREMENT,
  id       BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  versions INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE review_versions (
  review  INTEGER NOT NULL REFERENCES reviews (n) ON DELETE CASCADE,
  version INTEGER NOT NULL CHECK (version > 0),
  task    INTEGER NOT NULL UNIQUE REFERENCES video_tasks (n) ON DELETE CASCADE,
  state   TEXT    NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'in_review', 'approved', 'changes_asked')),
  PRIMARY KEY (review, version)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER review_versions_last AFTER INSERT ON review_versions
BEGIN UPDATE reviews SET versions = max(versions, NEW.version) WHERE n = NEW.review; END;

-- Which clip of one's own a clip was made again of, with its settings: its next
-- version, as one that has it as its source.
ALTER TABLE video_tasks ADD COLUMN version_of BLOB CHECK (length(version_of) = 16);

-- What is shared has a review from then on.
CREATE TRIGGER shares_review AFTER INSERT ON shares WHEN NEW.task IS NOT NULL
BEGIN
  INSERT INTO reviews (id) SELECT randomblob(16) WHERE NOT EXISTS (SELECT 1 FROM review_versions WHERE task = NEW.task);
  INSERT INTO review_versions (review, version, task)
    SELECT last_insert_rowid(), 1, NEW.task WHERE NOT EXISTS (SELECT 1 FROM review_versions WHERE task = NEW.task);
END;

CREATE TABLE comments (
  n           INTEGER PRIMARY KEY AUTOINCREMENT,
  id          BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  review      INTEGER NOT NULL REFERENCES reviews (n) ON DELETE CASCADE,
  version     INTEGER NOT NULL, -- that it was made on
  answers     INTEGER REFERENCES comments (n) ON DELETE CASCADE,
  author      INTEGER NOT NULL REFERENCES users (n),
  text        TEXT    NOT NULL, -- '' of one that was deleted
  at_ms       INTEGER NOT NULL CHECK (at_ms >= 0), -- in the clip
  x           INTEGER CHECK (x BETWEEN 0 AND 10000), -- of the frame, in its 10 000ths
  y           INTEGER CHECK (y BETWEEN 0 AND 10000),
  created_ms  INTEGER NOT NULL,
  edited_ms   INTEGER NOT NULL DEFAULT 0,
  deleted_ms  INTEGER NOT NULL DEFAULT 0,
  resolver    INTEGER REFERENCES users (n),
  resolved_ms INTEGER NOT NULL DEFAULT 0,
  CHECK ((x IS NULL) = (y IS NULL)),
  CHECK ((deleted_ms > 0) = (text = ''))
) STRICT;
CREATE INDEX comments_review ON comments (review, n);
CREATE INDEX comments_answers ON comments (answers) WHERE answers IS NOT NULL;
CREATE INDEX comments_author ON comments (author) WHERE deleted_ms = 0;

-- Each state that a version was given, by whom and when.
CREATE TABLE review_steps (
  n       INTEGER PRIMARY KEY AUTOINCREMENT,
  review  INTEGER NOT NULL REFERENCES reviews (n) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  state   TEXT    NOT NULL CHECK (state IN ('draft', 'in_review', 'approved', 'changes_asked')),
  person  INTEGER NOT NULL REFERENCES users (n),
  note    TEXT    NOT NULL DEFAULT '',
  at_ms   INTEGER NOT NULL
) STRICT;
CREATE INDEX review_steps_review ON review_steps (review, n);
CREATE INDEX review_steps_noted ON review_steps (person) WHERE note <> '';

CREATE TRIGGER review_versions_gone AFTER DELETE ON review_versions
BEGIN
  DELETE FROM comments WHERE review = OLD.review AND version = OLD.version;
  DELETE FROM review_steps WHERE review = OLD.review AND version = OLD.version;
  DELETE FROM reviews WHERE n = OLD.review AND NOT EXISTS (SELECT 1 FROM review_versions WHERE review = OLD.review);
END;

-- What a person is told in the page: a mention, a share, a review, an approval.
CREATE TABLE notices (
  n       INTEGER PRIMARY KEY AUTOINCREMENT,
  id      BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  person  INTEGER NOT NULL REFERENCES users (n) ON DELETE CASCADE,
  kind    TEXT    NOT NULL,
  by      INTEGER REFERENCES users (n),
  path    TEXT    NOT NULL, -- in the page
  subject TEXT    NOT NULL DEFAULT '', -- the id of what it is about
  text    TEXT    NOT NULL,
  at_ms   INTEGER NOT NULL,
  seen_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX notices_person ON notices (person, n);
CREATE INDEX notices_by ON notices (by) WHERE by IS NOT NULL;

-- A team's library, in a name space of the team's own. Every version stays: going
-- back makes the next one. What was deleted can be brought back for a while.
CREATE TABLE team_library (
  n          INTEGER PRIMARY KEY AUTOINCREMENT,
  team       INTEGER NOT NULL REFERENCES teams (n),
  id         BLOB    NOT NULL CHECK (length(id) = 16),
  rev        INTEGER NOT NULL,
  deleted_ms INTEGER NOT NULL DEFAULT 0,
  UNIQUE (team, id)
) STRICT;
CREATE INDEX team_library_deleted ON team_library (team, deleted_ms, n);

CREATE TABLE team_library_versions (
  entry  INTEGER NOT NULL REFERENCES team_library (n) ON DELETE CASCADE,
  rev    INTEGER NOT NULL CHECK (rev > 0),
  kind   TEXT    NOT NULL CHECK (kind IN ('prompt', 'settings')),
  name   TEXT    NOT NULL,
  text   TEXT    NOT NULL DEFAULT '',
  family TEXT    NOT NULL DEFAULT '',
  params TEXT             CHECK (params IS NULL OR json_valid(params)),
  person INTEGER NOT NULL REFERENCES users (n),
  at_ms  INTEGER NOT NULL,
  PRIMARY KEY (entry, rev)
) STRICT, WITHOUT ROWID;

-- A vote counts for the team that paid for the answers, by its tags. Of one without
-- a winner bad says that no answer was good enough; blind, that the models were
-- not shown.
ALTER TABLE votes ADD COLUMN bad  INTEGER NOT NULL DEFAULT 0 CHECK (bad IN (0, 1));
ALTER TABLE votes ADD COLUMN tags TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(tags));
ALTER TABLE votes ADD COLUMN team INTEGER REFERENCES teams (n);
ALTER TABLE votes ADD COLUMN blind INTEGER NOT NULL DEFAULT 0 CHECK (blind IN (0, 1));
CREATE INDEX votes_team ON votes (team, vote_ms) WHERE team IS NOT NULL;

-- The answers that a vote with a team compared, as they were then: what they cost
-- is still told when the answer was handed over. One that failed isn't among them.
CREATE TABLE vote_answers (
  vote           INTEGER NOT NULL REFERENCES votes (message) ON DELETE CASCADE,
  place          INTEGER NOT NULL,
  model          TEXT    NOT NULL,
  won            INTEGER NOT NULL CHECK (won IN (0, 1)),
  cost_nano_usd  INTEGER NOT NULL,
  first_token_ms INTEGER NOT NULL,
  duration_ms    INTEGER NOT NULL,
  output_tokens  INTEGER NOT NULL,
  PRIMARY KEY (vote, place)
) STRICT, WITHOUT ROWID;

-- A clip above its team's amount waits until a lead releases it. Nothing of it is
-- sent, held or booked before.
ALTER TABLE teams ADD COLUMN approve_nano_usd INTEGER NOT NULL DEFAULT 0 CHECK (approve_nano_usd >= 0); -- 0: never asked
CREATE TABLE approvals (
  n          INTEGER PRIMARY KEY AUTOINCREMENT,
  id         BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  asker      INTEGER NOT NULL REFERENCES users (n),
  clip       BLOB    NOT NULL CHECK (length(clip) = 16), -- its id, in the asker's name space
  team       INTEGER NOT NULL REFERENCES teams (n),
  request    TEXT    NOT NULL CHECK (json_valid(request)), -- the creation as it was asked for, without its body
  body       TEXT    NOT NULL,
  task       TEXT    NOT NULL CHECK (json_valid(task)), -- the clip that it would make, with its price
  state      TEXT    NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'released', 'refused', 'withdrawn')),
  waits      INTEGER NOT NULL GENERATED ALWAYS AS (state = 'asked') VIRTUAL,
  person     INTEGER REFERENCES users (n), -- who decided
  reason     TEXT    NOT NULL DEFAULT '',
  asked_ms   INTEGER NOT NULL,
  decided_ms INTEGER NOT NULL DEFAULT 0,
  UNIQUE (asker, clip)
) STRICT;
CREATE INDEX approvals_waits ON approvals (waits, n);
CREATE INDEX approvals_team ON approvals (team, waits, n);
CREATE INDEX approvals_asker ON approvals (asker, waits, n);
CREATE INDEX approvals_person ON approvals (person) WHERE person IS NOT NULL;

-- Clips are found by their number as well, as conversations are.
INSERT INTO search_todo (owner, conversation, video) SELECT owner, 0, n FROM video_tasks;
