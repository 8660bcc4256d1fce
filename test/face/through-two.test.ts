// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd whose agent is `mix agent acp` of another agentd, whose agent is the scripted one: what passes through both logs
// reads as if the scripted agent had been started directly.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import { type EntryOf, openScene, type Scene, startWatched, turnEnd } from "../cases/scene.ts";
import { leftIn } from "../cases/living.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { makePlace } from "../harness/place.ts";
import { scriptedAgent } from "../scripted-agent/agent-files.ts";
import type { JsonObject, Scenario } from "../scripted-agent/scenario.ts";
import { call, chunk, repertoire } from "./repertoire.ts";

const mixProgram = fileURLToPath(new URL("../../dist/bin/mix.cjs", import.meta.url));

const sessionWithModes: JsonObject = {
  modes: {
    currentModeId: "ask",
    availableModes: [
      { id: "ask", name: "Ask" },
      { id: "code", name: "Code", description: "does it" },
    ],
  },
};

const scenario: Scenario = {
  initialize: {
    agentCapabilities: {
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      sessionCapabilities: { close: {} },
    },
  },
  session: sessionWithModes,
  rules: [
    ...Object.entries(repertoire).map(([match, steps]) => ({
      on: "session/prompt",
      match: `"${match}"`,
      do: JSON.stringify(steps.at(-1)).includes("stopReason")
        ? steps
        : [...steps, { reply: { stopReason: "end_turn" } }],
    })),
    {
      on: "session/prompt",
      match: '"may I"',
      do: [
        call("asked", { title: "rm -r build", rawInput: { command: "rm -r build" } }),
        {
          permission: {
            toolCall: {
              toolCallId: "asked",
              title: "rm -r build",
              kind: "execute",
              rawInput: { command: "rm -r build" },
            },
            options: [
              { optionId: "yes", name: "Yes", kind: "allow_once" },
              { optionId: "yes-always", name: "Always", kind: "allow_always" },
              { optionId: "no", name: "No", kind: "reject_once" },
            ],
          },
          answered: {
            "yes-always": [chunk("always then")],
            no: [chunk("not then")],
            cancelled: [chunk("cancelled then")],
          },
        },
        { reply: { stopReason: "end_turn" } },
      ],
    },
    {
      on: "session/prompt",
      match: '"files"',
      do: [
        {
          request: "fs/write_text_file",
          params: { sessionId: "$sessionId", path: "$cwd/w.txt", content: "written\n" },
        },
        { request: "fs/read_text_file", params: { sessionId: "$sessionId", path: "$cwd/w.txt", line: 1, limit: 5 } },
        { request: "fs/read_text_file", params: { sessionId: "$sessionId", path: "$cwd/missing.txt" } },
        { reply: { stopReason: "end_turn" } },
      ],
    },
    {
      on: "session/prompt",
      match: '"terminal"',
      do: [
        { request: "terminal/create", params: { sessionId: "$sessionId", command: "echo", args: ["hi"], cwd: "$cwd" } },
        { request: "terminal/wait_for_exit", params: { sessionId: "$sessionId", terminalId: "$terminalId" } },
        { request: "terminal/output", params: { sessionId: "$sessionId", terminalId: "$terminalId" } },
        { request: "terminal/release", params: { sessionId: "$sessionId", terminalId: "$terminalId" } },
        { reply: { stopReason: "end_turn" } },
      ],
    },
  ],
};

interface TwoDaemons extends AsyncDisposable {
  readonly scene: Scene;
  /** Sessions of the outer agentd in one directory: of the scripted agent itself, and of the other agentd. */
  readonly direct: string;
  readonly through: string;
}

let two: TwoDaemons;
beforeAll(async () => {
  two = await openTwo();
});
afterAll(() => two[Symbol.asyncDispose]());

async function openTwo(): Promise<TwoDaemons> {
  const inner = scriptedAgent(scenario);
  const innerPlace = makePlace();
  const variables = Object.entries(innerPlace.environment).map(([name, value]) => `${name}=${value}`);
  const face = ["env", "-i", ...variables, process.execPath, mixProgram, "agent", "acp", "--agent", "scripted"];
  const scene = await openScene({ scripted: scenario }, { commands: { remote: face } });
  const agents = `[agents.scripted]\ncommand = ${JSON.stringify(inner.command)}\n`;
  writeFileSync(innerPlace.configFile, `roots = [${JSON.stringify(scene.place.root)}]\nbus_tools = false\n${agents}`);
  const { daemon } = await startWatched(innerPlace);
  const close = async (): Promise<void> => {
    await scene[Symbol.asyncDispose]();
    await daemon[Symbol.asyncDispose]();
    const left = await leftIn(innerPlace);
    inner.remove();
    innerPlace[Symbol.dispose]();
    expect(left).toEqual([]);
  };
  const cwd = scene.place.directory();
  const direct = await scene.idle({ cwd });
  const through = await scene.idle({ cwd, agent: "remote" });
  return { scene, direct, through, [Symbol.asyncDispose]: close };
}

/**
 * The entries of a session without what belongs to one log: numbers, times, ids and which agentd closed a call. Pieces of
 * one text are joined, since each agentd cuts them as its pipe brings them; and of several lists of options in a row the
 * last one counts, since a change of the mode is told in two updates.
 */
