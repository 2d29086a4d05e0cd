"""How one queue's table shows itself: relation, columns, states, actions. Data, never code.

SQL in a mapping is a template:

- ``{table}`` is the job table, quoted and with its schema, ``{name}`` a relation of ``[siblings]``
  likewise, ``{stem}`` a text literal: what ``[signature] table`` leaves of the table's name;
- a literal brace is doubled, and so is a literal percent sign;
- the job table's alias is ``j``: the default FROM item is ``{table} as j``;
- an expression is the canonical value itself, times with their zone. In a predicate a column without
  a zone is best compared as it stands, ``j.run_at <= now() at time zone 'utc'``, for the index's sake.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from queuetop.model.columns import Columns
from queuetop.model.durations import parse_duration
from queuetop.model.states import FailureClass, State

Name = Annotated[str, Meta(min_length=1)]
Value = str | int | bool


class _Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One TOML table: an unknown key is an error."""


class StatusValues(_Table, frozen=True):
    """Stored value → state family. What is due, and whose lease ran out, is derived."""

    waiting: tuple[Value, ...] = ()
    claimed: tuple[Value, ...] = ()
    blocked: tuple[Value, ...] = ()
    succeeded: tuple[Value, ...] = ()
    failed: tuple[Value, ...] = ()
    quarantined: tuple[Value, ...] = ()
    cancelled: tuple[Value, ...] = ()

    def families(self) -> dict[str, tuple[Value, ...]]:
        """The families that have values."""
        return {name: values for name in self.__struct_fields__ if (values := getattr(self, name))}


class FailureClasses(_Table, frozen=True):
    theirs: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()
    unknown_outcome: tuple[str, ...] = ()

    def of(self, kind: str | None) -> FailureClass:
        """The class of a failure kind; ``unclassified`` where no list names it."""
        for name, members in (
            (FailureClass.THEIRS, self.theirs),
            (FailureClass.OURS, self.ours),
            (FailureClass.UNKNOWN_OUTCOME, self.unknown_outcome),
        ):
            if kind in members:
                return name
        return FailureClass.UNCLASSIFIED


class QueueAlarms(_Table, frozen=True):
    """Limits, as durations."""

    oldest_pending: str | None = None
    longest_wait: str | None = None


class Alarms(QueueAlarms, frozen=True):
    """Limits for the whole table; a queue of its own name can have others."""

    queues: dict[str, QueueAlarms] = {}

    def seconds(self, name: str, queue: str | None = None) -> float | None:
        """The limit called ``name`` in seconds, the queue's own first."""
        own = self.queues.get(queue) if queue is not None else None
        text = (getattr(own, name) if own else None) or getattr(self, name)
        return parse_duration(text) if text else None


class Source(_Table, frozen=True):
    """A FROM item for the jobs; the job table's alias in it is ``j``."""

    from_: Name = field(name="from")


class Recent(_Table, frozen=True):
    """Where the jobs that entered a state lately are found by time (a table of events), where the
    state's own rows would all have to be asked. Serves windows in time only, never counts or lists."""

    from_: Name = field(name="from")
    where: Name
    expressions: dict[str, str] = {}


class StateRule(_Table, frozen=True):
    """A predicate that says which rows are in a state, with a FROM item of its own where that is
    cheaper (a table per state). ``expressions`` hold within that FROM item only, and go over the
    mapping's columns and expressions there."""

    where: Name
    from_: Name | None = field(name="from", default=None)
    expressions: dict[str, str] = {}
    recent: Recent | None = None


class QueuesRule(_Table, frozen=True):
    """Where a queue's pause is: a statement's FROM item, the name's expression, the predicate."""

    from_: Name = field(name="from")
    name: Name
    paused: Name


class WorkersRule(_Table, frozen=True):
    """Where workers say that they live: FROM item, name, last heartbeat, and how old it may be."""

    from_: Name = field(name="from")
    name: Name
    heartbeat: str | None = None
    alive_for: str = "60s"
    #: The liveness predicate where no heartbeat says it (an advisory lock).
    alive: str | None = None


class Action(_Table, frozen=True):
    """How an operation is done here: a statement file of the preset, or why it is not."""

    file: str | None = None
    by: Literal["set", "row"] = "set"
    unsupported: str | None = None


