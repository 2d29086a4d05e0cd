"""What the demo's jobs look like: kinds, their payloads, and the ways in which they fail.

Texts are templates, so that the history (filled by PostgreSQL) and the simulation (filled here) speak
alike: ``{n}`` the job's number, ``{amount}``, ``{digits}`` four digits, ``{hex}`` eight, ``{host}`` 1 to 4.
"""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One way to fail. ``final``: repeating cannot help, so the job gives up at once."""

    kind: str
    detail: str
    final: bool = False


@dataclass(frozen=True)
class Kind:
    """One sort of job. ``rate`` of them arrive a second; half run for less than ``typical_s``.

    ``faults`` holds its ways to fail with their weights, and always one that is not final.
    ``limited``: it asks the limits service, which the outage takes away.
    """

    queue: str
    name: str
    rate: float
    typical_s: float
    max_attempts: int
    payload: str
    faults: tuple[tuple[Fault, float], ...]
    limited: bool = False


_TRACEBACK = (
    "\n\nTraceback (most recent call last):\n"
    '  File "/srv/app/worker.py", line 118, in run\n    result = await handler(job)\n'
)

OUTAGE = Fault(
    "EXTERNAL_5XX",
    "HTTP 503 from limits service: upstream limits-{host}.internal did not answer (request {hex})",
)
POISON = Fault(
    "VALIDATION",
    'payout po_{n}: field "creditor.iban" is required, got null (amount {amount} EUR)'
    + _TRACEBACK
    + '  File "/srv/app/payouts.py", line 57, in create\n'
    "    payout = Payout.model_validate(job.payload)\n"
    'ValidationError: payout po_{n}: field "creditor.iban" is required, got null',
    final=True,
)
#: A payout that no attempt can make good.
POISONED = '{"payout": "po_{n}", "amount": {amount}, "creditor": {"name": "Merchant {digits}", "iban": null}}'
POISONED_KIND = "payout.create"

_LIMITS_TIMEOUT = Fault(
    "TIMEOUT", "limits-{host}.internal:8443 gave no answer within 5000 ms for customer cus_{hex}"
)
_CARD = Fault("VALIDATION", "card of pay_{n} ends on 02/24, before the payment date", final=True)
_NO_PAYMENT = Fault("NOT_FOUND", "payment pay_{n} not found in ledger L-{digits}", final=True)
_NO_CUSTOMER = Fault("NOT_FOUND", "customer cus_{hex} has no limits on record", final=True)
_LOST = Fault(
    "UNKNOWN_OUTCOME",
    "connection to acquirer-{host}.example.net lost after the request for pay_{n} was sent; "
    "{amount} EUR may have been captured",
    final=True,
)
_ACQUIRER = Fault("EXTERNAL_5XX", "HTTP 502 from acquirer-{host}.example.net for pay_{n}")
_MAIL = Fault("EXTERNAL_5XX", "smtp-{host}.example.net: 421 4.7.0 try again later (queue {hex})")
_ADDRESS = Fault(
    "VALIDATION",
    "customer{n}@example.com was rejected by smtp-{host}.example.net: 550 5.1.1",
    final=True,
)
_GATEWAY = Fault("TIMEOUT", "sms-gateway-{host}.example.net gave no answer within 10 s")
_NUMBER = Fault("VALIDATION", "+49 151 555{digits} is not a mobile number", final=True)
_HOOK = Fault("TIMEOUT", "POST https://hooks.example.com/m/{hex} gave no answer within 10 s")
_GONE = Fault(
    "NOT_FOUND",
    "HTTP 410 from hooks.example.com for /m/{hex}: endpoint was removed by the merchant",
    final=True,
)
_UNBALANCED = Fault(
    "INTERNAL",
    "ledger L-{digits} does not balance: difference of {amount} EUR at row {n}"
    + _TRACEBACK
    + '  File "/srv/app/reports.py", line 203, in export\n    ledger.assert_balanced()\n'
    "AssertionError: difference of {amount} EUR at row {n}",
)

KINDS = (
    Kind(
        *("payments", "payment.capture", 3.0, 0.9, 5),
        payload='{"payment": {"id": "pay_{n}", "amount": {amount}, "currency": "EUR"}, '
        '"card": {"number": "4242 4242 4242 {digits}", "expires": "11/29"}, "merchant": "shop-{host}"}',
        faults=((OUTAGE, 2), (_LIMITS_TIMEOUT, 2), (_CARD, 3), (_NO_PAYMENT, 2), (_LOST, 3)),
        limited=True,
    ),
    Kind(
        *("payments", "limits.check", 1.8, 0.4, 2),
        payload='{"customer": "cus_{hex}", "amount": {amount}, '
        '"limits": {"daily": 5000, "per_payment": 1000}}',
        faults=((OUTAGE, 2), (_LIMITS_TIMEOUT, 2), (_NO_CUSTOMER, 3)),
        limited=True,
    ),
    Kind(
        *("payments", "refund.create", 0.6, 1.2, 5),
        payload='{"payment": "pay_{n}", "amount": {amount}, "reason": "customer request", '
        '"lines": [{"sku": "A-{digits}", "quantity": 1}]}',
        faults=((_ACQUIRER, 2), (_NO_PAYMENT, 3), (_LOST, 2)),
    ),
    Kind(
        *("payments", "payout.create", 0.5, 1.6, 5),
        payload='{"payout": "po_{n}", "amount": {amount}, '
        '"creditor": {"name": "Merchant {digits}", "iban": "DE02 1203 0000 0000 20{digits}"}}',
        faults=((OUTAGE, 1), (POISON, 3), (_LIMITS_TIMEOUT, 1)),
        limited=True,
    ),
    Kind(
        *("notifications", "receipt.email", 4.0, 0.5, 4),
        payload='{"to": "customer{n}@example.com", "template": "receipt", "locale": "en", '
        '"payment": "pay_{n}"}',
        faults=((_MAIL, 1), (_ADDRESS, 3)),
    ),
    Kind(
        *("notifications", "receipt.sms", 1.5, 0.6, 3),
        payload='{"to": "+49 151 555{digits}", "text": "Payment of {amount} EUR received", '
        '"sender": "SHOP"}',
        faults=((_GATEWAY, 2), (_NUMBER, 1)),
    ),
    Kind(
        *("notifications", "webhook.deliver", 1.5, 0.9, 4),
        payload='{"url": "https://hooks.example.com/m/{hex}", '
        '"headers": {"authorization": "Bearer {hex}{digits}"}, '
        '"event": {"type": "payment.captured", "data": {"id": "pay_{n}", "amount": {amount}}}}',
        faults=((_HOOK, 3), (_GONE, 2)),
    ),
    Kind(
        *("reports", "report.settlement", 0.12, 3.5, 3),
        payload='{"merchant": "shop-{host}", "day": "yesterday", "format": "csv", '
        '"columns": ["payment", "amount", "fee"]}',
        faults=((_UNBALANCED, 1),),
    ),
    Kind(
        *("reports", "report.ledger_export", 0.05, 6.0, 3),
        payload='{"ledger": "L-{digits}", '
        '"target": {"bucket": "ledger-exports", "key": "{hex}.parquet"}}',
        faults=((_UNBALANCED, 1),),
    ),
)

BY_NAME = {kind.name: kind for kind in KINDS}


def fill(template: str, n: int, roll: random.Random) -> str:
    """The template with its marks replaced, as ``queries/demo/history.sql`` does it."""
    return (
        template.replace("{n}", str(n))
        .replace("{amount}", f"{roll.uniform(5, 900):.2f}")
        .replace("{digits}", f"{roll.randrange(10000):04}")
        .replace("{hex}", f"{roll.randrange(2**32):08x}")
        .replace("{host}", str(roll.randrange(1, 5)))
    )
