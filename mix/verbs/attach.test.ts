// SPDX-License-Identifier: MIT OR Apache-2.0
import { EventEmitter, once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EntryContent, ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { Bench } from "../testing/command-line-under-test.ts";
import type { ScriptedAgentd } from "../testing/scripted-agentd.ts";
import type { ScriptedSession } from "../testing/scripted-session.ts";
import { says } from "../testing/words.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("attach shows the last turn and an open question to a person who attaches late", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  session.turns = 2;
  session.append({ kind: "turn", turn: 1, phase: "started" });
  session.text(1, "long ago");
  session.endTurn(1);
  session.append({ kind: "message", turn: 2, role: "user", message_id: "u", content: { type: "text", text: "do it" } });
  session.append({ kind: "turn", turn: 2, phase: "started" }, { kind: "state", state: "running" });
  session.ask(2, 1);
  const running = bench.start(["agent", "attach", "sessionz"]);
  await running.shows("permit allow sessionzzzza-1");
  running.interrupt();
  const ran = await running.ended;
  expect(ran.stdout).toContain("> do it");
  expect(ran.stdout).not.toContain("long ago");
});

/** A session that has had turns, each with one word. */
async function withTurns(...words: readonly string[]): Promise<void> {
  const agentd = await bench.agentd({ onPrompt: says("new") });
  const session = agentd.begin("sessionzzzza");
  for (const [index, word] of words.entries()) {
    session.append({ kind: "turn", turn: index + 1, phase: "started" });
    session.text(index + 1, word);
    session.endTurn(index + 1);
  }
  session.turns = words.length;
}

test("attach says how many turns came before, and :history shows them, all or the last ones", async () => {
  await withTurns("oldest", "older", "last");
  const running = bench.start(["agent", "attach", "sessionz"], { tty: true, env: { NO_COLOR: "1" } });
  await running.shows("2 turns came before this one · :history shows them");
  await running.shows("turn 3 done");
  await running.shows("> ");
  running.type(":history 1\n");
  await running.shows("turn 2 ends here · turn 3 is above");
  running.type(":history\n");
  await running.shows("oldest");
  running.type("go on\n");
  await running.shows("turn 4 done");
  running.type(":detach\n");
  const { stdout } = await running.ended;
  expect(stdout.match(/oldest|older|last|new/g)).toEqual(["last", "older", "oldest", "older", "new"]);
});

test.each([
  [
    ["--turns", "2"],
    ["older", "last"],
    "1 turn came before this one · mix agent show sessionzzzza --transcript shows all",
  ],
  [["--all"], ["oldest", "older", "last"], undefined],
  [["--turns", "9"], ["oldest", "older", "last"], undefined],
])("attach %j begins there", async (flags, wanted, notice) => {
  await withTurns("oldest", "older", "last");
  const running = bench.start(["agent", "attach", "sessionz", ...flags]);
  await running.shows("turn 3 done");
  running.interrupt();
  const { stdout, stderr } = await running.ended;
  expect(stdout.match(/oldest|older|last/g)).toEqual(wanted);
  expect(/^.* came before .*$/m.exec(stderr)?.[0]).toBe(notice);
});

test("a line typed while attached is a prompt, and :detach leaves the session running", async () => {
  const agentd = await bench.agentd({ onPrompt: says("done so") });
  agentd.begin("sessionzzzza").append({ kind: "state", state: "idle" });
  const running = bench.start(["agent", "attach", "sessionz"], { tty: true });
  await running.shows("> ");
  running.type("/compact now\n");
  await running.shows("turn 1 done");
  running.type(":detach\n");
  expect((await running.ended).code).toBe(0);
  expect(agentd.asked).toContainEqual([
    "agent.session.prompt",
    { session: "sessionzzzza", prompt: "/compact now", when_busy: "queue" },
  ]);
});

test("attach ends when its session closes", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  const running = bench.start(["agent", "attach", "sessionz"]);
  await running.shows("session sessionzzzza");
  session.shown = { agent_session_id: "a", capabilities: { load: true } };
  session.append({ kind: "state", state: "closed", reason: "asked" });
  const { code, stderr } = await running.ended;
  expect(code).toBe(0);
  expect(stderr.split("\n").slice(1)).toEqual(['to come back: mix agent send sessionzzzza "…"', ""]);
});