function whatHappened(entries: readonly Entry[], sessionId: string): unknown[] {
  const ids = new Map<string, string>();
  const numbered = (id: string): string => ids.get(id) ?? (ids.set(id, `#${ids.size + 1}`), ids.get(id)!);
  const result: Record<string, unknown>[] = [];
  for (const entry of entries) {
    if (["command", "reply", "state", "diagnostic"].includes(entry.kind)) continue;
    const { log: _log, session: _session, seq: _seq, at: _at, ...rest } = entry as Entry & Record<string, unknown>;
    const plain = JSON.parse(JSON.stringify(rest).replaceAll(sessionId, "SESSION")) as Record<string, unknown>;
    for (const name of ["turn", "chunks", "now", "expires_at", "intended", "append", "closed_by"]) delete plain[name];
    if (entry.kind === "message") plain["message_id"] = numbered(entry.message_id);
    if (entry.kind === "terminal") plain["terminal"] = numbered(entry.terminal);
    const last = result.at(-1);
    if (last !== undefined && continues(last, plain)) joinText(last, plain);
    else if (entry.kind === "options" && last?.["kind"] === "options") result.splice(-1, 1, plain);
    else result.push(plain);
  }
  return result;
}

function continues(last: Record<string, unknown>, next: Record<string, unknown>): boolean {
  const { content: a, ...before } = last;
  const { content: b, ...after } = next;
  const bothTexts = Object.keys(a ?? {}).join() === "type,text" && Object.keys(b ?? {}).join() === "type,text";
  return last["kind"] === "message" && bothTexts && JSON.stringify(before) === JSON.stringify(after);
}

function joinText(last: Record<string, unknown>, next: Record<string, unknown>): void {
  const textOf = (entry: Record<string, unknown>): string => (entry["content"] as { text: string }).text;
  last["content"] = { type: "text", text: textOf(last) + textOf(next) };
}

async function afterTurn(user: BusUser, session: string, prompt: string, answer?: object): Promise<unknown[]> {
  const before = (await user.get(session)).last_seq;
  const turn = await user.prompt(session, prompt);
  if (answer !== undefined) {
    const { request } = await questionIn(user, session, turn);
    await user.call("agent.permission.answer", { request, ...answer } as never);
  }
  await turnEnd(user, session, turn);
  const log = await user.log(session);
  const entries = log.filter(({ seq }) => seq > before);
  return whatHappened(entries, session);
}

function questionIn(user: BusUser, session: string, turn: number): Promise<EntryOf<"permission">> {
  return user.entry(
    session,
    (entry) => entry.kind === "permission" && entry.phase === "requested" && entry.turn === turn,
  );
}

test.for(Object.keys(repertoire))("%s passes through another agentd unchanged", async (prompt) => {
  const { direct, through } = two;
  const plainly = await afterTurn(two.scene.user, direct, prompt);
  expect(plainly.length).toBeGreaterThan(2);
  expect(await afterTurn(two.scene.user, through, prompt)).toEqual(plainly);
});

test.for(["files", "terminal"])("what the agent does with %s passes through", async (prompt) => {
  const { direct, through } = two;
  const plainly = await afterTurn(two.scene.user, direct, prompt);
  expect(plainly.length).toBeGreaterThan(2);
  expect(await afterTurn(two.scene.user, through, prompt)).toEqual(plainly);
});

test.for([{ option: "yes-always" }, { option: "no" }, { cancelled: true }])(
  "a question that is answered with %o passes through",
  async (answer) => {
    const { direct, through } = two;
    const plainly = await afterTurn(two.scene.user, direct, "may I", answer);
    const kind = { "yes-always": "allow_always", no: "reject_once" }[answer.option ?? ""];
    const passed = await afterTurn(two.scene.user, through, "may I", kind === undefined ? answer : { option: kind });
    expect(textsOf(passed)).toEqual(textsOf(plainly));
    expect(textsOf(passed)).toHaveLength(1);
  },
);

function textsOf(entries: readonly unknown[]): unknown[] {
  return entries.flatMap((entry) => {
    const { kind, role, content } = entry as { kind: string; role?: string; content?: { text?: string } };
    return kind === "message" && role === "agent" ? [content?.text] : [];
  });
}

test("options are set through another agentd", async () => {
  const { direct, through } = two;
  for (const session of [direct, through]) {
    await two.scene.user.call("agent.session.set_config", { session, option: "mode", value: "code" });
  }
  const [plainly, passed] = [await two.scene.user.get(direct), await two.scene.user.get(through)];
  expect(plainly.options[0]).toMatchObject({ option: "mode", value: "code" });
  expect(passed.options).toEqual(plainly.options);
});

test("a prompt's blocks arrive as they were written", async () => {
  const { direct, through } = two;
  const prompt = [
    { type: "text", text: "look" },
    { type: "image", data: "aGk=", mimeType: "image/png" },
    { type: "resource_link", uri: "file:///x.ts", name: "x.ts" },
    { type: "resource", resource: { uri: "file:///y", text: "y" } },
  ];
  for (const session of [direct, through]) {
    const { turn } = await two.scene.user.call<{ turn: number }>("agent.session.prompt", { session, prompt });
    await turnEnd(two.scene.user, session, turn);
    const messages = await two.scene.user.log(session, ["message"]);
    const blocks = messages.flatMap((entry) =>
      entry.kind === "message" && entry.role === "user" && entry.turn === turn ? [entry.content] : [],
    );
    expect(blocks).toEqual(prompt);
  }
});

test("a cancel passes through", async () => {
  const { through } = two;
  const turn = await two.scene.user.prompt(through, "may I");
  await questionIn(two.scene.user, through, turn);
  await two.scene.user.call("agent.session.cancel", { session: through });
  expect(await turnEnd(two.scene.user, through, turn)).toMatchObject({ stop_reason: "cancelled" });
});
