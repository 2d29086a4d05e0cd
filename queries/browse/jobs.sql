-- One page of jobs out of as many FROM items as the states need.
select
    page.*,
    page.sort_key::text as sort_text
from ({branches}) as page
order by page.sort_key {direction}, page.id_key {direction}
limit %(limit)s
