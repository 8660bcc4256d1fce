// SPDX-License-Identifier: MIT OR Apache-2.0
// Helpers for tests of log maintenance: sessions with all kinds of content, and a runner of steps.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import type { EntryContent, VerifyReply } from "../../vocabulary/index.ts";
import type { Log } from "../open.ts";
import type { Secret } from "../secret-search.ts";
import type { Steps } from "../steps.ts";
import { fill } from "./temporary-log.ts";

export function runToEnd<T>(steps: Steps<T>, between: () => void = () => {}): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    between();
  }
}

export function verified(log: Log): Promise<VerifyReply> {
  return log.maintenance.verify(() => setImmediate());
}

export function appendTo(log: Log, session: string, ...entries: readonly EntryContent[]): number {
  return log.append([{ session, expectSeq: log.entries.lastSeq(session) ?? 0, entries }])[0]!.seq;
}

export const startingState: EntryContent = {
  kind: "state",
  state: "starting",
  agent: "demo",
  name: "a name",
  cwd: "/home/someone/src",
  agent_session_id: "agent-1",
};
export const closedState: EntryContent = { kind: "state", state: "closed", reason: "stop" };

/** Appends a start, `messages` messages, an info and a closed state. */
export function endedSession(
  log: Log,
  session: string,
  messages: number,
  text: (index: number) => string = (index) => `message ${index}`,
): void {
  appendTo(log, session, startingState);
  fill(log, session, messages, text);
  appendTo(log, session, { kind: "info", title: "what it was about" }, closedState);
}

/** Appends a command that takes a receipt and is answered at once. Returns its seq. */
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

/** Returns the names of the files in the log's directory that contain the text. */
export function filesWith(log: Log, text: string): string[] {
  const directory = path.dirname(log.file);
  return readdirSync(directory).filter((name) => readFileSync(path.join(directory, name)).includes(text));
}
