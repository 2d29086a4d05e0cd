-- Where a word is looked for: nothing of this has an index, so it runs inside a stated window only.
(
    strpos(lower({id}), lower({word})) > 0
    or strpos(lower(coalesce({kind}, '')), lower({word})) > 0
    or strpos(lower(coalesce({failure_kind}, '')), lower({word})) > 0
    or strpos(lower(coalesce({idempotency_key}, '')), lower({word})) > 0
    or strpos(lower(left(coalesce({failure_detail}, ''), 20000)), lower({word})) > 0
    or strpos(lower(left(coalesce({payload}, ''), 20000)), lower({word})) > 0
)
