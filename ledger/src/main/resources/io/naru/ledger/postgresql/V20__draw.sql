-- What chance has to do with a queue's order, as one JSON text that no statement looks into: its seeds, which are secret until they have
-- decided, and how far the draw of its lobby is. Null where chance has no part in it.
ALTER TABLE waiting_queues ADD COLUMN draw text;

-- The leaves of those who are drawn, in parts, as whoever listed them left them: for each when it joined (8 bytes), the number of its lane
-- (1 byte) and its leaf (32 bytes). draw in the queue says which list was taken; what others kept is deleted a day later, by made_at.
CREATE TABLE draw_leaves (
  queue_id bigint NOT NULL,
  seal_id  text NOT NULL,
  part     integer NOT NULL,
  made_at  bigint NOT NULL,
  leaves   bytea NOT NULL,
  PRIMARY KEY (queue_id, seal_id, part)
);
