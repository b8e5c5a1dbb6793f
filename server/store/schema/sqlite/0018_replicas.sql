-- Which of several replicas an answer or a clip under way is of. A folder is one
-- process's, so here it is 0; the columns are there for the statements that both
-- engines share.
ALTER TABLE runs ADD COLUMN holder INTEGER NOT NULL DEFAULT 0;
ALTER TABLE video_tasks ADD COLUMN holder INTEGER NOT NULL DEFAULT 0;
ALTER TABLE leavings ADD COLUMN holder INTEGER NOT NULL DEFAULT 0; -- who goes on with it
