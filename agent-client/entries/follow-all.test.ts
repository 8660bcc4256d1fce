// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import { type AllSource, followAll, type Position } from "./follow.ts";

/** Sessions that grow and a topic that may drop publications. Timers fire as soon as no other callback is due. */
class ScriptedLog implements AllSource {
  readonly logs = new Map<string, Entry[]>();
  readonly ended = new Set<string>();
  readonly lists: string[] = [];
  #listener: { publication(body: string): void; missed(): void } | undefined;

  listen: AllSource["listen"] = async (listener) => {
    this.#listener = listener;
    return () => undefined;
  };

  page: AllSource["page"] = async (session, after) => {
    const from = typeof after === "number" ? after : Number(after.split("/")[2]);
    const entries = (this.logs.get(session) ?? []).slice(from);
    return { log: "log1", session, entries, last_seq: from + entries.length };
  };

  piece: AllSource["piece"] = () => Promise.reject(new Error("no entry is that long"));

  sessions: AllSource["sessions"] = async (which) => {
    this.lists.push(which);
    const all = [...this.logs].filter(
      ([session]) => session !== "instance" && (which === "all" || !this.ended.has(session)),
    );
    return all.map(([session, log]) => {
      return { session, state: this.ended.has(session) ? "closed" : "running", last_seq: log.length };
    });
  };

  add(session: string, isPublished: boolean): void {
    const log = this.logs.get(session) ?? [];
    const head = { log: "log1", session, seq: log.length + 1, at: "2026-01-01T00:00:00.000Z" };
    const entry: Entry = { ...head, kind: "notice", severity: "info", title: "x" };
    this.logs.set(session, [...log, entry]);
    if (isPublished) this.#listener?.publication(JSON.stringify(entry));
  }
}

function start(source: ScriptedLog, positions = new Map<string, Position>()) {
  const stop = new AbortController();
  const seen: string[] = [];
  const done = (async () => {
    const options = { source, positions, now: () => 0, after: soon, signal: stop.signal };
    for await (const { session, seq } of followAll(options)) seen.push(`${session} ${seq}`);
  })();
  return { seen, positions, stop: () => (stop.abort(), done) };
}

function soon(_ms: number, run: () => void): () => void {
  const timer = setImmediate(run);
  return () => clearImmediate(timer);
}

/** Resolves after the follower has looked many times. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("sessions are followed from now on, new ones and named ones from their place, whatever the Bus drops", async () => {
  const source = new ScriptedLog();
  for (const session of ["old", "old", "named", "named", "named"]) source.add(session, false);
  const { seen, positions, stop } = start(source, new Map([["named", { log: "log1", seq: 1 }]]));
  await settled();
  expect(seen).toEqual(["named 2", "named 3"]);
  source.add("old", true);
  source.add("new", false);
  source.add("new", true);
  await settled();
  expect(seen.slice(2)).toEqual(["old 3", "new 1", "new 2"]);
  source.add("old", false);
  source.ended.add("old");
  await settled();
  expect(seen.slice(5)).toEqual(["old 4"]);
  await stop();
  expect(positions.get("old")).toEqual({ log: "log1", seq: 4 });
  expect(source.lists.filter((which) => which === "all")).toHaveLength(1);
});

test("what concerns no session is followed from now on", async () => {
  const source = new ScriptedLog();
  source.add("instance", false);
  const { seen, stop } = start(source);
  await settled();
  source.add("instance", true);
  await settled();
  source.add("instance", false);
  source.add("instance", true);
  await settled();
  await stop();
  expect(seen).toEqual(["instance 2", "instance 3", "instance 4"]);
});

test("each entry of each session comes once and in order", async () => {
  const add = fc.record({ session: fc.constantFrom("a", "b", "c"), isPublished: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(add, { maxLength: 30 }), async (adds) => {
      const source = new ScriptedLog();
      const { seen, stop } = start(source);
      await settled();
      for (const { session, isPublished } of adds) source.add(session, isPublished);
      await settled();
      await stop();
      for (const [session, log] of source.logs) {
        const own = seen.filter((one) => one.startsWith(session));
        expect(own).toEqual(log.map(({ seq }) => `${session} ${seq}`));
      }
    }),
    { numRuns: 20 },
  );
});
