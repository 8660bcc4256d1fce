-- SPDX-License-Identifier: MIT OR Apache-2.0
-- A name also finds an ended session if no live one has it. Newest first is the index in reverse.

CREATE INDEX session_name ON session (name) WHERE name IS NOT NULL;
