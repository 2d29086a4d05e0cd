-- The values of a column in whatever rows come first: for a table without statistics.
select value, count(*) as jobs
from (select {column}::text as value from {table} limit 5000) as first_rows
where value is not null
group by value
order by jobs desc, value
limit 100