test("an error that the end of a turn told is not told again with the end of the session", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  session.append({ kind: "turn", turn: 1, phase: "started" }, { kind: "state", state: "running" });
  const running = bench.start(["agent", "attach", "sessionz"], { tty: true });
  await running.shows("running");
  const error = { error_code: "AGENT_EXITED", message: "exit 1" } as const;
  session.append(
    { kind: "turn", turn: 1, phase: "ended", stop_reason: "interrupted", error },
    { kind: "state", state: "failed", error },
  );
  const { code, stdout, stderr } = await running.ended;
  expect(code).toBe(1);
  expect(times(stdout + stderr, "AGENT_EXITED")).toBe(1);
});

test("pasted lines are one prompt, not several", async () => {
  const agentd = await bench.agentd({ onPrompt: says("done so") });
  agentd.begin("sessionzzzza").append({ kind: "state", state: "idle" });
  const running = bench.start(["agent", "attach", "sessionz"], { tty: true });
  await running.shows("> ");
  running.type("first line\nsecond line\n");
  await running.shows("turn 1 done");
  running.interrupt();
  await running.ended;
  const prompts = agentd.asked.filter(([verb]) => verb === "agent.session.prompt").map(([, args]) => args["prompt"]);
  expect(prompts).toEqual(["first line\nsecond line"]);
});

const answersOf = ({ asked }: ScriptedAgentd) =>
  asked.filter(([verb]) => verb === "agent.permission.answer" || verb === "agent.elicitation.answer");
const promptsOf = ({ asked }: ScriptedAgentd) =>
  asked.filter(([verb]) => verb === "agent.session.prompt").map(([, args]) => args["prompt"]);

test("lines typed before a question appeared do not answer it, and the person is told", async () => {
  const agentd = await bench.agentd({ onAnswer: (session) => session.endTurn(1) });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true });
  await running.shows("is ready");
  running.type("1\n2");
  agentd.session("sessionaaaaa").ask(1, 1);
  await running.shows("allow edit Write a.txt? [y/n/1–2] ");
  await running.shows("ignored (typed before this question): 1");
  expect(answersOf(agentd)).toEqual([]);
  running.type("2\n");
  expect((await running.ended).code).toBe(0);
  expect(answersOf(agentd)).toEqual([["agent.permission.answer", { request: "sessionaaaaa-1", option: "no" }]]);
});

test("a line typed before a form appeared does not fill it in", async () => {
  const agentd = await bench.agentd({ onAnswer: (session) => session.endTurn(1) });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true });
  await running.shows("is ready");
  running.type("Early\n");
  agentd.session("sessionaaaaa").askForm(1, 1, { schema: { properties: { name: { type: "string" } } } });
  await running.shows("question): Early");
  await running.shows("\rWho are you? answer: ");
  running.type("Ann\n");
  await running.ended;
  expect(answersOf(agentd).map(([, args]) => args["content"])).toEqual([{ name: "Ann" }]);
});

test("a line entered just as a question comes is the prompt it was typed as, not an answer", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  session.append({ kind: "turn", turn: 1, phase: "started" }, { kind: "state", state: "running" });
  const running = bench.start(["agent", "attach", "sessionz"], { tty: true });
  await running.shows("running ");
  session.ask(1, 1);
  running.type("1\n");
  await running.shows("allow edit Write a.txt? [y/n/1–2] ");
  running.type(":detach\n");
  await running.ended;
  expect(answersOf(agentd)).toEqual([]);
  expect(promptsOf(agentd)).toEqual(["1"]);
});

test("an answer entered twice at once answers one question, not the next one too", async () => {
  const agentd = await bench.agentd({ onPrompt: (session, turn) => [1, 2].forEach((one) => session.ask(turn, one)) });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true });
  await running.shows("allow edit Write a.txt (1 of 2)? [y/n/1–2] ");
  running.type("1\n");
  setImmediate(() => running.type("1\n"));
  await running.shows("ignored (typed after that question closed): 1");
  running.type(":detach\n");
  await running.ended;
  expect(answersOf(agentd).map(([, args]) => args["request"])).toEqual(["sessionaaaaa-1"]);
});

