-- One consistent moment, and a transaction that cannot write. Held no longer than the poll.
begin transaction isolation level repeatable read, read only
