-- SPDX-License-Identifier: MIT OR Apache-2.0
-- What is asked of one session, or of the few that are in some state, must not cost more the more sessions have ended.

-- A purge shortens the receipts of the session's commands, whether they stand with it or, as its start's, with `instance`.
CREATE INDEX receipt_entry ON receipt (entry);

-- Ended sessions of one state, newest first backwards. Live ones, whose state changes with every turn, are not in it.
CREATE INDEX session_ended ON session (state) WHERE state IN ('closed', 'lost', 'failed');

-- Ended, and in the log a file or a terminal has not: what recovery looks for at every start.
CREATE INDEX session_loose ON session (id)
  WHERE state IN ('closed', 'lost', 'failed')
  AND (json_type(open, '$.writes') IS NOT NULL OR json_type(open, '$.terminals') IS NOT NULL);
