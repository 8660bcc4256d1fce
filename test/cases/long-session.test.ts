// SPDX-License-Identifier: MIT OR Apache-2.0
// A session with a long past costs no more memory than one with a short one: nothing reads all of it at once.
// @module-tag slow
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import { startDaemonProcess } from "../harness/daemon-process.ts";
import { BusUser } from "../harness/bus-user.ts";
import { makeLongSession } from "../harness/long-session.ts";
import { makeCast } from "./scene.ts";

const MiB = 2 ** 20;
const entryBytes = 2_500;

/**
 * Bytes: the most that an agentd of such a session has had, after a look, every page so often, as many resumes and a
 * turn. What both are compared by does the same amount of reading, and so makes the same garbage.
 */
async function peakWith(entries: number, times: number): Promise<number> {
  using cast = makeCast({
    scripted: {
      initialize: { agentCapabilities: { loadSession: true } },
      rules: [{ on: "session/load", do: [{ reply: null }] }],
    },
  });
  const { place } = cast;
  const session = await makeLongSession(place, "scripted", entries, entryBytes);
  await using daemon = await startDaemonProcess(place);
  const user = await BusUser.watching(await daemon.connect());
  const { last_seq } = await user.get(session);
  expect(last_seq).toBeGreaterThan(entries);
  for (let time = 1; time <= times; time += 1) {
    await readAll(user, session, last_seq);
    await user.call("agent.session.resume", { session });
    await user.wait(session, "idle");
    // The agent told nothing of that past: held against all of the log, page by page.
    await expect
      .poll(() => user.seen.filter((entry) => entry.kind === "diagnostic").length, { timeout: 20_000 })
      .toBe(time);
    if (time < times) await user.call("agent.session.close", { session });
    if (time < times) await user.wait(session, "ended");
  }
  await user.prompt(session, "and on");
  await user.wait(session, "idle");
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${daemon.child.pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

async function readAll(user: BusUser, session: string, lastSeq: number): Promise<void> {
  for (let seq = 0; seq < lastSeq;) {
    const page = await user.call<{ entries: Entry[] }>("agent.session.log", { session, after: seq });
    expect(page.entries[0]?.seq).toBe(seq + 1);
    seq = page.entries.at(-1)?.seq ?? lastSeq;
  }
}

test("a past of 20,000 entries and 50 MB is looked at, paged through and resumed in the memory that a short one takes (case 37)", async () => {
  const short = await peakWith(4_000, 5);
  const long = await peakWith(20_000, 1);
  expect(long).toBeLessThan(short + 40 * MiB);
}, 120_000);
