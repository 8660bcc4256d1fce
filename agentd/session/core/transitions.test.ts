// SPDX-License-Identifier: MIT OR Apache-2.0
// docs/session-phases.md shows what `step` does: each input is run in representative states of each phase. To accept a
// changed table: npx vitest run agentd/session/core/transitions.test.ts -u
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { Elicitation } from "../../../acp-client/model.ts";
import type { VerbArguments } from "../../vocabulary/index.ts";
import type { ClientSideInput } from "./client-side/client-side-input.ts";
import type { Command, SessionCommand, SessionInput, Timer, SessionEvent } from "./input.ts";
import type { PendingRequest, Run, SessionState } from "./state.ts";
import { step } from "./step.ts";
import { option, SessionScript, testIdentity } from "./testing/session-script.ts";

type Phase = Run["phase"];

/** Every kind of input. The kinds that say what happened by a member of their own have a row for each. */
type Row =
  | Exclude<SessionInput["type"], "command" | "agent" | "timer" | "client_side">
  | `command: ${SessionCommand["verb"]}`
  | `agent: ${SessionEvent["type"]}`
  | `timer: ${Timer}`
  | `client_side: ${ClientSideInput["type"]}`;

/** Inputs that concern this state: its turn, its requests, its files. */
type InputsFor = (state: SessionState) => readonly SessionInput[];

const form: Elicitation = { mode: "form", message: "Who?", schema: { properties: { name: { type: "string" } } } };
const failure: AgentFailure = { code: "AGENT_PROTOCOL", message: "no" };
const failed = { ok: false, failure } as const;
const unavailable = {
  type: "open_failed",
  failure: { code: "AGENT_UNAVAILABLE", message: "no such program" },
} as const;
const opened = {
  type: "opened",
  identity: testIdentity,
  opened: { sessionId: "its-own", options: [option("mode", "a", "b")] },
} as const;
const editorLeft = { type: "editor_left", citizen: "tester", cancelsTurns: true, isLast: true } as const;
const redact = { sha256: "0".repeat(64), length: 8, dry_run: false };

