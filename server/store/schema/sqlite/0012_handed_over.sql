-- What was booked for a conversation or a clip before it was handed over, in
-- nano-USD: the rows stay in the ledger of who paid, and its new owner is told
-- what it has cost. told_returned: the charge came back.

ALTER TABLE conversations ADD COLUMN told_nano_usd  INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN told_estimated INTEGER NOT NULL DEFAULT 0 CHECK (told_estimated IN (0, 1));
ALTER TABLE video_tasks   ADD COLUMN told_nano_usd  INTEGER; -- NULL: nothing was booked
ALTER TABLE video_tasks   ADD COLUMN told_returned  INTEGER NOT NULL DEFAULT 0 CHECK (told_returned IN (0, 1));
