-- How a queue's waiting page looks and what it says. A queue that was made before has none of it.
ALTER TABLE waiting_queues ADD COLUMN color TEXT NOT NULL DEFAULT '';
ALTER TABLE waiting_queues ADD COLUMN logo_url TEXT NOT NULL DEFAULT '';
ALTER TABLE waiting_queues ADD COLUMN message TEXT NOT NULL DEFAULT '';
