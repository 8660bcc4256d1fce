// SPDX-License-Identifier: MIT OR Apache-2.0
// No text of an agent, a service or a caller on the Bus may control the terminal, in whatever field it stands.
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EntryContent } from "../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../agentd/vocabulary/replies.ts";
import { done, refused } from "../bus-client/index.ts";
import { hostileText, hostileTexts, terminalControlsIn } from "../display/testing/hostile-text.ts";
import { Bench, type Ran } from "./testing/command-line-under-test.ts";
import type { ScriptedSession } from "./testing/scripted-session.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

const id = "sessionzzzza";

/** An entry of each kind, with the text in every field that agentd does not write itself. */
function everyEntry(text: string): EntryContent[] {
  const content = { type: "text", text } as const;
  const diff = { type: "diff", path: text, oldText: text, newText: `${text}\n${text}` };
  const option = { option: text, name: text, type: "select", value: text, choices: [{ value: text, name: text }] };
  const command = { kind: "command", verb: "agent.session.cancel", by: text, origin: "local", args: { text } } as const;
  const entries = [
    command,
    {
      kind: "state",
      state: "running",
      reason: text,
      agent_info: { name: text, title: text, version: text },
      cwd: text,
    },
    { kind: "turn", turn: 1, phase: "started" },
    { kind: "message", turn: 1, role: "user", message_id: "u", content },
    { kind: "message", turn: 1, role: "thought", message_id: "t", content },
    { kind: "message", turn: 1, role: "agent", message_id: "a", content },
    { kind: "message", turn: 1, role: "agent", message_id: "b", content: { type: text } },
    {
      kind: "tool_call",
      turn: 1,
      tool_call_id: text,
      title: text,
      tool_kind: text,
      status: "completed",
      content: [diff, { type: "content", content }],
    },
    { kind: "plan", turn: 1, entries: [{ content: text, priority: text, status: text }] },
    { kind: "options", options: [option] },
    { kind: "options", options: [{ ...option, value: `${text}!` }] },
    { kind: "commands", commands: [{ name: text, description: text }] },
    { kind: "info", title: text, updated_at: text },
    { kind: "notice", severity: text, title: text, description: text },
    { kind: "compaction", compaction_id: text, status: text, error: text },
    { kind: "file", turn: 1, op: "write", phase: "refused", path: text, reason: "outside", message: text },
    { kind: "terminal", turn: 1, terminal: text, phase: "started", command: text, args: [text] },
    { kind: "terminal", turn: 1, terminal: text, phase: "exited", exit_code: null, signal: text, tail: text },
    { kind: "terminal", turn: 1, terminal: text, phase: "failed", message: text },
    { kind: "extension", method: text, data: { [text]: text } },
    { kind: "diagnostic", what: text, message: text, sample: text },
    {
      kind: "permission",
      turn: 1,
      request: `${id}-1`,
      phase: "requested",
      tool_call: {
        tool_call_id: text,
        title: text,
        tool_kind: text,
        locations: [{ path: text }],
        content: [diff],
        raw_input: { [text]: text },
      },
      options: [{ option: text, name: text, kind: text }],
      why: text,
      agent_session: text,
    },
    { kind: "permission", turn: 1, request: `${id}-1`, phase: "changed", changed: ["title", "raw_input"] },
    {
      kind: "elicitation",
      turn: 1,
      agent_session: text,
      request: `${id}-2`,
      phase: "requested",
      mode: "form",
      message: text,
      schema: {
        properties: {
          [text]: { type: "string", title: text, description: text, default: text, enum: [text], pattern: text },
        },
      },
    },
    { kind: "elicitation", turn: 1, request: `${id}-3`, phase: "requested", mode: "url", message: text, url: text },
  ];
  return entries as EntryContent[];
}

function hostileSession(session: ScriptedSession, text: string): void {
  session.turns = 1;
  session.append(...everyEntry(text));
}

/** The text as the error of a turn and of the session. */
function fail(session: ScriptedSession, text: string): void {
  const error = { error_code: text, message: text, stderr_tail: text };
  session.append(
    { kind: "permission", turn: 1, request: `${id}-4`, phase: "resolved", outcome: "selected", option: text, by: text },
    { kind: "turn", turn: 1, phase: "ended", stop_reason: text, error } as EntryContent,
    { kind: "state", state: "failed", reason: text, error } as EntryContent,
  );
}

