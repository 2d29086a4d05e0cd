-- Matching jobs of one FROM item, up to the cap.
(
    select 1
    from {source}
    where {where}
    limit %(cap)s + 1
)
