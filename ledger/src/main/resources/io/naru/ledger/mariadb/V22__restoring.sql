-- The same as for PostgreSQL, where it is explained; it can be repeated (on MySQL, which reads no M! comments, in one go only).
ALTER TABLE waiting_queues
  ADD COLUMN /*M! IF NOT EXISTS */ restoring varchar(255) CHARACTER SET ascii COLLATE ascii_bin;
