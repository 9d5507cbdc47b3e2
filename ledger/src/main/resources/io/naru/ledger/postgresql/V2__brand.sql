-- How a queue's waiting page looks and what it says. A queue that was made before has none of it.
ALTER TABLE waiting_queues ADD COLUMN color text NOT NULL DEFAULT '';
ALTER TABLE waiting_queues ADD COLUMN logo_url text NOT NULL DEFAULT '';
ALTER TABLE waiting_queues ADD COLUMN message text NOT NULL DEFAULT '';