test.each([
  ["attach", ["agent", "attach", "sessiona"]],
  ["start", ["agent", "start", "demo", "x"]],
])(
  "%s: a line typed while one question replaces another answers neither, and the person is told",
  async (verb, words) => {
    const agentd = await bench.agentd({
      onPrompt: (session, turn) => session.ask(turn, 1),
      onAnswer: (session) => session.endTurn(1),
    });
    if (verb === "attach") agentd.begin("sessionaaaaa").ask(1, 1);
    const running = bench.start(words, { tty: true });
    await running.shows("allow edit Write a.txt? [y/n/1–2] ");
    const session = agentd.session("sessionaaaaa");
    session.takeBack(1, 1);
    session.ask(1, 2);
    // The first one's end is shown, and the second is not shown yet.
    await running.shows("→ cancelled: edit Write a.txt");
    running.type("1\n");
    // The second one's line is drawn again below the message.
    await running.shows("): 1\n\rallow edit Write a.txt? [y/n/1–2] ");
    running.type("2\n");
    await running.shows("→ refused: edit Write a.txt (by ");
    // A followed turn ends by itself.
    running.type(":detach\n");
    expect((await running.ended).code).toBe(0);
    expect(answersOf(agentd)).toEqual([["agent.permission.answer", { request: "sessionaaaaa-2", option: "no" }]]);
  },
);

/** Returns the position of each text in the output. */
const places = (text: string, ...parts: readonly string[]): number[] => parts.map((part) => text.indexOf(part));
const times = (text: string, part: string): number => text.split(part).length - 1;

test("two questions that come at once are asked one after the other, each shown whole above its line", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => {
      session.ask(turn, 1, { tool_call: { tool_call_id: "t1", title: "npm run build", tool_kind: "execute" } });
      session.ask(turn, 2, { tool_call: { tool_call_id: "t2", title: "rm -rf ~", tool_kind: "execute" } });
    },
    onAnswer: (session, request) => {
      if (request.endsWith("-2")) session.endTurn(1);
    },
  });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true, env: { NO_COLOR: "1" } });
  await running.shows("allow execute npm run build (1 of 2)? [y/n/1–2] ");
  running.type("no\n");
  await running.shows("allow execute rm -rf ~ (2 of 2)? [y/n/1–2] ");
  running.type("y\n");
  const { stdout } = await running.ended;
  expect(answersOf(agentd)).toEqual([
    ["agent.permission.answer", { request: "sessionaaaaa-1", option: "no" }],
    ["agent.permission.answer", { request: "sessionaaaaa-2", option: "yes" }],
  ]);
  const order = places(
    stdout,
    "? allow: npm run build (execute)",
    "→ refused: execute npm run build (1 of 2) (by ",
    "? allow: rm -rf ~ (execute)",
    "→ allowed: execute rm -rf ~ (2 of 2) (by ",
  );
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(order).not.toContain(-1);
});

test("a form and a permission wait for each other like two questions of one kind", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => {
      session.askForm(turn, 1, { schema: { properties: { name: { type: "string" } } } });
      session.ask(turn, 2);
    },
    onAnswer: (session, request) => {
      if (request.endsWith("-2")) session.endTurn(1);
    },
  });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true, env: { NO_COLOR: "1" } });
  await running.shows("Who are you? (1 of 2) answer: ");
  running.type("Ann\n");
  await running.shows("allow edit Write a.txt (2 of 2)? ");
  running.type("n\n");
  const { stdout } = await running.ended;
  expect(answersOf(agentd).map(([, args]) => args["request"])).toEqual(["sessionaaaaa-1", "sessionaaaaa-2"]);
  expect(stdout).toContain('→ answered: Who are you? (1 of 2): {"name":"Ann"}');
});

