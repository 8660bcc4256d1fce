// SPDX-License-Identifier: MIT OR Apache-2.0
// Many who watch one session: all see the same, also who comes late, and who is slow harms nobody else.
// @module-tag slow
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Step } from "../scripted-agent/scenario.ts";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import { within } from "../harness/deadline.ts";
import { ofKind, openScene, question, turnEnd } from "./scene.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };

test("everybody sees every entry in one order, whoever prompted (case 134)", async () => {
  const paced: Step = { repeat: 30, do: [{ update: { sessionUpdate: "plan", entries: [] } }, { waitMs: 1 }] };
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [paced, { permission: {} }, endTurn] }] },
  });
  const people = [scene.user, await scene.somebody(), await scene.somebody(), await scene.somebody("named")] as const;
  const [editor, terminal, , phone] = people;
  const session = await scene.idle();
  await editor.prompt(session, "go");
  const { request } = await question(terminal, session);
  await phone.call("agent.permission.answer", { request, option: "allow" });
  const log = await (async () => {
    for (const person of people) await turnEnd(person, session);
    return await editor.log(session);
  })();
  for (const person of people) {
    const seen = person.seen.filter((entry) => entry.session === session);
    expect(seen).toEqual(log.slice(0, seen.length));
    expect(seen.length).toBeGreaterThanOrEqual(log.findIndex(({ kind }) => kind === "permission"));
  }
  expect(ofKind(log, "permission").find(({ phase }) => phase === "resolved")).toMatchObject({ by: "named" });
});

test("who comes while a question waits finds it, and follows from there without a gap (case 136)", async () => {
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [{ text: "well" }, { permission: {} }, endTurn] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const asked = await question(user, session);
  const late = await scene.somebody();
  const snapshot = await late.get(session);
  expect(snapshot).toMatchObject({
    state: "waiting",
    running: { turn: 1 },
    requests: [{ request: asked.request, turn: 1, options: [{ option: "allow" }, { option: "reject" }] }],
  });
  await late.call("agent.permission.answer", { request: asked.request, option: "allow" });
  await turnEnd(late, session);
  const rest = await late.call<{ entries: Entry[] }>("agent.session.log", { session, after: snapshot.cursor });
  expect(rest.entries[0]?.seq).toBe(snapshot.last_seq + 1);
  expect(late.seen.find((entry) => entry.session === session)?.seq).toBe(snapshot.last_seq + 1);
  expect(ofKind(rest.entries, "permission").map(({ phase }) => phase)).toEqual(["resolved", "sent"]);
});

test("a reader that stands still slows nobody, and finds by the numbers what it missed (case 139)", async () => {
  await using scene = await openScene({ scripted: {} });
  const { user } = scene;
  const session = await scene.idle();
  // Turn after turn, since what a burst brings travels as one publication: only many fill the broker's queue.
  const prompt = "x".repeat(10_000);
  const perTurnMs = async (from: number, count: number): Promise<number> => {
    const began = performance.now();
    for (let turn = from; turn < from + count; turn += 1) {
      await user.prompt(session, prompt);
      await turnEnd(user, session, turn);
    }
    return (performance.now() - began) / count;
  };
  const alone = await perTurnMs(1, 50);
  const slow = await startReader(scene.daemon.daemon.busUrl());
  try {
    slow.child.kill("SIGSTOP");
    expect(await perTurnMs(51, 400)).toBeLessThan(alone * 4 + 20);
    slow.child.kill("SIGCONT");
    const { last_seq } = await user.get(session);
    // Its queue is full until it has read some: what comes next may be lost as well, but not what comes after.
    const caughtUp = within(20_000, "the reader did not catch up", slow.hasSeen(last_seq + 1));
    let over = false;
    void caughtUp.catch(() => {}).then(() => (over = true));
    while (!over) await user.call("agent.session.cancel", { session });
    await caughtUp;
  } finally {
    slow.child.kill("SIGKILL");
  }
  const seen = slow.seqs();
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  const missed = Array.from(
    { length: (seen.at(-1) ?? 0) - (seen[0] ?? 0) },
    (_, index) => (seen[0] ?? 0) + index,
  ).filter((seq) => !seen.includes(seq));
  expect(missed.length).toBeGreaterThan(0);
  const after = Math.min(...missed) - 1;
  const page = await user.call<{ entries: Entry[] }>("agent.session.log", { session, after, limit: missed.length });
  expect(page.entries[0]?.seq).toBe(missed[0]);
});

test("there is no idle between a turn and the queued one, for those who wait and those who watch (case 140)", async () => {
  await using scene = await openScene({
    scripted: (directory) => ({
      rules: [{ on: "session/prompt", nth: 1, do: [{ text: "hm" }, { waitForFile: `${directory}/go` }, endTurn] }],
    }),
  });
  const { user } = scene;
  const { directory } = scene.agent();
  const session = await scene.idle();
  await user.prompt(session, "one");
  for (const text of ["two", "three"]) await user.prompt(session, text, "queue");
  const waited = user.wait(session, "idle");
  const other = await scene.somebody();
  await other.call("agent.session.get", { session });
  writeFileSync(`${directory}/go`, "");
  const { last_seq } = await waited;
  const log = await user.log(session);
  const end = ofKind(log, "turn").find(({ turn, phase }) => turn === 3 && phase === "ended");
  expect(end?.seq).toBeLessThanOrEqual(last_seq);
  const from = ofKind(log, "turn").find(({ phase }) => phase === "started")?.seq ?? 0;
  const states = ofKind(log, "state").filter(({ seq }) => seq > from);
  expect(states.map(({ state }) => state)).toEqual(["running", "idle"]);
});

interface Reader {
  readonly child: ChildProcess;
  readonly seqs: () => number[];
  hasSeen(seq: number): Promise<void>;
}

/** A subscriber in a process of its own, which can be stopped; it prints the number of each entry it gets. */
async function startReader(busUrl: string): Promise<Reader> {
  const program = fileURLToPath(new URL("./slow-reader.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, busUrl], { stdio: ["ignore", "pipe", "inherit"] });
  const seqs: number[] = [];
  const watchers = new Set<() => void>();
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "ready") resolve();
      else seqs.push(Number(line));
      for (const look of watchers) look();
    });
  });
  await within(10_000, "the reader is not on the Bus", ready);
  return {
    child,
    seqs: () => seqs,
    hasSeen: (seq) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (seqs.some((seen) => seen >= seq)) resolve();
        };
        watchers.add(look);
        look();
      }),
  };
}
