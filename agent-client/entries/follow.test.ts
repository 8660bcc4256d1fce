// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import { AgentError } from "../agent-error.ts";
import { follow, positionAfter } from "./follow.ts";
import type { FollowSource } from "./follow.ts";
import { Inbox, waitingMax, waitingTextMax } from "./inbox.ts";

const session = "aaaaaaaaaaaa";

function entry(seq: number): Entry {
  return {
    log: "log1",
    session,
    seq,
    at: "2026-01-01T00:00:00.000Z",
    kind: "message",
    role: "agent",
    message_id: "m",
    content: { type: "text", text: `t${seq}` },
  };
}

/**
 * A log that grows, and a topic that may drop publications. Timers fire only when the follower has nothing else to do.
 */
class ScriptedSource implements FollowSource {
  readonly log: Entry[] = [];
  readonly truncated = new Set<number>();
  pageMax = 3;
  failures = 0;
  pages = 0;
  listening = false;
  #listener: { publication(body: string): void; missed(): void } | undefined;

  listen: FollowSource["listen"] = async (listener) => {
    this.#listener = listener;
    this.listening = true;
    return () => {
      this.listening = false;
    };
  };

  page: FollowSource["page"] = async (_session, after) => {
    this.pages += 1;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new AgentError("UNREACHABLE", "away");
    }
    const from = typeof after === "number" ? after : Number(after.split("/")[2]);
    const entries = this.log.slice(from, from + this.pageMax);
    const last = from + entries.length;
    const shown = entries.map((one) => (this.truncated.has(one.seq) ? cut(one) : one));
    return {
      log: "log1",
      session,
      entries: shown,
      last_seq: this.log.length,
      ...(last < this.log.length ? { next: `log1/${session}/${last}` } : {}),
    };
  };

  piece: FollowSource["piece"] = async (_session, seq, offset) => {
    const whole = JSON.stringify(this.log[seq - 1]);
    return { session, entry: seq, offset, bytes: 7, text: whole.slice(offset, offset + 7), total: whole.length };
  };

  append(count: number): Entry[] {
    const added = Array.from({ length: count }, (_, index) => entry(this.log.length + index + 1));
    this.log.push(...added);
    return added;
  }

  publish(entries: readonly Entry[]): void {
    const first = entries[0];
    const last = entries.at(-1);
    if (first === undefined || last === undefined) return;
    const shown = this.truncated.has(first.seq) ? cut(first) : first;
    this.#listener?.publication(
      JSON.stringify(
        entries.length === 1 ? shown : { log: "log1", session, seq_from: first.seq, seq: last.seq, entries },
      ),
    );
  }

  raw(body: string): void {
    this.#listener?.publication(body);
  }
}

const cut = (one: Entry) => ({
  log: one.log,
  session,
  seq: one.seq,
  kind: one.kind,
  truncated: true as const,
  bytes: 9,
});

/** Timers that fire as soon as no other callback is due. */
const soon = (_ms: number, run: () => void): (() => void) => {
  const timer = setImmediate(run);
  return () => clearImmediate(timer);
};

async function followed(
  source: FollowSource,
  wanted: number,
  rest: {
    after?: number | string;
    onReach?: (reachable: boolean) => void;
    meanwhile?: (seen: number[]) => void;
    delay?: typeof soon;
  } = {},
): Promise<number[]> {
  const seen: number[] = [];
  let clock = 0;
  const entries = follow({
    source,
    session,
    position: positionAfter(rest.after ?? 0, session),
    now: () => (clock += 10),
    after: rest.delay ?? soon,
    ...(rest.onReach === undefined ? {} : { onReachableChange: rest.onReach }),
  });
  for await (const one of entries) {
    seen.push(one.seq);
    if (seen.length >= wanted) break;
    rest.meanwhile?.(seen);
  }
  return seen;
}

const upTo = (count: number, from = 1): number[] => Array.from({ length: count }, (_, index) => from + index);

