-- What becomes of somebody whose turn passes unused: END or REQUEUE.
ALTER TABLE waiting_queues ADD COLUMN on_expiry varchar(16) COLLATE "C" NOT NULL DEFAULT 'END';

-- Whether a user who has completed may not enter again.
ALTER TABLE waiting_queues ADD COLUMN once boolean NOT NULL DEFAULT false;
