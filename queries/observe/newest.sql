-- The newest jobs by id, in place of the whole table, where no index serves the whole question.
(select * from {table} as w order by w.{id} desc limit %(window)s) as j
