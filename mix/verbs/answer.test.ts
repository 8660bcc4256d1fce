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

test("words become what the form's fields are, and a field written several times is a list", async () => {
  const agentd = await asked();
  const ran = await mix(request, "name=30", "age=7", "polite=yes", "days=mon", "days=tue", "--id", "a1");
  expect(ran).toMatchObject({ code: 0, stdout: "", stderr: `${request}: accept\n` });
  const content = { name: "30", age: 7, polite: true, days: ["mon", "tue"] };
  expect(told(agentd)).toEqual([
    ["agent.elicitation.answer", { request, action: "accept", content, command_id: "a1" }],
  ]);
});

test("the same answer again, when it is closed, is sent as it was, so that its command id finds the first reply", async () => {
  const agentd = await asked();
  for (const code of [0, 1]) expect((await mix(request, "name=Ann", "age=7", "--id", "a1")).code).toBe(code);
  const [first, second] = told(agentd);
  expect(second).toEqual(first);
});

test("what is none of its field's type goes as it is written, and agentd says what is wrong", async () => {
  const agentd = await asked();
  await mix(request, "age=many", "polite=perhaps", "unheard=of");
  const content = { age: "many", polite: "perhaps", unheard: "of" };
  expect(told(agentd)).toMatchObject([["agent.elicitation.answer", { content }]]);
});

test.each([
  [["--decline"], { request, action: "decline" }],
  [["--cancel"], { request, action: "cancel" }],
  [[], { request, action: "accept" }],
])("with %j it is answered without content", async (flags, args) => {
  const agentd = await asked();
  expect((await mix(request, ...flags)).code).toBe(0);
  expect(told(agentd)).toEqual([["agent.elicitation.answer", args]]);
});

test("what contradicts itself is a usage error and answers nothing", async () => {
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

test("without a request what is asked is listed; --show has every field and, once it is answered, the answer", async () => {
  await asked();
  expect((await mix()).stdout).toContain("Who are you?");
  expect((await mix("-q")).stdout).toBe(`${request}\n`);
  const open = (await mix(request, "--show")).stdout;
  for (const text of ["name  string, required", "Your name: as you like it", "age  integer, 30 where left out"]) {
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

test("--show --json is a document of ours, with the form's own schema under another name", async () => {
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
])("what a form wants of a value is said in words: %j", async (field, words) => {
  await asked({ schema: { type: "object", properties: { it: field } } });
  expect((await mix(request, "--show")).stdout).toContain(`  it  ${words}\n`);
});

test("--show says how much time is left now, and not how much there was", async () => {
  const nineAndAHalf = new Date(Date.now() + 570_000).toISOString();
  await asked({ expires_at: nineAndAHalf });
  expect((await mix(request, "--show")).stdout).toContain("(within 9m)");
});

test("an address is shown whole with the host that it really leads to", async () => {
  await asked({ mode: "url", message: "Log in", url: "https://bank.example@evil.example/?a=\u202e1" });
  const { stdout } = await mix(request, "--show");
  expect(stdout).toContain("https://bank.example@evil.example/");
  expect(stdout).toContain("leads to: evil.example\n");
  expect(stdout).not.toContain("\u202e");
});

test("a request that never was is REQUEST_UNKNOWN, exit 4", async () => {
  await bench.agentd();
  expect((await mix("sessionzzzza-1", "a=b")).code).toBe(4);
  expect((await mix("nonsense", "--show")).code).toBe(4);
});

test("a turn shows the form and goes on when it is answered; a line answers one of a single field", async () => {
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

test("a form without a time limit, that nobody can be asked, is exit 5", async () => {
  await bench.agentd({ onPrompt: (session, turn) => session.askForm(turn, 1, { expires_at: null }) });
  const ran = await bench.run(["agent", "start", "demo", "x"]);
  expect(ran.code).toBe(5);
  expect(ran.stderr).toContain("mix agent answer");
});
