"""What people call the columns and the states of a queue. The first of two words is the likelier."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: Canonical column → names of it, without the table's own name around them.
COLUMNS: dict[str, tuple[str, ...]] = {
    "id": _words("id job_id task_id uuid uid guid msg_id message_id pk key"),
    "status": _words("status state job_status phase stage status_code status_id"),
    "queue": _words("queue queue_name channel topic lane stream q_name partition"),
    "kind": _words(
        """
        kind task_name job_type task_type job_class class_name task entrypoint
        handler event_type message_type type function func method action name
        """
    ),
    "priority": _words("priority prio importance urgency"),
    "created_at": _words(
        """
        created_at inserted_at enqueued_at created_on created created_date
        created_time create_time enqueue_time enqueue_at queued_at submitted_at
        added_at received_at requested_at date_created ctime creation_time made_at
        """
    ),
    "ready_at": _words(
        """
        run_at scheduled_at available_at next_attempt_at execute_after run_after
        next_run_at next_retry_at retry_at process_after not_before scheduled_for
        due_at start_after execute_at process_at visible_at vt next_try_at
        next_attempt next_run next_retry ready_at scheduled_time schedule_at eta
        """
    ),
    "lease_until": _words(
        """
        lease_until locked_until claimed_until lease_expires_at lock_expires_at
        claim_expires_at visibility_timeout reserved_until leased_until lease_expiry
        lock_until lease_end lock_expiry invisible_until expires_at
        locked_till claimed_till leased_till reserved_till
        """
    ),
    "started_at": _words(
        """
        started_at claimed_at locked_at picked_at attempted_at reserved_at
        performed_at started_on started start_time processing_started_at begun_at
        leased_at last_attempt_at executed_at dequeued_at
        """
    ),
    "finished_at": _words(
        """
        finished_at completed_at done_at ended_at finalized_at processed_at
        completed_on finished_on completed finished finish_time end_time
        succeeded_at resolved_at sent_at published_at delivered_at closed_at
        """
    ),
    "failed_at": _words(
        """
        failed_at errored_at discarded_at dead_at failed_on failure_time
        last_failed_at error_at last_error_at given_up_at
        """
    ),
    "attempts": _words(
        """
        attempts attempt retry_count tries retries attempt_count try_count
        num_attempts num_retries error_count failures failure_count retried
        attempts_count executions_count delivery_count read_ct attempt_no
        """
    ),
    "max_attempts": _words(
        """
        max_attempts max_retries retry_limit max_tries attempts_max max_attempt
        attempt_limit retries_max max_retry_count
        """
    ),
    "requeues": _words("requeues requeue_count requeued manual_retries"),
    "worker": _words(
        """
        worker worker_id worker_name locked_by claimed_by taken_by owner
        processed_by picked_by leased_by reserved_by attempted_by node host hostname
        instance lock_owner consumer executor
        """
    ),
    "failure_kind": _words(
        """
        failure_kind error_code error_kind error_type error_class failure_code
        failure_type exception_class exception_type failure_reason_code exception
        """
    ),
    "failure_detail": _words(
        """
        failure_detail last_error error_message error failure_reason error_detail
        failure_message last_error_message exception_message error_text errors
        traceback stacktrace stack_trace failure message_error err
        """
    ),
    "payload": _words(
        """
        payload args arguments params parameters data body message input job_data
        kwargs content context properties details event
        """
    ),
    "idempotency_key": _words(
        """
        idempotency_key dedup_key dedupe_key unique_key external_id request_id
        deduplication_id idempotency_token correlation_id
        """
    ),
    "result_key": _words("result_key result_id result_ref result"),
}

#: Names that could as well mean something else.
DOUBTFUL_COLUMNS = frozenset(
    _words(
        """
        action closed_at completed content context correlation_id details
        error_count event exception executed_at expires_at external_id failure
        failures finished function host hostname instance key message method name
        node owner partition phase pk properties received_at request_id requested_at
        result retried stage started status_id type
        """
    )
)

#: A boolean column that says whether the work is done.
FLAGS = _words("done processed finished completed sent published is_done is_processed handled")

#: State family → stored values that mean it. A word stands in one family only.
STATUSES: dict[str, tuple[str, ...]] = {
    "waiting": _words(
        """
        new pending queued todo waiting ready created scheduled enqueued available
        open submitted retry retrying retryable retry_wait to_do delayed deferred
        initial init backlog unprocessed not_started idle requested received wait
        to_retry awaiting_retry not_processed planned
        """
    ),
    "claimed": _words(
        """
        running processing in_progress inprogress active doing claimed started
        working executing picked locked leased reserved taken busy wip in_process
        sending assigned acquired in_flight inflight ongoing
        """
    ),
    "blocked": _words(
        """
        blocked waiting_for_dependency dependent wait_dependencies waiting_children
        """
    ),
    "succeeded": _words(
        """
        done succeeded success successful complete completed finished ok processed
        sent published delivered closed resolved passed finalized executed fulfilled
        settled
        """
    ),
    "failed": _words(
        """
        failed failure error errored dead exception discarded exhausted crashed
        timed_out timeout fatal abandoned dead_letter undeliverable gave_up bounced
        failed_permanently permanently_failed dlq expired ko
        """
    ),
    "quarantined": _words("quarantined quarantine poison poisoned rejected invalid parked"),
    "cancelled": _words(
        """
        cancelled canceled aborted revoked skipped deleted stopped withdrawn killed
        ignored obsolete superseded
        """
    ),
}

#: Words that could as well mean something else.
DOUBTFUL_STATUSES = frozenset(
    _words(
        """
        abandoned active assigned closed created deleted expired idle ignored
        invalid locked ok open parked ready received rejected requested resolved
        retry retryable retrying scheduled settled stopped taken
        """
    )
)

#: Words in a table's name that speak for a queue.
TABLES = frozenset(
    _words(
        """
        command commands deliveries delivery event events inbox job jobs message
        messages outbox queue queues retry task tasks webhook webhooks work
        """
    )
)
