-- A few rows as text, to be shown beside a guessed mapping.
select {columns}
from {table}
limit %(limit)s
