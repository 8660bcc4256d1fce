-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Queries for one session, or for the few in some state, must not get slower as ended sessions accumulate.

-- A purge shortens the receipts of the session's commands: those of the session, and that of its start, under
-- `instance`.
CREATE INDEX receipt_entry ON receipt (entry);

-- Ended sessions of one state; newest first is the reverse order. Live ones, whose state changes often, are left out.
CREATE INDEX session_ended ON session (state) WHERE state IN ('closed', 'lost', 'failed');

-- Ended sessions with a file write or terminal that has no end in the log: recovery looks for them at every start.
CREATE INDEX session_loose ON session (id)
  WHERE state IN ('closed', 'lost', 'failed')
  AND (json_type(open, '$.writes') IS NOT NULL OR json_type(open, '$.terminals') IS NOT NULL);
