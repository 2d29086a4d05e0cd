-- Between the statements of a batch: what each of them cost on the server.
select clock_timestamp()
