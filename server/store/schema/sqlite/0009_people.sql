-- Accounts, teams, and how people get in. A user without an e-mail address is no
-- account: the local one before somebody sets the instance up, and those who
-- were erased. Passwords are argon2id in PHC form; a second factor's secret is
-- sealed; of tokens only the SHA-256 is stored.

ALTER TABLE users ADD COLUMN id           BLOB CHECK (length(id) = 16); -- what people and programs see
ALTER TABLE users ADD COLUMN email        TEXT; -- in lower case
ALTER TABLE users ADD COLUMN role         TEXT    NOT NULL DEFAULT 'member' CHECK (role IN ('admin', 'member', 'guest'));
ALTER TABLE users ADD COLUMN own_role     TEXT CHECK (own_role IN ('admin', 'member', 'guest')); -- what they are without the groups of single sign-on; NULL: role itself
ALTER TABLE users ADD COLUMN active       INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1));
ALTER TABLE users ADD COLUMN password     TEXT    NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN totp         BLOB;    -- sealed; NULL: none
ALTER TABLE users ADD COLUMN totp_step    INTEGER NOT NULL DEFAULT 0; -- the last time step that was taken: none is taken twice
ALTER TABLE users ADD COLUMN oidc_issuer  TEXT;
ALTER TABLE users ADD COLUMN oidc_subject TEXT;
ALTER TABLE users ADD COLUMN claims       TEXT CHECK (claims IS NULL OR json_valid(claims)); -- that came with the last single sign-on
ALTER TABLE users ADD COLUMN claims_ms    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN limits       TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(limits)); -- what an admin lets them spend
ALTER TABLE users ADD COLUMN charge       TEXT    NOT NULL DEFAULT ''; -- what they last charged a send to
ALTER TABLE users ADD COLUMN erased_ms    INTEGER NOT NULL DEFAULT 0;
UPDATE users SET id = randomblob(16);
CREATE UNIQUE INDEX users_id ON users (id);
CREATE UNIQUE INDEX users_email ON users (email) WHERE email IS NOT NULL;
CREATE UNIQUE INDEX users_oidc ON users (oidc_issuer, oidc_subject) WHERE oidc_subject IS NOT NULL;

-- A session that signed in. Those that only hold a key, of a server without
-- accounts, have signed_in 0 and let nobody in. id is what its owner sees: it
-- is not the cookie's.
ALTER TABLE sessions ADD COLUMN id        BLOB CHECK (length(id) = 16);
ALTER TABLE sessions ADD COLUMN signed_in INTEGER NOT NULL DEFAULT 0 CHECK (signed_in IN (0, 1));
ALTER TABLE sessions ADD COLUMN how       TEXT    NOT NULL DEFAULT ''; -- password, passkey, oidc, proxy, link
ALTER TABLE sessions ADD COLUMN device    TEXT    NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN address   TEXT    NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN seen_ms   INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sessions_owner ON sessions (owner, seen_ms);
CREATE UNIQUE INDEX sessions_id ON sessions (id) WHERE id IS NOT NULL;

CREATE TABLE passkeys (
  n          INTEGER PRIMARY KEY AUTOINCREMENT,
  owner      INTEGER NOT NULL REFERENCES users (n) ON DELETE CASCADE,
  id         BLOB    NOT NULL UNIQUE CHECK (length(id) = 16), -- what its owner sees
  credential BLOB    NOT NULL UNIQUE,                         -- the authenticator's own id
  data       TEXT    NOT NULL CHECK (json_valid(data)),       -- public key, counter, flags
  name       TEXT    NOT NULL,
  created_ms INTEGER NOT NULL,
  used_ms    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX passkeys_owner ON passkeys (owner);

CREATE TABLE recovery_codes (
  owner   INTEGER NOT NULL REFERENCES users (n) ON DELETE CASCADE,
  hash    BLOB    NOT NULL CHECK (length(hash) = 32),
  used_ms INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, hash)
) STRICT, WITHOUT ROWID;

-- Links of one use: the first account, and a new password. owner is NULL for a
-- set-up; by is who gave it out: the server at its start, the command line, an admin.
CREATE TABLE links (
  hash       BLOB    PRIMARY KEY CHECK (length(hash) = 32),
  kind       TEXT    NOT NULL CHECK (kind IN ('setup', 'reset')),
  owner      INTEGER REFERENCES users (n) ON DELETE CASCADE,
  by         TEXT    NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  used_ms    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX links_owner ON links (owner);

CREATE TABLE invites (
  n          INTEGER PRIMARY KEY AUTOINCREMENT,
  id         BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
  maker      INTEGER NOT NULL REFERENCES users (n),
  role       TEXT    NOT NULL CHECK (role IN ('admin', 'member', 'guest')),
  teams      TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(teams)), -- ids
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  uses       INTEGER NOT NULL CHECK (uses > 0),
  used       INTEGER NOT NULL DEFAULT 0 CHECK (used <= uses),
  revoked_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Teams. One is everybody's and always there. A deleted one stays as a row,
-- because the ledger speaks of it. models are patterns; none allow all.
CREATE TABLE teams (
  n          INTEGER PRIMARY KEY AUTOINCREMENT,
  id         BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  name       TEXT    NOT NULL,
  everyone   INTEGER NOT NULL DEFAULT 0 CHECK (everyone IN (0, 1)),
  models     TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(models)),
  limits     TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(limits)),
  created_ms INTEGER NOT NULL,
  deleted_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX teams_everyone ON teams (everyone) WHERE everyone = 1;
CREATE UNIQUE INDEX teams_name ON teams (name COLLATE NOCASE) WHERE deleted_ms = 0;
INSERT INTO teams (id, name, everyone, created_ms) VALUES (randomblob(16), 'Everyone', 1, unixepoch() * 1000);

-- mapped: a group of single sign-on put the person there, and takes them away;
-- lead_mapped: it made them a lead.
CREATE TABLE team_people (
  team   INTEGER NOT NULL REFERENCES teams (n),
  person INTEGER NOT NULL REFERENCES users (n) ON DELETE CASCADE,
  lead   INTEGER NOT NULL DEFAULT 0 CHECK (lead IN (0, 1)),
  mapped INTEGER NOT NULL DEFAULT 0 CHECK (mapped IN (0, 1)),
  lead_mapped INTEGER NOT NULL DEFAULT 0 CHECK (lead_mapped IN (0, 1)),
  PRIMARY KEY (team, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_people_person ON team_people (person);

-- Keys of the gateway that are used for people and never shown to them, sealed:
-- a team's, or a person's own. label is how the ledger names it.
CREATE TABLE gateway_keys (
  n       INTEGER PRIMARY KEY AUTOINCREMENT,
  team    INTEGER UNIQUE REFERENCES teams (n),
  person  INTEGER UNIQUE REFERENCES users (n) ON DELETE CASCADE,
  sealed  BLOB    NOT NULL,
  last4   TEXT    NOT NULL,
  maker   INTEGER NOT NULL REFERENCES users (n),
  set_ms  INTEGER NOT NULL,
  CHECK ((team IS NULL) <> (person IS NULL))
) STRICT;
