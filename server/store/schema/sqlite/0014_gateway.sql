-- A key is for one gateway. origin is scheme, host and port of a key's; '' is that
-- of the -gateway that the server is started with next.
ALTER TABLE gateway_keys ADD COLUMN origin TEXT NOT NULL DEFAULT '';
CREATE INDEX gateway_keys_origin ON gateway_keys (origin);

-- gateway is that of the tasks which hold the key, as video_tasks has it.
ALTER TABLE video_keys ADD COLUMN gateway TEXT NOT NULL DEFAULT '';
UPDATE video_keys SET gateway = coalesce((SELECT gateway FROM video_tasks WHERE key = video_keys.n LIMIT 1), '');
