// SPDX-License-Identifier: MIT OR Apache-2.0
// Histories by seed with a real agentd that is really killed. AGENTD_HISTORY_SEED runs one of them again, though what
// the machine does in between is no seed's matter; AGENTD_KILLED_SEEDS=200 so many.
// @module-tag slow
import { expect, test } from "vitest";
import { runKilledHistory } from "./killed.ts";

const one = process.env["AGENTD_HISTORY_SEED"];
const count = Number(process.env["AGENTD_KILLED_SEEDS"] ?? 20);
const seeds = one === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(one)];

test.concurrent.each(seeds)(
  "killed three times over in history %i, it keeps what it must",
  { timeout: 240_000 },
  async (seed) => {
    const { faults, entries } = await runKilledHistory(seed);
    expect(faults, `run it again with AGENTD_HISTORY_SEED=${seed}`).toEqual([]);
    expect(entries).toBeGreaterThan(0);
  },
);
