-- The same as for PostgreSQL, where it is explained; each statement can be repeated (on MySQL, which reads no M! comments, in one go only).
ALTER TABLE waiting_queues
  CHANGE COLUMN /*M! IF EXISTS */ is_active entry_open boolean NOT NULL,
  ADD COLUMN /*M! IF NOT EXISTS */ admission_paused boolean NOT NULL DEFAULT true,
  ADD COLUMN /*M! IF NOT EXISTS */ paused_reason varchar(200) NOT NULL DEFAULT '',
  ADD COLUMN /*M! IF NOT EXISTS */ queue_ended_at bigint NOT NULL DEFAULT 0;

UPDATE waiting_queues SET admission_paused = NOT entry_open;
