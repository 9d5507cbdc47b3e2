-- What the site said last of its stock, as one JSON text: its version, its pools, and since when (microseconds) that is known. Null if it said
-- nothing, or the queue does not go by stock.
ALTER TABLE waiting_queues ADD COLUMN stock text;
