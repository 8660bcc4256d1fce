-- SPDX-License-Identifier: MIT OR Apache-2.0
-- JSON: the sum of the usage of the session's turns; NULL until a turn is counted. Turns from before this migration are
-- not counted, because their entries have the agent's own object.

ALTER TABLE session ADD COLUMN usage TEXT;
