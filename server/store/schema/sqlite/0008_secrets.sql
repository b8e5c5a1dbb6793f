-- The server's own secrets, sealed. They were sessions of nobody's cookie that
-- ended in a hundred years; each is moved here by the hash of its name.
CREATE TABLE secrets (
  name   TEXT PRIMARY KEY,
  sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO secrets (name, sealed) SELECT 'cookie-signing-key', sealed FROM sessions
  WHERE id_hash = x'8570873152011b981970b11726046fb735312c8c10ed56d4b46b6e5a59833f11';
INSERT INTO secrets (name, sealed) SELECT 'sandbox-home', sealed FROM sessions
  WHERE id_hash = x'4fdf99b213cdb17d8b7263cd890384f49a53152672f78cefe5b99cbc7309a484';
DELETE FROM sessions WHERE id_hash IN (
  x'8570873152011b981970b11726046fb735312c8c10ed56d4b46b6e5a59833f11',
  x'4fdf99b213cdb17d8b7263cd890384f49a53152672f78cefe5b99cbc7309a484');
