-- SPDX-License-Identifier: MIT OR Apache-2.0
-- A name leads to an ended session too, where no live one has it. Newest first is the index itself, backwards.

CREATE INDEX session_name ON session (name) WHERE name IS NOT NULL;
