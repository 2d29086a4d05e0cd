-- How many jobs match, up to the cap.
select count(*) as jobs
from ({branches}) as matching
