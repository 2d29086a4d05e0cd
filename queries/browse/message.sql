-- What a list needs of a failure text: its beginning; of a long Python traceback its last lines, which
-- say what happened, and of those only whole ones.
case
    when length({detail}) > 2000 and starts_with({detail}, 'Traceback ') then
        'Traceback ...'
        || substring(right({detail}, 2000) from coalesce(nullif(position(E'\n' in right({detail}, 2000)), 0), 2001))
    else left({detail}, 2000)
end
