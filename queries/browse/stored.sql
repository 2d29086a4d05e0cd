-- Every column of whatever the FROM item calls j, as text, cut.
(
    select array_agg(array[column_name, left(column_text, %(limit)s + 1)])
    from json_each_text(row_to_json(j)) as columns (column_name, column_text)
)
