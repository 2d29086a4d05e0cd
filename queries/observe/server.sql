-- Who answers: its clock, version and role, and whether it is a standby.
select
    now() as now,
    current_setting('server_version') as version,
    current_setting('server_version_num')::int as version_num,
    pg_is_in_recovery() as standby,
    current_database() as database,
    current_user as role,
    current_setting('transaction_read_only') as read_only,
    inet_server_port() as port
