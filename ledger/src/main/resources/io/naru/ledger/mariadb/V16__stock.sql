-- The same as for PostgreSQL, where it is explained; each statement can be repeated (on MySQL, which reads no M! comments, in one go only).
ALTER TABLE waiting_queues ADD COLUMN /*M! IF NOT EXISTS */ stock mediumtext;