const inputs: { readonly [R in Row]: InputsFor } = {
  "command: agent.session.prompt": (state) =>
    (["refuse", "queue", "steer"] as const).map((when_busy) =>
      command(state, "agent.session.prompt", { prompt: "p", when_busy }),
    ),
  "command: agent.session.cancel": (state) => [command(state, "agent.session.cancel", {})],
  "command: agent.session.set_config": (state) => [
    command(state, "agent.session.set_config", { option: "mode", value: "b" }),
  ],
  "command: agent.session.close": (state) => [command(state, "agent.session.close", {})],
  "command: agent.session.rename": (state) => [command(state, "agent.session.rename", { name: "new" })],
  "command: agent.session.forget": (state) => [command(state, "agent.session.forget", {})],
  "command: agent.permission.answer": (state) => [
    command(state, "agent.permission.answer", { request: requestIn(state, "permission"), option: "allow_once-0" }),
  ],
  "command: agent.elicitation.answer": (state) => [
    command(state, "agent.elicitation.answer", { request: requestIn(state, "elicitation"), action: "decline" }),
  ],
  "command: agent.login": (state) => [command(state, "agent.login", { agent: "mine" })],
  "command: agent.session.purge": (state) => [command(state, "agent.session.purge", { dry_run: false })],
  "command: agent.log.prune": (state) => [
    command(state, "agent.log.prune", { before: "2026-01-01T00:00:00Z", dry_run: false }),
  ],
  "command: agent.probe": (state) => [command(state, "agent.probe", { agent: "demo", depth: "initialize", env: [] })],
  "command: agent.log.redact": (state) => [command(state, "agent.log.redact", redact)],
  resume: (state) => [resume(state)],
  spawned: () => [{ type: "spawned", process: { pid: 1, start_time: "1", boot_id: "b" } }],
  opened: () => [opened, { ...opened, resumed: "load" }],
  resume_refused: () => [{ type: "resume_refused", method: "resume", failure }],
  not_resumable: () => [{ type: "not_resumable", failure }],
  replay_differs: () => [{ type: "replay_differs", message: "m" }],
  open_failed: () => [{ type: "open_failed", failure }, unavailable],
  option_set: ({ pending }) =>
    [null, ...pending.map(({ seq }) => seq)].flatMap((seq) => [
      { type: "option_set", seq, option: "mode", outcome: { ok: true, value: { options: [] } } },
      { type: "option_set", seq, option: "mode", outcome: failed },
    ]),
  steered: ({ queue, turns }) =>
    [...queue.map(({ turn }) => turn), turns].flatMap((turn) => [
      { type: "steered", turn, outcome: { ok: true, value: "injected" } },
      { type: "steered", turn, outcome: { ok: true, value: "promptRequired" } },
      { type: "steered", turn, outcome: failed },
    ]),
  prompt_done: ({ lastTurn: turn }) => [
    { type: "prompt_done", turn, outcome: { ok: true, value: { stopReason: "end_turn" } } },
    { type: "prompt_done", turn, outcome: failed },
  ],
  "agent: update": () => [
    says({ type: "update", update: { kind: "message", role: "agent", append: true, content: { type: "text" } } }),
  ],
  "agent: permission": () => [
    says({ type: "permission", request: 9, toolCall: { toolCallId: "other", title: "do it" }, options: [] }),
  ],
  "agent: elicitation": () => [says({ type: "elicitation", request: 9, asked: form })],
  "agent: withdrawn": ({ requests }) => requests.map(({ key }) => says({ type: "withdrawn", request: key ?? 0 })),
  "agent: fault": () => [says({ type: "fault", fault: "noise", message: "m", count: 1 })],
  "agent: broken": () => [says({ type: "broken", failure })],
  "agent: exited": () => [says({ type: "exited", exit: { code: 1, signal: null }, stderrTail: "" })],
  "client_side: file_read": () => [
    clientSide({ type: "file_read", key: 9, path: "/work/a", outcome: { ok: true, bytes: 1 } }),
  ],
  "client_side: file_write": () => [clientSide({ type: "file_write", key: 9, path: "/work/a", bytes: 1 })],
  "client_side: file_written": ({ writes }) =>
    writes.map(({ seq }) => clientSide({ type: "file_written", seq, outcome: { ok: true } })),
  "client_side: terminal_create": () => [
    clientSide({ type: "terminal_create", key: 9, command: "ls", args: [], env: [] }),
  ],
  "client_side: terminal_failed": ({ terminals }) =>
    terminals.map(({ terminal }) => clientSide({ type: "terminal_failed", key: 9, terminal, message: "m" })),
  "client_side: terminal_exited": ({ terminals }) =>
    terminals.map(({ terminal }) =>
      clientSide({ type: "terminal_exited", terminal, exitCode: 0, signal: null, tail: "", truncated: false }),
    ),
  "client_side: terminal_kill": ({ terminals }) =>
    terminals.map(({ terminal }) => clientSide({ type: "terminal_kill", key: 9, terminal })),
  "client_side: terminal_release": ({ terminals }) =>
    terminals.map(({ terminal }) => clientSide({ type: "terminal_release", key: 9, terminal })),
  answer_sent: ({ unsent }) => unsent.map(({ request }) => ({ type: "answer_sent", request })),
  people_answered: ({ requests }) =>
    requests.map(({ request, kind }) => {
      const chosen = kind === "permission" ? "allow_once-0" : "decline";
      return { type: "people_answered", request, option: chosen, by: null };
    }),
  people_not_asked: ({ requests }) =>
    requests.map(({ request }) => ({ type: "people_not_asked", request, message: "it is not on the Bus" })),
  command_done: ({ pending }) => pending.map(({ seq }) => ({ type: "command_done", seq, rc: 0, body: {} })),
  editor_attached: () => [{ type: "editor_attached" }],
  editor_left: () => [editorLeft],
  make_room: () => [{ type: "make_room" }],
  start_problem: () => [{ type: "start_problem", title: "untrusted", description: "trust it" }],
  bus_tools_missing: () => [{ type: "bus_tools_missing" }],
  stopped: () => [{ type: "stopped" }],
  "timer: request": ({ requests }) => requests.map(({ request: key }) => ({ type: "timer", timer: "request", key })),
  "timer: cancel": ({ lastTurn }) => [{ type: "timer", timer: "cancel", key: String(lastTurn) }],
  "timer: drain": ({ lastTurn }) => [{ type: "timer", timer: "drain", key: String(lastTurn) }],
  "timer: silence": ({ lastTurn }) => [{ type: "timer", timer: "silence", key: String(lastTurn) }],
  "timer: left": () => [{ type: "timer", timer: "left", key: "" }],
  "timer: idle": () => [{ type: "timer", timer: "idle", key: "" }],
  ended_unlogged: () => [{ type: "ended_unlogged" }],
  log_full: () => [{ type: "log_full" }],
  stop: () => [{ type: "stop" }],
  recover: () => [{ type: "recover", turns: [], openTools: [], processesEnded: 0 }],
};

type Action = (script: SessionScript) => void;

const up: Action = (script) => script.up([["mode", "a", "b"]]);
const upAndResumable: Action = (script) => script.up([["mode", "a", "b"]], { resume: true });
const prompt: Action = (script) => script.prompt("one", "queue");
const cancel: Action = (script) => script.command("agent.session.cancel", { turn: script.state.lastTurn });
const close: Action = (script) => script.command("agent.session.close", {});
const ask: Action = (script) => script.says({ type: "elicitation", request: 2, asked: form });
const put =
  (inputFor: InputsFor): Action =>
  (script) =>
    inputFor(script.state).forEach((input) => script.put(input));
const { stopped, "timer: cancel": forceEnd, "agent: exited": exit } = inputs;

/** Opens one of everything that may be open. */
function openAll(script: SessionScript): void {
  script.command("agent.log.redact", redact);
  script.command("agent.session.set_config", { option: "mode", value: "b" });
  script.tool("tool", "in_progress");
  script.asks(1);
  ask(script);
  for (const row of ["client_side: file_write", "client_side: terminal_create"] as const) put(inputs[row])(script);
}

