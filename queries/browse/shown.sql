-- A text as it is shown: controls and bidi made visible, cut. Only for a filter that holds such marks.
case
    when length({value}) > {limit} then translate(left({value}, {limit}), %(hidden)s, %(shown)s) || %(cut)s
    else translate({value}, %(hidden)s, %(shown)s)
end