test("every entry is yielded once and in order, whatever the broker drops, repeats or reorders", async () => {
  const step = fc.record({
    append: fc.integer({ min: 1, max: 5 }),
    fate: fc.constantFrom("published", "dropped", "twice", "late", "one by one"),
    truncated: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, pageMax) => {
        const source = new ScriptedSource();
        source.pageMax = pageMax;
        const late: Entry[][] = [];
        const pending = [...steps];
        const act = (): void => {
          const next = pending.shift();
          if (next === undefined) return;
          const added = source.append(next.append);
          if (next.truncated && added.length === 1 && added[0] !== undefined) source.truncated.add(added[0].seq);
          if (next.fate === "published" || next.fate === "twice") source.publish(added);
          if (next.fate === "twice") source.publish(added);
          if (next.fate === "late") late.push(added);
          if (next.fate === "one by one") for (const one of added) source.publish([one]);
          if (next.fate === "published") for (const old of late.splice(0)) source.publish(old);
        };
        act();
        const total = steps.reduce((sum, { append }) => sum + append, 0);
        // The remaining steps happen while the follower is idle or yields an entry.
        const delay: typeof soon = (ms, run) => soon(ms, () => (act(), run()));
        expect(await followed(source, total, { meanwhile: (seen) => seen.length % 2 === 0 && act(), delay })).toEqual(
          upTo(total),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test("entries that were published without a gap are not read from the log again", async () => {
  const source = new ScriptedSource();
  source.append(1);
  await followed(source, 41, { meanwhile: (seen) => seen.length < 41 && source.publish(source.append(1)) });
  expect(source.pages).toBe(1);
});

test("a batch that begins before the follower's position yields only its new entries", async () => {
  const source = new ScriptedSource();
  source.pageMax = 100;
  const first = source.append(3);
  const seen = await followed(source, 5, {
    meanwhile: (got) => got.length === 3 && source.publish([...first, ...source.append(2)]),
  });
  expect(seen).toEqual(upTo(5));
});

test("an entry that was truncated for the topic is yielded whole", async () => {
  const source = new ScriptedSource();
  source.append(1);
  source.truncated.add(1);
  const entries = follow({ source, session, position: positionAfter(0, session), now: () => 0, after: soon });
  expect((await entries.next()).value).toEqual(entry(1));
  await entries.return();
});

test("a follower that starts at a cursor sees only later entries", async () => {
  const source = new ScriptedSource();
  source.append(9);
  expect(await followed(source, 4, { after: `log1/${session}/5` })).toEqual([6, 7, 8, 9]);
});

test("a cursor of another session is refused", async () => {
  await expect(followed(new ScriptedSource(), 1, { after: "log1/bbbbbbbbbbbb/5" })).rejects.toMatchObject({
    code: "CURSOR_UNKNOWN",
  });
});

test("an unreachable daemon is waited for, and loss and return are reported once each", async () => {
  const source = new ScriptedSource();
  source.append(2);
  source.failures = 4;
  const told: boolean[] = [];
  expect(await followed(source, 2, { onReach: (reachable) => told.push(reachable) })).toEqual([1, 2]);
  expect(told).toEqual([false, true]);
});

test("a daemon that stays unreachable ends the follow with UNREACHABLE", async () => {
  const source = new ScriptedSource();
  source.failures = Infinity;
  let clock = 0;
  const entries = follow({
    source,
    session,
    position: positionAfter(0, session),
    now: () => (clock += 1_000),
    after: soon,
  });
  await expect(entries.next()).rejects.toMatchObject({ code: "UNREACHABLE" });
  expect(source.listening).toBe(false);
});

test("a refusal of the log is not retried", async () => {
  const source = new ScriptedSource();
  source.page = () => Promise.reject(new AgentError("CURSOR_UNKNOWN", "another log"));
  await expect(followed(source, 1)).rejects.toMatchObject({ code: "CURSOR_UNKNOWN" });
});

test("a slow reader misses nothing although the queue is bounded", async () => {
  const source = new ScriptedSource();
  source.pageMax = 500;
  source.append(1);
  const total = waitingMax + 500;
  const flood = (seen: number[]): void => {
    if (seen.length === 1) for (let count = 1; count < total; count += 1) source.publish(source.append(1));
  };
  expect(await followed(source, total, { meanwhile: flood })).toEqual(upTo(total));
});

test("bodies of other sessions, other logs and no valid form are ignored", async () => {
  const source = new ScriptedSource();
  source.append(1);
  const forged = (seen: number[]): void => {
    if (seen.length !== 1) return;
    source.raw("not json");
    source.raw("null");
    source.raw(JSON.stringify({ ...entry(2), session: "bbbbbbbbbbbb" }));
    source.raw(JSON.stringify({ ...entry(2), log: "log2" }));
    source.raw(JSON.stringify({ ...entry(2), seq: "2" }));
    source.raw(JSON.stringify({ log: "log1", session, seq_from: 2, seq: 4, entries: [entry(2), entry(4)] }));
    source.publish(source.append(1));
  };
  expect(await followed(source, 2, { meanwhile: forged })).toEqual([1, 2]);
});

test("the end of a terminal whose output was cut is whole, and not read again", async () => {
  const source = new ScriptedSource();
  const { log, at } = entry(1);
  source.log.push({ log, session, seq: 1, at, kind: "terminal", terminal: "t", phase: "exited", truncated: true });
  source.piece = () => Promise.reject(new Error("the entry is whole"));
  expect(await followed(source, 1)).toEqual([1]);
});

test("the signal ends a waiting follower", async () => {
  const source = new ScriptedSource();
  source.append(1);
  const stop = new AbortController();
  const entries = follow({
    source,
    session,
    position: positionAfter(0, session),
    now: () => 0,
    after: () => () => undefined,
    signal: stop.signal,
  });
  await entries.next();
  const waiting = entries.next();
  stop.abort();
  expect(await waiting).toEqual({ value: undefined, done: true });
  expect(source.listening).toBe(false);
});

test("the queue is bounded by size as well as by number", async () => {
  const inbox = new Inbox();
  const received = { log: "log1", session, seqFrom: 1, seq: 1, entries: [entry(1)] };
  inbox.put(received, waitingTextMax);
  inbox.put({ ...received, seqFrom: 2, seq: 2 }, 1);
  expect(await inbox.take(0, soon)).toBe("missed");
  inbox.put(received, waitingTextMax);
  expect(await inbox.take(0, soon)).toBe(received);
  inbox.put(received, waitingTextMax);
  expect(await inbox.take(0, soon)).toBe(received);
});
