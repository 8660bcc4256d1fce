-- SPDX-License-Identifier: MIT OR Apache-2.0
-- 1: people do not want to see the session in lists any more (`agent.session.forget`). Its entries stay.

ALTER TABLE session ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0 CHECK (forgotten IN (0, 1));
