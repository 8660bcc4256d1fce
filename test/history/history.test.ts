// SPDX-License-Identifier: MIT OR Apache-2.0
// Histories by seed, all in this process. AGENTD_HISTORY_SEED runs one of them again, AGENTD_HISTORY_SEEDS=5000 so many.
// @module-tag slow
import { expect, test } from "vitest";
import { runHistory } from "./history.ts";

const one = process.env["AGENTD_HISTORY_SEED"];
const count = Number(process.env["AGENTD_HISTORY_SEEDS"] ?? 200);
const seeds = one === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(one)];
const brokenMax = 5;

test("whatever callers, agents, the broker, the disk, the clock and death do, the log holds what it must", async () => {
  let [deaths, broughtBack, entries] = [0, 0, 0];
  const broken: string[] = [];
  for (const seed of seeds) {
    const history = await runHistory(seed).catch((error: Error) => ({
      faults: [error.stack],
      deaths: 0,
      broughtBack: 0,
      entries: 0,
    }));
    deaths += history.deaths;
    broughtBack += history.broughtBack;
    entries += history.entries;
    if (history.faults.length > 0) broken.push(`AGENTD_HISTORY_SEED=${seed}: ${history.faults.join("\n  ")}`);
    if (broken.length === brokenMax) break;
  }
  console.log(`${seeds.length} histories: ${deaths} deaths, ${broughtBack} sessions brought back, ${entries} entries`);
  expect(broken.join("\n")).toBe("");
}, 3_600_000);