class Pickup(_Table, frozen=True):
    """How long a requeued job waits for a worker, since an UPDATE notifies nobody."""

    poll: str = "5s"
    notify: str | None = None


class Keeps(_Table, frozen=True):
    """How long ended jobs stay: ``yes``, ``no`` (deleted at once), or a duration."""

    succeeded: str = "yes"
    failed: str = "yes"
    cancelled: str = "yes"


class Signature(_Table, frozen=True):
    """How a preset knows its table: by columns, never by the name alone."""

    columns: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    #: Names of relations in the same schema that must be there, written as in ``[siblings]``.
    siblings: tuple[str, ...] = ()
    #: Of the status values that the catalogue knows there must be none but these.
    status_values: tuple[str, ...] = ()
    #: The form of the table's name, where the library fixes it: ``q_{stem}``.
    table: str | None = None


class VariantWhen(_Table, frozen=True):
    """What the catalogue must have, all of it."""

    column: str | None = None
    no_column: str | None = None
    #: The type of ``column``, as format_type writes it.
    type: str | None = None
    #: A function's name, in any schema but the system's.
    function: str | None = None
    #: A label of the status column's enum.
    enum_label: str | None = None
    #: A relation in the same schema, written as in ``[siblings]``.
    relation: str | None = None


class Variant(_Table, frozen=True):
    """What differs where the catalogue differs: single keys go over the mapping's own, whole states
    and rules replace theirs. Later variants win."""

    when: VariantWhen
    columns: Columns = Columns()
    expressions: dict[str, str] = {}
    states: dict[State, StateRule] = {}
    unmapped: Name | None = None
    #: States that this variant of the library does not have.
    without_states: tuple[State, ...] = ()
    actions: dict[str, Action] = {}
    workers: WorkersRule | None = None
    queues: QueuesRule | None = None
    siblings: dict[str, str] = {}
    unavailable: dict[str, str] = {}


class Mapping(_Table, frozen=True):
    """A whole mapping, decoded and checked (``decode`` in ``mapping_toml``)."""

    schema: Literal[1]
    name: Name
    about: str = ""
    #: ``schema.table``; presets leave it out and are bound to what detection finds.
    table: str | None = None
    columns: Columns = Columns()
    #: Columns that a table may have or not: taken where it has them.
    optional_columns: Columns = Columns()
    status: StatusValues = StatusValues()
    #: The zone of time columns without a time zone.
    time_zone: str = "UTC"
    #: Which priority goes first, for the "why is it not running" of a pending job.
    priority: Literal["high", "low"] = "high"
    failure_classes: FailureClasses = FailureClasses()
    alarms: Alarms = Alarms()
    source: Source | None = None
    expressions: dict[str, str] = {}
    states: dict[State, StateRule] = {}
    #: The rows in no state, as a predicate over the job table, where states have FROM items of
    #: their own and it cannot be derived.
    unmapped: Name | None = None
    queues: QueuesRule | None = None
    workers: WorkersRule | None = None
    actions: dict[str, Action] = {}
    pickup: Pickup = Pickup()
    keeps: Keeps = Keeps()
    #: Why a canonical column is not there, where the reason is known ("the library deletes …").
    unavailable: dict[str, str] = {}
    signature: Signature | None = None
    #: Names for relations beside the table in the same schema, used in SQL as ``{name}``. In the
    #: value ``{table}`` is the table's bare name and ``{stem}`` what ``[signature] table`` leaves of it.
    siblings: dict[str, str] = {}
    variants: tuple[Variant, ...] = ()

    def has(self, column: str) -> bool:
        """Whether a canonical column is mapped, by name or by expression."""
        return column in self.expressions or getattr(self.columns, column, None) is not None

    def stem(self, table: str) -> str:
        """What ``[signature] table`` leaves of a table's name; the whole name without one."""
        form = self.signature.table if self.signature else None
        return (stem_of(form, table) if form else None) or table


def stem_of(form: str, table: str) -> str | None:
    """What stands in ``table`` for ``{stem}`` in ``form``; None where it has not that form."""
    before, _, after = form.partition("{stem}")
    stem = table[len(before) : len(table) - len(after)]
    return stem if stem and table == before + stem + after else None