test("a waiting question that ends is reported in one line, and the current question is shown below it again", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => [1, 2].forEach((one) => session.ask(turn, one)),
    onAnswer: (session) => session.endTurn(1),
  });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true, env: { NO_COLOR: "1" } });
  await running.shows("(1 of 2)? [y/n/1–2] ");
  agentd.session("sessionaaaaa").takeBack(1, 2);
  await running.shows("→ cancelled: edit Write a.txt (2 of 2) (the agent withdrew it)\n? allow: Write a.txt (edit)");
  running.type("n\n");
  const { stdout } = await running.ended;
  expect(answersOf(agentd).map(([, args]) => args["request"])).toEqual(["sessionaaaaa-1"]);
  expect(stdout).not.toContain("permit allow sessionaaaaa-2");
});

test("a question scrolled away by output is shown whole again above its line, but not once per message", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => session.ask(turn, 1),
    onAnswer: (session) => session.endTurn(1),
  });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true, env: { NO_COLOR: "1" } });
  await running.shows("[y/n/1–2] ");
  for (const word of ["meanwhile ", "I ", "go on.\n"]) agentd.session("sessionaaaaa").text(1, word);
  await running.shows("meanwhile I go on.\n\n? allow: Write a.txt (edit)");
  await running.shows("[y/n/1–2] \u001b[K\u001b[35G\r\u001b[K\rallow edit");
  running.type("n\n");
  const { stdout } = await running.ended;
  expect(times(stdout, "? allow: Write a.txt")).toBe(2);
});

/** Makes the agent change the tool call of its question to another one while the question is open. */
function changeCall(session: ScriptedSession, number: number, call: Partial<ToolCallFields>): EntryContent[] {
  const changed = Object.keys(call);
  return [
    { kind: "tool_call", turn: 1, tool_call_id: `t${number}`, ...call },
    { kind: "permission", turn: 1, request: `${session.id}-${number}`, phase: "changed", changed },
  ];
}

const execute = (number: number, title: string) => {
  return { tool_call: { tool_call_id: `t${number}`, title, tool_kind: "execute" } };
};

test("a changed question is shown again with its changes, and text typed for its former version answers nothing", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => session.ask(turn, 1, execute(1, "npm run build")),
    onAnswer: (session) => session.endTurn(1),
  });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true, env: { NO_COLOR: "1" } });
  await running.shows("allow execute npm run build? [y/n/1–2] ");
  running.type("y");
  await running.shows("allow execute npm run build? [y/n/1–2] y");
  const session = agentd.session("sessionaaaaa");
  session.append(...changeCall(session, 1, { title: "rm -rf ~" }));
  await running.shows(
    ["? allow: rm -rf ~ (execute)", "  ! changed since it was asked: title", "  1) Yes  [allow_once]", ""].join("\n"),
  );
  await running.shows("\rallow execute rm -rf ~? [y/n/1–2] \u001b[K");
  running.type("\n");
  running.type("n\n");
  const { stderr } = await running.ended;
  expect(answersOf(agentd)).toEqual([["agent.permission.answer", { request: "sessionaaaaa-1", option: "no" }]]);
  expect(stderr).not.toContain("rm -rf ~? [y/n/1–2] y");
});

test("a line entered just as its question changes is not taken, and the person is told", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => session.ask(turn, 1, execute(1, "npm run build")),
    onAnswer: (session) => session.endTurn(1),
  });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true, env: { NO_COLOR: "1" } });
  await running.shows("allow execute npm run build? [y/n/1–2] ");
  const session = agentd.session("sessionaaaaa");
  const words: EntryContent = {
    kind: "message",
    turn: 1,
    role: "agent",
    message_id: "m",
    content: { type: "text", text: "Or rather:\n" },
    append: true,
  };
  // The message is shown at once, and the changed question when the agent pauses.
  session.append(...changeCall(session, 1, { title: "rm -rf ~" }), words);
  await running.shows("Or rather:\n");
  running.type("y\n");
  await running.shows("ignored (typed before that question changed): y");
  await running.shows("\rallow execute rm -rf ~? [y/n/1–2] \u001b[K");
  expect(answersOf(agentd)).toEqual([]);
  running.type("n\n");
  await running.ended;
  expect(answersOf(agentd).map(([, args]) => args["option"])).toEqual(["no"]);
});

