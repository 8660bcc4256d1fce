// SPDX-License-Identifier: MIT OR Apache-2.0
// Sessions with everything that keeping the log has to deal with, and steps taken to their end at once.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import type { EntryContent } from "../../vocabulary/index.ts";
import type { Log } from "../open.ts";
import type { Secret } from "../secret-search.ts";
import type { Steps } from "../steps.ts";
import type { Verified } from "../verify.ts";
import { fill } from "./temporary-log.ts";

export function taken<T>(steps: Steps<T>, between: () => void = () => {}): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    between();
  }
}

export function verified(log: Log): Promise<Verified> {
  return log.maintenance.verify(() => setImmediate());
}

export function add(log: Log, session: string, ...entries: readonly EntryContent[]): number {
  return log.append([{ session, expectSeq: log.entries.lastSeq(session) ?? 0, entries }])[0]!.seq;
}

export const born: EntryContent = {
  kind: "state",
  state: "starting",
  agent: "demo",
  name: "a name",
  cwd: "/home/someone/src",
  agent_session_id: "agent-1",
};
export const closed: EntryContent = { kind: "state", state: "closed", reason: "stop" };

/** Born, `messages` many messages, closed: two more entries than messages. */
export function endedSession(
  log: Log,
  session: string,
  messages: number,
  text: (index: number) => string = (index) => `message ${index}`,
): void {
  add(log, session, born);
  fill(log, session, messages, text);
  add(log, session, { kind: "info", title: "what it was about" }, closed);
}

/** A command that takes a receipt and is answered at once. */
export function answeredCommand(
  log: Log,
  session: string,
  { scope, commandId, body }: { scope: string; commandId: string; body: string },
): number {
  const seq = (log.entries.lastSeq(session) ?? 0) + 1;
  const verb = "agent.session.prompt";
  const command: EntryContent = { kind: "command", verb, command_id: commandId, by: null, origin: "local", args: {} };
  const reply: EntryContent = { kind: "reply", verb, command_seq: seq, rc: 0, body: {} };
  const hash = log.receipts.hash(verb, {});
  log.append([
    {
      session,
      expectSeq: seq - 1,
      entries: [command, reply],
      receipts: [{ scope, commandId, verb, hash, seq, answer: { rc: 0, body } }],
    },
  ]);
  return seq;
}

export function secretOf(text: string): Secret {
  return { sha256: createHash("sha256").update(text).digest("hex"), length: Buffer.byteLength(text) };
}

/** Names of the files beside the log, itself with them, in whose bytes the text stands. */
export function filesWith(log: Log, text: string): string[] {
  const directory = path.dirname(log.file);
  return readdirSync(directory).filter((name) => readFileSync(path.join(directory, name)).includes(text));
}
