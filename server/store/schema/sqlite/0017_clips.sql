-- How clips are found: in order of their price, length and name. The names are
-- those of wire.VideoTask.SortName.
CREATE INDEX video_tasks_price ON video_tasks (owner, price, n) WHERE deleted_ms = 0;
CREATE INDEX video_tasks_seconds ON video_tasks (owner, seconds, n) WHERE deleted_ms = 0;
CREATE INDEX video_tasks_name ON video_tasks (owner, lower(substr(coalesce(nullif(title, ''), prompt), 1, 60)), n) WHERE deleted_ms = 0;