test("a question that changes while it waits is shown once, in its latest form", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => {
      session.ask(turn, 1, execute(1, "npm run build"));
      session.ask(turn, 2, execute(2, "npm test"));
    },
    onAnswer: (session, request) => {
      if (request.endsWith("-2")) session.endTurn(1);
    },
  });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true, env: { NO_COLOR: "1" } });
  await running.shows("allow execute npm run build (1 of 2)? [y/n/1–2] ");
  const session = agentd.session("sessionaaaaa");
  const said: EntryContent = { kind: "diagnostic", what: "seen", message: "up to here" };
  session.append(...changeCall(session, 2, { title: "rm -rf ~", raw_input: { deep: 1 } }), said);
  await running.shows("seen: up to here");
  await running.shows("up to here\n\n? allow: npm run build (execute)\n  1) Yes");
  running.type("y\n");
  await running.shows("allow execute rm -rf ~ (2 of 2)? [y/n/1–2] ");
  running.type("n\n");
  const { stdout } = await running.ended;
  expect(stdout).toContain("? allow: rm -rf ~ (execute)\n  ! changed since it was asked: title, raw input\n");
  expect(stdout).toContain('"deep": 1');
  expect(stdout).toContain("→ refused: execute rm -rf ~ (2 of 2) (by ");
  expect([times(stdout, "? allow: rm -rf ~"), times(stdout, "npm test")]).toEqual([1, 0]);
});

test("an agent that keeps changing its question does not fill the screen with it", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => session.ask(turn, 1, execute(1, "step 0")),
    onAnswer: (session) => session.endTurn(1),
  });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true, env: { NO_COLOR: "1" } });
  await running.shows("allow execute step 0? [y/n/1–2] ");
  const session = agentd.session("sessionaaaaa");
  const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
  session.append(...numbers.flatMap((number) => changeCall(session, 1, { title: `step ${number}` })));
  await running.shows("allow execute step 50? [y/n/1–2] ");
  running.type("n\n");
  const { stdout } = await running.ended;
  expect(times(stdout, "? allow: ")).toBe(2);
});

test("lines typed while a turn runs are queued as separate prompts, and :cancel cancels at once", async () => {
  const taken = new EventEmitter();
  const agentd = await bench.agentd({
    onPrompt: (_session, _turn, prompt) => taken.emit(prompt),
    onCancel: (session) => session.endTurn(1, "cancelled"),
  });
  const session = agentd.begin("sessionzzzza");
  session.append({ kind: "turn", turn: 1, phase: "started" }, { kind: "state", state: "running" });
  const running = bench.start(["agent", "attach", "sessionz"], { tty: true });
  await running.shows("running ");
  for (const line of ["first", "second"]) {
    const isTaken = once(taken, line);
    running.type(`${line}\n`);
    await isTaken;
  }
  running.type(":help\n");
  await running.shows(":cancel the turn");
  running.type(":cancel\n");
  await running.shows("turn 1 cancelled");
  running.type(":detach\n");
  expect((await running.ended).code).toBe(0);
  expect(promptsOf(agentd)).toEqual(["first", "second"]);
});

test("Ctrl-D at a question of a followed turn ends the answering with a message, but not the view", async () => {
  const agentd = await bench.agentd({ onPrompt: (session, turn) => session.ask(turn, 1) });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true });
  await running.shows("allow edit Write a.txt? [y/n/1–2] ");
  running.type("\u0004");
  await running.shows("no more answers here");
  agentd.session("sessionaaaaa").endTurn(1);
  expect((await running.ended).code).toBe(0);
});

test("an answer followed at once by Ctrl-D is not given, and the person is told", async () => {
  const agentd = await bench.agentd({ onPrompt: (session, turn) => session.ask(turn, 1) });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true });
  await running.shows("allow edit Write a.txt? [y/n/1–2] ");
  running.type("1\n\u0004");
  await running.shows("ignored (typed after this ended): 1");
  agentd.session("sessionaaaaa").endTurn(1);
  expect((await running.ended).code).toBe(0);
  expect(answersOf(agentd)).toEqual([]);
});

