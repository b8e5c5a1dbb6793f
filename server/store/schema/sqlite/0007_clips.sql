-- Deleted clips are listed now, until they go for good.
CREATE INDEX video_tasks_trash ON video_tasks (owner, created_ms DESC, n DESC) WHERE deleted_ms > 0;

-- A clip of several shots was called by its shots, run together; its own prompt
-- was nowhere. The index and what the gallery looks in are written anew by the
-- program, which knows the shots.
UPDATE video_tasks SET prompt = coalesce(
  (SELECT CASE WHEN json_valid(q.body) THEN coalesce(
      nullif(trim(CAST(json_extract(q.body, '$.prompt') AS TEXT)), ''),
      nullif(CAST(json_extract(q.body, '$.multi_prompt[0].prompt') AS TEXT), '')) END
    FROM video_requests q WHERE q.task = video_tasks.n), prompt)
  WHERE mode = 'multi-shot';
INSERT INTO search_todo (owner, conversation, video) SELECT owner, 0, n FROM video_tasks WHERE mode = 'multi-shot';