/** The states of each phase: each of these ways into it, from each of the starts. */
const waysInto: { readonly [P in Phase]: readonly (readonly Action[])[] } = {
  starting: [[], [openAll], [up, close, put(stopped), put((state) => [resume(state)])]],
  idle: [[up], [up, ask], [up, openAll], [up, put(() => [{ ...editorLeft, citizen: "other" }])]],
  turn: [
    [up, prompt],
    [up, prompt, openAll],
    [up, prompt, openAll, cancel],
  ],
  draining: [
    [up, prompt, cancel, put(forceEnd)],
    [upAndResumable, prompt, openAll, cancel, put(forceEnd)],
  ],
  closing: [[up, close], [up, prompt, openAll, close], [put(() => [{ type: "open_failed", failure }])]],
  ended: [[up, close, put(stopped)], [up, prompt, openAll, put(exit)], [put(() => [unavailable])]],
};

const starts: readonly ConstructorParameters<typeof SessionScript>[0][] = [
  {},
  { prompt: "first" },
  { config: { mode: "b" } },
  { config: { mode: "not offered" } },
];

function scriptsIn(phase: Phase): readonly SessionScript[] {
  const scripts = waysInto[phase].flatMap((way) =>
    starts.map((start) => {
      const script = new SessionScript(start);
      for (const act of way) act(script);
      return script;
    }),
  );
  return scripts.filter(({ state }) => state.run.phase === phase);
}

const ignored = "–";

/** Describes what the input does in that phase: the phases that come out, and the errors that refuse it. */
function cell(inputsFor: InputsFor, scripts: readonly SessionScript[]): string {
  const outcomes = scripts.flatMap((script) => inputsFor(script.state).map((input) => outcomeOf(script, input)));
  const order = [ignored, "logged", ...phases];
  const distinct = [...new Set(outcomes)].toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  return distinct.join(", ");
}

function outcomeOf(script: SessionScript, input: SessionInput): string {
  const before = script.state;
  const decision = step(before, input, script.context());
  if (decision.refusal) return `\`${decision.refusal.error_code}\``;
  const { state, entries, effects } = decision;
  if (state.run.phase !== before.run.phase) return state.run.phase;
  const isIgnored = entries.length + effects.length === 0 && isDeepStrictEqual(state, before);
  return isIgnored ? ignored : state.run.phase;
}

const phases = Object.keys(waysInto) as Phase[];

function table(): string {
  const scripts = phases.map((phase) => scriptsIn(phase));
  const rows = Object.entries(inputs).map(([row, inputsFor]) => [
    `\`${row}\``,
    ...scripts.map((ofPhase) => cell(inputsFor, ofPhase)),
  ]);
  const head = ["input", ...phases];
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `|${cells.map((text) => ` ${text} `.replace("  ", " ")).join("|")}|`)
    .join("\n");
}

const page = () => `# The phases of a session

This table is what \`step\` does. A test runs every kind of input in representative states of each phase, and fails when
the table changes (\`agentd/session/core/transitions.test.ts\`).

A column is the phase in which the input arrives; a cell has the phases that come out. The same phase means that
something was logged or done. \`${ignored}\` means that the input is ignored, a code that the command is refused, and an
empty cell that there is nothing in that phase that the input could be about. A session begins in \`starting\`, by
\`agent.session.start\`. A phase is not the state that people see: [glossary](glossary.md).

${table()}
`;

test("every input does in every phase what the table says", async () => {
  await expect(page()).toMatchFileSnapshot("../../../docs/session-phases.md");
});

test("each phase is represented by several states", () => {
  expect(phases.filter((phase) => scriptsIn(phase).length < 3)).toEqual([]);
});

function command<V extends SessionCommand["verb"]>(
  { id: session }: SessionState,
  verb: V,
  args: VerbArguments<V> extends infer A ? (A extends unknown ? Omit<A, "session"> : never) : never,
): SessionInput {
  const head = { by: "tester", origin: "local", caller: 1, redactedArgs: {} };
  return { type: "command", command: { verb, args: { session, ...args }, ...head } as unknown as SessionCommand };
}

function resume({ id: session }: SessionState): SessionInput {
  const args = { session, fresh: false };
  const resumed: Command<"agent.session.resume"> = {
    verb: "agent.session.resume",
    args,
    by: "tester",
    origin: "local",
    caller: 1,
    redactedArgs: {},
  };
  return { type: "resume", command: resumed, directories: { cwd: "/work", additionalDirs: [] } };
}

function says(event: SessionEvent): SessionInput {
  return { type: "agent", event };
}

function clientSide(input: ClientSideInput): SessionInput {
  return { type: "client_side", input };
}

function requestIn({ id, requests }: SessionState, kind: PendingRequest["kind"]): string {
  return requests.find((pending) => pending.kind === kind)?.request ?? `${id}-1`;
}