test("a half-typed prompt that a question interrupts does not become its answer", async () => {
  const agentd = await bench.agentd({ onPrompt: says("done so") });
  const session = agentd.begin("sessionzzzza");
  session.append({ kind: "state", state: "idle" });
  const running = bench.start(["agent", "attach", "sessionz"], { tty: true });
  await running.shows("> ");
  running.type("2");
  await running.shows("> 2");
  session.ask(1, 1);
  await running.shows("[y/n/1–2] ");
  running.type("\n");
  running.type("1\n");
  await running.shows("→ allowed: edit Write a.txt (by ");
  // It is a prompt again when no question is open.
  session.append({ kind: "state", state: "running" });
  await running.shows("running > 2");
  running.interrupt();
  await running.ended;
  expect(answersOf(agentd).map(([, args]) => args["option"])).toEqual(["yes"]);
});

test(":detach while a turn runs exits 0 at once with a message that does not mention Ctrl-C", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  session.append({ kind: "turn", turn: 1, phase: "started" }, { kind: "state", state: "running" });
  session.ask(1, 1);
  const running = bench.start(["agent", "attach", "sessionz"], { tty: true });
  await running.shows("[y/n/1–2] ");
  running.type(":detach\n");
  const { code, stderr } = await running.ended;
  expect(code).toBe(0);
  expect(stderr).toContain("session sessionzzzza continues");
  expect(stderr).not.toContain("Ctrl-C");
});

test("a form with several fields is filled in while attached; unreadable input is reported, and asked for again", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  session.append({ kind: "turn", turn: 1, phase: "started" }, { kind: "state", state: "waiting" });
  session.askForm(1, 1);
  const running = bench.start(["agent", "attach", "sessionz"], { tty: true });
  await running.shows("Who are you? field=value…: ");
  running.type("Ann\n");
  await running.shows("USAGE: Ann is not of the form key=value");
  running.type('name="Ann Lee" age=7 days=mon days=tue\n');
  await running.shows("→ answered");
  running.type(":detach\n");
  await running.ended;
  const request = "sessionzzzza-1";
  const content = { name: "Ann Lee", age: 7, days: ["mon", "tue"] };
  expect(agentd.asked).toContainEqual(["agent.elicitation.answer", { request, action: "accept", content }]);
});

test("attach to an ended session ends at once, even if its last state is no longer in the log", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  session.append({ kind: "state", state: "closed" });
  session.entries.splice(0);
  session.append({ kind: "diagnostic", what: "purged", message: "it was purged" });
  expect((await bench.run(["agent", "attach", "sessionz"])).code).toBe(0);
});

test("a tool call is shown after a moment under its placeholder, and its true title with the result", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  session.turns = 1;
  session.append({ kind: "turn", turn: 1, phase: "started" }, { kind: "state", state: "running" });
  const options = { tty: true, env: { NO_COLOR: "1" }, speed: 20 };
  const running = bench.start(["agent", "attach", "sessionz"], options);
  await running.shows("running");
  const call = { kind: "tool_call", turn: 1, tool_call_id: "t1" } as const;
  session.append({ ...call, title: "Terminal", tool_kind: "execute", status: "pending" });
  await running.shows("• execute  Terminal");
  session.append({ ...call, title: "npm test" });
  session.append({ ...call, tool_call_id: "t2", title: "Terminal", tool_kind: "execute", status: "pending" });
  session.append({ ...call, tool_call_id: "t2", title: "npm run lint" });
  session.append({ ...call, status: "completed" });
  await running.shows("✔ execute  npm test");
  running.type(":detach\n");
  const { stdout } = await running.ended;
  const lines = stdout.split("\n").map((line) => line.trim());
  expect(lines.filter((line) => /^[•✔] execute/.test(line))).toEqual([
    "• execute  Terminal",
    "• execute  npm run lint",
    "✔ execute  npm test",
  ]);
});

test(":detach while no turn runs names no command to cancel one", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionzzzza").append({ kind: "state", state: "idle" });
  const running = bench.start(["agent", "attach", "sessionz"], { tty: true });
  await running.shows("> ");
  running.type(":detach\n");
  const { stderr } = await running.ended;
  expect(stderr).toContain("stays open\nto come back: mix agent attach sessionzzzza\n");
  expect(stderr).not.toContain("cancel");
});
