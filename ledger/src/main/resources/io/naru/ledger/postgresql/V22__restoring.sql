-- Of a queue that came from another ledger: what it was made from, and how far that is, as one text that no statement looks into.
-- Until it is whole, nothing is decided in it. Null for all others.
ALTER TABLE waiting_queues ADD COLUMN restoring text;
