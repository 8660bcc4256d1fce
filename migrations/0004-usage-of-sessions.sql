-- SPDX-License-Identifier: MIT OR Apache-2.0
-- JSON: the sum of the usage of the session's turns. NULL for turns of before: their entries have the agent's object as
-- it came, which is not counted.

ALTER TABLE session ADD COLUMN usage TEXT;
