// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";
import type { ScriptedAgentd } from "../testing/scripted-agentd.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

const request = "sessionzzzza-1";

async function asked(
  rest: Parameters<ReturnType<ScriptedAgentd["begin"]>["askForm"]>[2] = {},
): Promise<ScriptedAgentd> {
  const agentd = await bench.agentd();
  agentd.begin("sessionzzzza").askForm(1, 1, rest);
  return agentd;
}

const mix = (...words: string[]) => bench.run(["agent", "answer", ...words]);
const told = ({ asked: calls }: ScriptedAgentd) => calls.filter(([verb]) => verb === "agent.elicitation.answer");

test("words are converted to the types of the form's fields, and a repeated field is a list", async () => {
  const agentd = await asked();
  const ran = await mix(request, "name=30", "age=7", "polite=yes", "days=mon", "days=tue", "--id", "a1");
  expect(ran).toMatchObject({ code: 0, stdout: `${request} accepted\n` });
  const content = { name: "30", age: 7, polite: true, days: ["mon", "tue"] };
  expect(told(agentd)).toEqual([
    ["agent.elicitation.answer", { request, action: "accept", content, command_id: "a1" }],
  ]);
});

test("an answer repeated after the request is closed is sent unchanged, so that its command id gets the first reply", async () => {
  const agentd = await asked();
  for (const code of [0, 1]) expect((await mix(request, "name=Ann", "age=7", "--id", "a1")).code).toBe(code);
  const [first, second] = told(agentd);
  expect(second).toEqual(first);
});

test("a value that does not fit its field's type is sent as text, and agentd refuses it", async () => {
  const agentd = await asked();
  await mix(request, "age=many", "polite=perhaps", "unheard=of");
  const content = { age: "many", polite: "perhaps", unheard: "of" };
  expect(told(agentd)).toMatchObject([["agent.elicitation.answer", { content }]]);
});

test.each([
  [["--decline"], { request, action: "decline" }],
  [["--cancel"], { request, action: "cancel" }],
  [[], { request, action: "accept" }],
])("with %j the answer has no content", async (flags, args) => {
  const agentd = await asked();
  expect((await mix(request, ...flags)).code).toBe(0);
  expect(told(agentd)).toEqual([["agent.elicitation.answer", args]]);
});

test("contradictory arguments are a usage error, and no answer is sent", async () => {
  const agentd = await asked();
  const wrong = [
    ["--decline", "--cancel"],
    ["name=a", "--decline"],
    ["name=a", "name=b"],
    ["name"],
    ["name=a", "--show"],
  ];
  for (const words of wrong) expect((await mix(request, ...words)).code).toBe(2);
  expect(told(agentd)).toEqual([]);
});

test("without a request the open ones are listed; --show shows every field and, once answered, the answer", async () => {
  await asked();
  expect((await mix()).stdout).toContain("Who are you?");
  expect((await mix("-q")).stdout).toBe(`${request}\n`);
  const open = (await mix(request, "--show")).stdout;
  for (const text of ["name  string, required", "Your name: as you like it", "age  integer, default 30"]) {
    expect(open).toContain(text);
  }
  expect(open).toContain("days  some of mon (Monday), tue (Tuesday)");
  expect(open).toContain(`mix agent answer ${request} field=value…`);
  await mix(request, "name=Ann");
  const closed = (await mix(request, "--show")).stdout;
  expect(closed).toContain('answered: {"name":"Ann"} (by mix-x)');
  expect(closed).not.toContain("field=value");
  expect((await mix()).stderr).toBe("no open questions\n");
});

test("--show --json prints a document with mix's schema, and the form's own schema as `form`", async () => {
  await asked({ schema: { type: "object", properties: {} } });
  expect(JSON.parse((await mix(request, "--show", "--json")).stdout)).toMatchObject({
    schema: "mix.elicitation.v1",
    request,
    form: { type: "object", properties: {} },
    resolved: null,
  });
});

test.each([
  [{ type: "integer", minimum: 1, maximum: 100 }, "integer, 1 to 100"],
  [{ type: "number", minimum: 0 }, "number, at least 0"],
  [{ type: "string", minLength: 1, maxLength: 40 }, "string, 1 to 40 characters"],
  [{ type: "string", format: "email", pattern: "^a\u202e" }, "string, as email, matches ^a\\u202e"],
  [{ type: "array", items: { enum: ["a", "b"] }, maxItems: 2 }, "some of a, b, at most 2 of them"],
])("a field's rules are shown in words: %j", async (field, words) => {
  await asked({ schema: { type: "object", properties: { it: field } } });
  expect((await mix(request, "--show")).stdout).toContain(`  it  ${words}\n`);
});

test("--show shows the time left now, not the time that was left when it was asked", async () => {
  const nineAndAHalf = new Date(Date.now() + 570_000).toISOString();
  await asked({ expires_at: nineAndAHalf });
  expect((await mix(request, "--show")).stdout).toContain("(within 9m)");
});

test("a URL is shown whole with the host that it really leads to", async () => {
  await asked({ mode: "url", message: "Log in", url: "https://bank.example@evil.example/?a=\u202e1" });
  const { stdout } = await mix(request, "--show");
  expect(stdout).toContain("https://bank.example@evil.example/");
  expect(stdout).toContain("leads to: evil.example\n");
  expect(stdout).not.toContain("\u202e");
});

test("a request that never existed is REQUEST_UNKNOWN, exit 4", async () => {
  await bench.agentd();
  expect((await mix("sessionzzzza-1", "a=b")).code).toBe(4);
  expect((await mix("nonsense", "--show")).code).toBe(4);
});

test("a turn shows the form and continues when it is answered; a line answers a form of one field", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => session.askForm(turn, 1, { schema: { properties: { age: { type: "integer" } } } }),
    onAnswer: (session) => session.endTurn(1),
  });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true });
  await running.shows("\rWho are you? answer: ");
  running.type("7\n");
  expect((await running.ended).code).toBe(0);
  expect(told(agentd)).toEqual([
    ["agent.elicitation.answer", { request: "sessionaaaaa-1", action: "accept", content: { age: 7 } }],
  ]);
});

test("a form without a time limit exits 5 if nobody can be asked", async () => {
  await bench.agentd({ onPrompt: (session, turn) => session.askForm(turn, 1, { expires_at: null }) });
  const ran = await bench.run(["agent", "start", "demo", "x"]);
  expect(ran.code).toBe(5);
  expect(ran.stderr).toContain("mix agent answer");
});
