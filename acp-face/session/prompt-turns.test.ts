// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { Entry, EntryContent } from "../../agentd/vocabulary/entries.ts";
import type { PromptReply } from "../../agentd/vocabulary/replies.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import { PromptTurns, type PromptTurnsOptions } from "./prompt-turns.ts";

const prompt = { sessionId: "s", blocks: [{ type: "text", text: "hi" }], meta: {} };
const reply = (turn: number): PromptReply => ({ session: "s", seq: 1, turn, queued: false });

/** Turns whose commands the test answers. */
function turnsUnderTest(idsOf: PromptTurnsOptions["idsOf"] = () => undefined) {
  const clock = new ManualClock();
  const sent: { readonly id: string; readonly answer: (reply: PromptReply | AgentError) => void }[] = [];
  const cancels: number[] = [];
  const written: unknown[] = [];
  let ids = 0;
  let runs = true;
  const turns = new PromptTurns({
    clock,
    newCommandId: () => `c${(ids += 1)}`,
    send: (_prompt, { commandId, isWanted }) =>
      new Promise((resolve, reject) => {
        if (!isWanted()) return resolve(undefined);
        const answer = (one: PromptReply | AgentError) => (one instanceof AgentError ? reject(one) : resolve(one));
        sent.push({ id: commandId, answer });
      }),
    sendCancel: async (turn) => void cancels.push(turn),
    isRunning: async () => runs,
    onCancel: () => {},
    closeOpenCalls: (turn) => [{ sessionUpdate: "tool_call_update", toolCallId: `open in ${turn}`, status: "failed" }],
    write: (updates) => void written.push(...updates),
    idsOf,
  });
  let seq = 0;
  /** Takes an entry as a session does. Returns whether it was of an own turn. */
  const log = (content: EntryContent): boolean => {
    const entry = { log: "l", session: "s", seq: (seq += 1), at: "2026-12-01T00:00:00.000Z", ...content } as Entry;
    const isOwn = turns.isOwn(entry);
    turns.ended(entry);
    return isOwn;
  };
  return {
    turns,
    clock,
    sent,
    cancels,
    written,
    purge: () => (runs = false),
    begin: (signal?: AbortSignal) => turns.prompt(prompt, signal ?? new AbortController().signal),
    log,
  };
}

const ended = (turn: number, more: object = {}): EntryContent => {
  return { kind: "turn", turn, phase: "ended", stop_reason: "end_turn", sent: true, ...more };
};
const commandOf = (id: string): EntryContent => {
  return { kind: "command", verb: "agent.session.prompt", command_id: id, by: "acp-a", origin: "local", args: {} };
};
const busy = { rpc: { code: -32602, message: "a turn is already running" } };

test("a turn is known as one's own by its command, before the reply comes", async () => {
  const { begin, log, sent } = turnsUnderTest();
  const result = begin();
  log(commandOf("c1"));
  expect(log({ kind: "turn", turn: 4, phase: "started" })).toBe(true);
  expect(log({ kind: "turn", turn: 3, phase: "started" })).toBe(false);
  log(ended(4, { stop_reason: "max_tokens" }));
  sent[0]?.answer(reply(4));
  expect(await result).toEqual({ stopReason: "max_tokens" });
});

test("an end that comes before the reply, in a log that does not name the command, is not lost", async () => {
  const { begin, log, sent } = turnsUnderTest();
  const result = begin();
  log(ended(7));
  sent[0]?.answer(reply(7));
  expect(await result).toEqual({ stopReason: "end_turn" });
});

test("a second prompt is refused, and after a refusal by agentd the session is free again", async () => {
  const { begin, sent } = turnsUnderTest();
  const first = begin();
  await expect(begin()).rejects.toMatchObject(busy);
  sent[0]?.answer(new AgentError("AGENT_BUSY", "a turn is running"));
  await expect(first).rejects.toMatchObject({ code: "AGENT_BUSY" });
  void begin();
  expect(sent).toHaveLength(2);
});

test("a prompt after a cancel waits for the cancelled one, a further one is refused", async () => {
  const { begin, log, sent, cancels } = turnsUnderTest();
  const abort = new AbortController();
  const first = begin(abort.signal);
  sent[0]?.answer(reply(1));
  await Promise.resolve();
  abort.abort();
  const second = begin();
  await expect(begin()).rejects.toMatchObject(busy);
  expect([cancels, sent.length]).toEqual([[1], 1]);
  log(ended(1, { stop_reason: "cancelled" }));
  expect(await first).toEqual({ stopReason: "cancelled" });
  await new Promise(setImmediate);
  sent[1]?.answer(reply(2));
  log(ended(2));
  expect(await second).toEqual({ stopReason: "end_turn" });
});

