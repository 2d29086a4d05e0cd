-- The failure kind where no column stores one: the class named in the failure text. A Python traceback
-- names it on its last line, the others on their first. Only the ends of long texts are looked at.
coalesce(
    substring(right({detail}, 2000) from '(?:^|\n)([A-Za-z_][\w.:]*(?:Error|Exception|Failure|Timeout|Refused|Interrupt|Exit))(?:[:\s][^\n]*)?\s*$'),
    substring(left({detail}, 300) from '^([A-Za-z_][\w.:]*(?:Error|Exception|Failure|Timeout|Refused|Interrupt|Exit))(?:[:\s]|$)'),
    substring(left({detail}, 300) from '^([A-Z][A-Za-z0-9_.]{{2,60}})(?::\s|$)')
)
