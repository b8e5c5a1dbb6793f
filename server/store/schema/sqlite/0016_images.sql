-- Images of messages. The same bytes are kept once, by their SHA-256, whoever
-- uses them: who may see one is told by the messages that have it, and, until
-- it was sent, by who has put it into a composer.
CREATE TABLE images (
  n      INTEGER PRIMARY KEY,
  sha256 BLOB    NOT NULL UNIQUE CHECK (length(sha256) = 32),
  type   TEXT    NOT NULL CHECK (type IN ('image/png', 'image/jpeg', 'image/webp', 'image/gif')),
  width  INTEGER NOT NULL,
  height INTEGER NOT NULL,
  bytes  INTEGER NOT NULL,
  data   BLOB    NOT NULL -- the last, so that the others are read without it
) STRICT;

CREATE TABLE message_images (
  message INTEGER NOT NULL REFERENCES messages (n) ON DELETE CASCADE,
  place   INTEGER NOT NULL,
  image   INTEGER NOT NULL REFERENCES images (n),
  PRIMARY KEY (message, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_images_image ON message_images (image, message);

-- What is in a composer and was not sent.
CREATE TABLE image_drafts (
  owner      INTEGER NOT NULL REFERENCES users (n),
  image      INTEGER NOT NULL REFERENCES images (n),
  created_ms INTEGER NOT NULL,
  PRIMARY KEY (owner, image)
) STRICT, WITHOUT ROWID;
CREATE INDEX image_drafts_image ON image_drafts (image);
CREATE INDEX image_drafts_created ON image_drafts (created_ms);

-- An image goes with the last that uses it.
CREATE TRIGGER message_images_gone AFTER DELETE ON message_images BEGIN
  DELETE FROM images WHERE n = old.image
    AND NOT EXISTS (SELECT 1 FROM message_images WHERE image = old.image)
    AND NOT EXISTS (SELECT 1 FROM image_drafts WHERE image = old.image);
END;
CREATE TRIGGER image_drafts_gone AFTER DELETE ON image_drafts BEGIN
  DELETE FROM images WHERE n = old.image
    AND NOT EXISTS (SELECT 1 FROM message_images WHERE image = old.image)
    AND NOT EXISTS (SELECT 1 FROM image_drafts WHERE image = old.image);
END;
