-- Values of one column among the newest jobs, for completion.
select value, count(*) as jobs
from (
    select left({value}, 301) as value
    from {source}
    {order}
    limit %(cap)s
) as newest
where value is not null
group by value
order by jobs desc, value
limit 200