test("a cancel before agentd has accepted the prompt is sent afterwards, for that turn", async () => {
  const { begin, sent, cancels } = turnsUnderTest();
  const abort = new AbortController();
  void begin(abort.signal);
  abort.abort();
  expect(cancels).toEqual([]);
  sent[0]?.answer(reply(3));
  await new Promise(setImmediate);
  expect(cancels).toEqual([3]);
});

test("a cancel that the agent ignores is answered after 10 s, with its tool calls closed", async () => {
  const { begin, sent, clock, written } = turnsUnderTest();
  const abort = new AbortController();
  const result = begin(abort.signal);
  sent[0]?.answer(reply(1));
  await new Promise(setImmediate);
  abort.abort();
  clock.advance(10_000);
  expect(await result).toEqual({ stopReason: "cancelled" });
  expect(written).toMatchObject([{ toolCallId: "open in 1", status: "failed" }]);
});

test("after 120 s of silence a turn that agentd does not have any more ends; one that runs goes on", async () => {
  const { begin, sent, clock, purge, log } = turnsUnderTest();
  let result: unknown;
  void begin().then((one) => (result = one));
  sent[0]?.answer(reply(1));
  await new Promise(setImmediate);
  clock.advance(120_000);
  await new Promise(setImmediate);
  clock.advance(60_000);
  log({ kind: "usage", turn: 1, used: 1, size: 2 });
  purge();
  clock.advance(60_000);
  await new Promise(setImmediate);
  expect(result).toBeUndefined();
  clock.advance(60_000);
  await new Promise(setImmediate);
  expect(result).toEqual({ stopReason: "end_turn" });
});

test("a failure is told as text if the agent wrote none, and as facts; a missing login is an error", async () => {
  const { begin, log, sent, written } = turnsUnderTest();
  const failed = { stop_reason: "failed", error: { error_code: "AGENT_ERROR", message: "it broke" } };
  const first = begin();
  sent[0]?.answer(reply(1));
  log(ended(1, failed));
  await new Promise(setImmediate);
  expect(await first).toMatchObject({ stopReason: "end_turn", meta: { agentd: { turn_failure: {} } } });
  expect(written).toMatchObject([{ content: { text: "it broke" } }]);
  const second = begin();
  sent[1]?.answer(reply(2));
  log({ kind: "message", turn: 2, role: "agent", message_id: "m", content: { type: "text", text: "I fail" } });
  log(ended(2, failed));
  await second;
  expect(written).toHaveLength(1);
  const third = begin();
  sent[2]?.answer(reply(3));
  log(ended(3, { stop_reason: "failed", error: { error_code: "AGENT_AUTH", message: "log in" } }));
  await expect(third).rejects.toMatchObject({ rpc: { code: -32000 } });
});

test("the ids that an editor asked for stand beside the facts of a failure", async () => {
  const { begin, log, sent } = turnsUnderTest((turn) => ({ sessionId: "s", turnId: turn }));
  const first = begin();
  sent[0]?.answer(reply(1));
  log(ended(1));
  expect(await first).toEqual({ stopReason: "end_turn", meta: { agentd: { sessionId: "s", turnId: 1 } } });
  const second = begin();
  sent[1]?.answer(reply(2));
  log(ended(2, { stop_reason: "interrupted" }));
  const failure = { terminal_status: "interrupted" };
  expect(await second).toMatchObject({ meta: { agentd: { turn_failure: failure, sessionId: "s", turnId: 2 } } });
});

test("at the end the open prompt is cancelled in agentd and answered; with keepsRunning it is only answered", async () => {
  for (const keepsRunning of [false, true]) {
    const { begin, turns, sent, cancels } = turnsUnderTest();
    const abort = new AbortController();
    const result = begin(abort.signal);
    sent[0]?.answer(reply(1));
    await new Promise(setImmediate);
    const end = turns.end({ keepsRunning });
    abort.abort();
    await end;
    expect(await result).toEqual({ stopReason: "cancelled" });
    expect(cancels).toEqual(keepsRunning ? [] : [1]);
  }
});
