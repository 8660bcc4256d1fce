// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { done } from "../../bus-client/index.ts";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("allow takes the only option that allows once", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => session.ask(turn, 1),
    onAnswer: (session) => session.endTurn(1),
  });
  const running = bench.start(["agent", "start", "demo", "x"]);
  await running.shows("permit allow");
  expect((await bench.run(["agent", "permit", "ls", "-q"])).stdout).toBe("sessionaaaaa-1\n");
  await bench.run(["agent", "permit", "allow", "sessionaaaaa-1", "--id", "a1"]);
  await running.ended;
  expect(agentd.asked).toContainEqual([
    "agent.permission.answer",
    { request: "sessionaaaaa-1", option: "yes", command_id: "a1" },
  ]);
});

test("requests are listed with the names of their sessions, and the next step", async () => {
  const agentd = await bench.agentd();
  for (const [id, name] of [
    ["aaaaaaaaaaaa", "shopping"],
    ["bbbbbbbbbbbb", undefined],
  ] as const) {
    agentd.begin(id, { agent: "demo", cwd: "/tmp/a", name }).ask(1, 1, { expires_at: null });
  }
  const { stdout, stderr } = await bench.run(["agent", "permit", "ls"]);
  expect(stdout).toMatch(/aaaaaaaaaaaa-1 +shopping +edit/);
  expect(stdout).toMatch(/bbbbbbbbbbbb-1 +bbbbbbbbbbbb +edit/);
  expect(stderr).toMatch(/^to answer: mix agent permit show \w+-1 +then: allow or deny\n$/);
  const allowed = await bench.run(["agent", "permit", "allow", "shopping-1"]);
  expect(allowed.stderr).toBe("to watch: mix agent attach shopping\n");
});

test("an answer to a closed request is sent with its option, so that agentd can say who answered first", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  session.ask(1, 1);
  session.append({
    kind: "permission",
    turn: 1,
    request: "sessionzzzza-1",
    phase: "resolved",
    outcome: "selected",
    option: "no",
    by: "x",
  });
  const ran = await bench.run(["agent", "permit", "allow", "sessionzzzza-1"]);
  expect(ran).toMatchObject({ code: 1, stderr: "REQUEST_CLOSED: sessionzzzza-1 is closed\n" });
  expect(agentd.asked).toContainEqual(["agent.permission.answer", { request: "sessionzzzza-1", option: "yes" }]);
});

test("a request that never existed is REQUEST_UNKNOWN, exit 4", async () => {
  await bench.agentd();
  expect((await bench.run(["agent", "permit", "allow", "sessionzzzza-1"])).code).toBe(4);
  expect((await bench.run(["agent", "permit", "show", "nonsense"])).code).toBe(4);
});

test("on a terminal a question can be answered by an option's number", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => session.ask(turn, 1),
    onAnswer: (session) => session.endTurn(1),
  });
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true });
  await running.shows("[y/n/1–2]");
  running.type("9\n");
  await running.shows("9 is not an answer");
  running.type("2\n");
  expect((await running.ended).code).toBe(0);
  expect(agentd.asked).toContainEqual(["agent.permission.answer", { request: "sessionaaaaa-1", option: "no" }]);
});

test("a request too long to be listed whole is shown from the log, with the time left", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  session.ask(1, 1);
  const [listed] = session.requests.values();
  if (listed === undefined) throw new Error("nothing is open");
  const rest = { tool_call: { tool_call_id: "t1" }, left_out: ["title"] };
  session.requests.set(listed.request, { ...listed, ...rest });
  expect((await bench.run(["agent", "permit", "show", listed.request])).stdout).toContain("Write a.txt");
  const { resolved, now } = JSON.parse(
    (await bench.run(["agent", "permit", "show", listed.request, "--json"])).stdout,
  ) as { resolved: unknown; now: string };
  expect(resolved).toBeNull();
  expect(now).not.toBe("2026-11-30T12:00:00.000Z");
});

test.each([
  ["permission", ["permit", "ls"]],
  ["elicitation", ["answer"]],
])("an incomplete list of %ss says so and where the rest is, to scripts too", async (kind, words) => {
  await bench.agentd({ replies: { [`agent.${kind}.list`]: done({ requests: [], more: true }) } });
  const all = await bench.run(["agent", ...words, "--json"]);
  expect(JSON.parse(all.stdout)).toMatchObject({ requests: [], more: true });
  expect(all.stderr).toContain("see the rest with --session");
  const ofOne = await bench.run(["agent", ...words, "--session", "abc"]);
  expect(ofOne.stderr).toContain(`\`mix agent log abc --kind ${kind}\``);
});

test("parts of a tool call that are too long for the request are read from the log", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  const diff = (newText: string) => [{ type: "diff", path: "/work/a", oldText: null, newText }];
  const call = { kind: "tool_call", turn: 1, tool_call_id: "t1" } as const;
  session.append(
    { ...call, title: "Edit", tool_kind: "edit", status: "pending", content: diff("of an earlier call") },
    { ...call, status: "completed" },
    { ...call, title: "Edit", tool_kind: "edit", status: "pending", content: diff("first\n") },
    { ...call, grow: [{ path: ["content", 0, "newText"], at: 6, text: "second\n" }] },
    { ...call, tool_call_id: "other", content: diff("of another call") },
  );
  session.ask(1, 1, { left_out: ["content"] });
  session.append({ ...call, content: diff("later") });
  const shown = async () => (await bench.run(["agent", "permit", "show", "sessionzzzza-1"])).stdout;
  // An open request is shown in its current form, a closed one as it was asked.
  expect(await shown()).toContain("+ later");
  session.takeBack(1, 1);
  expect(await shown()).toMatch(/\+ first\n\s*\+ second\n/u);
  expect(await shown()).not.toMatch(/another|earlier|too long/u);
});

test("with nothing open, allow says so and where to look; an answer names what was answered, and a lasting option", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionzzzza");
  expect(await bench.run(["agent", "permit", "allow"])).toMatchObject({
    code: 4,
    stdout: "",
    stderr: expect.stringMatching(/no permission is open.*nothing to answer; `mix agent permit ls`/),
  });
  const options = [
    { option: "always", name: "Yes, always", kind: "allow_always" },
    { option: "no", name: "No", kind: "reject_once" },
  ];
  const tool_call = { tool_call_id: "t", title: "Read a.txt", tool_kind: "read" };
  session.ask(1, 1, { options, tool_call });
  session.ask(1, 2, { options, tool_call });
  const allowed = await bench.run(["agent", "permit", "allow", "sessionzzzza-1", "--option", "always"]);
  expect(allowed.stdout).toBe("sessionzzzza-1 allowed: Read a.txt (Yes, always)\n");
  const denied = await bench.run(["agent", "permit", "deny", "sessionzzzza-2"]);
  expect(denied.stdout).toBe("sessionzzzza-2 denied: Read a.txt\n");
});