const lists = [
  ["agent", "ls", "--all"],
  ["agent", "show", id],
  ["agent", "log", id],
  ["agent", "log", id, "--tail", "3"],
  ["agent", "export", id],
  ["agent", "permit", "ls"],
  ["agent", "permit", "show", `${id}-1`],
  ["agent", "answer"],
  ["agent", "answer", `${id}-2`, "--show"],
  ["agent", "answer", `${id}-3`, "--show"],
  ["agent", "agents"],
  ["agent", "attach", id],
  ["call", "agent", "agent.session.get", `session="${id}"`],
] as const;

async function everything(text: string): Promise<{ readonly words: readonly string[]; readonly ran: Ran }[]> {
  const option = { option: text, name: text, type: "select", value: text, choices: [{ value: text, name: text }] };
  const agents = [{ agent: text, command: [text], installed: true, version: text, built_in: true }];
  const agentd = await bench.agentd({ replies: { "agent.list": done({ agents }) } });
  const session = agentd.begin(id, { agent: text, cwd: text, name: text });
  session.shown = {
    title: text,
    reason: text,
    policy: text,
    options: [option],
    parent: text,
  } as Partial<SessionSnapshot>;
  hostileSession(session, text);
  const ran: { readonly words: readonly string[]; readonly ran: Ran }[] = [];
  const run = async (words: readonly string[]): Promise<void> => {
    ran.push({ words, ran: await bench.run(words, { tty: true }) });
  };
  const attached = bench.start(["agent", "attach", id], { tty: true });
  await attached.shows("[y/n/1");
  // Prefixed, so that it is not an option's id. A backslash at the end would continue the line.
  attached.type(`not ${text.replaceAll(/\p{C}/gu, "")}.\n`);
  // In the help for what is no answer, and one word, which is not wrapped.
  await attached.shows(":dismiss");
  fail(session, text);
  ran.push({ words: ["attached"], ran: await attached.ended });
  for (const words of lists) for (const mode of [[], ["--json"], ["--quiet"]]) await run([...words, ...mode]);
  await agentd.citizen.stop();
  return ran;
}

test("no verb in any mode writes a foreign control character to a terminal", async () => {
  for (const { words, ran } of await everything(`x${hostileTexts.join("y")}z`)) {
    expect([words, terminalControlsIn(ran.stdout + ran.stderr)]).toEqual([words, []]);
    expect([words, ran.stdout + ran.stderr]).toEqual([words, expect.stringMatching(/\S/)]);
  }
});

test("the same holds for random texts", { tags: "slow" }, async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (text) => {
      for (const { words, ran } of await everything(`x${text}`)) {
        expect([words, terminalControlsIn(ran.stdout + ran.stderr)]).toEqual([words, []]);
      }
    }),
    { numRuns: 5 },
  );
});

test("JSON has the same value on a terminal and in a pipe, and a pipe gets it unescaped", async () => {
  const text = hostileTexts.join(" ");
  const agentd = await bench.agentd();
  hostileSession(agentd.begin(id, { agent: "demo", cwd: text }), text);
  const words = ["agent", "export", id];
  const [seen, piped] = [await bench.run(words, { tty: true }), await bench.run(words)];
  const objects = (out: string): unknown[] =>
    out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  expect(objects(seen.stdout)).toEqual(objects(piped.stdout));
  expect(piped.stdout).toContain("\u009b31m");
  expect(seen.stdout).toContain("\\u009b31m");
});

test("the messages about an answer and a refusal are harmless too", async () => {
  const text = hostileTexts.join(" ");
  const agentd = await bench.agentd({ replies: { "agent.session.cancel": refused("SESSION_STATE", text) } });
  const session = agentd.begin(id);
  session.ask(1, 1);
  const [asked] = session.requests.values();
  if (asked === undefined) throw new Error("nothing is open");
  session.requests.set(asked.request, { ...asked, options: [{ option: text, name: text, kind: "allow_once" }] });
  for (const words of [
    ["agent", "permit", "allow", asked.request],
    ["agent", "cancel", id],
    ["agent", "cancel", id, "--json"],
    ["agent", "show", text],
    [text],
  ]) {
    const { stdout, stderr } = await bench.run(words, { tty: true });
    expect(terminalControlsIn(stdout + stderr)).toEqual([]);
    expect(stderr).toMatch(/\S/);
  }
});
