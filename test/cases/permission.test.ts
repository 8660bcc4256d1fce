// SPDX-License-Identifier: MIT OR Apache-2.0
// A question has one answer, from whom it may come, exactly as it was given; and whatever is no yes is never one.
import { symlinkSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import type { JsonObject, Rule, Step } from "../scripted-agent/scenario.ts";
import { SessionScript } from "../../agentd/session/core/testing/session-script.ts";
import { type EntryOf, ofKind, openScene, question, type Scene, stateOf, turnEnd } from "./scene.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };
const choice = (optionId: string, kind: string, name = optionId) => ({ optionId, name, kind });

/** What the agent was answered, in order. */
function outcomes(scene: Scene, name?: string): unknown[] {
  return scene
    .agent(name)
    .received()
    .filter(({ method, result }) => method === undefined && result !== undefined)
    .map(({ result }) => (result as JsonObject)["outcome"]);
}

function asksWith(...options: ReturnType<typeof choice>[]) {
  return { scripted: { rules: [{ on: "session/prompt", do: [{ permission: { options } }, endTurn] }] } };
}

async function resolution(scene: Scene, session: string, nth = 1): Promise<EntryOf<"permission">> {
  const request = `${session}-${nth}`;
  return await scene.user.entry<EntryOf<"permission">>(
    session,
    (entry) => entry.kind === "permission" && entry.phase === "resolved" && entry.request === request,
  );
}

const bare = (toolCallId: string) => ({ toolCallId, title: null });

test("a question that says nothing but an id is shown, listed, logged and judged with all that was said of its call", async () => {
  const rawInput = { server: "mixos", tool: "bus_call", arguments: { command: "shell" } };
  const announced = {
    sessionUpdate: "tool_call",
    toolCallId: "call-1",
    title: "Tool: bus_call",
    kind: "execute",
    rawInput,
  };
  await using scene = await openScene(
    {
      scripted: {
        rules: [
          { on: "session/prompt", do: [{ update: announced }, { permission: { toolCall: bare("call-1") } }, endTurn] },
        ],
      },
    },
    { settings: '[policies.running]\nallow_once = [{ kinds = ["execute"], within = "session" }]\n' },
  );
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const { request, tool_call: asked, said_before: before } = await question(user, session);
  const known = { tool_call_id: "call-1", title: "Tool: bus_call", tool_kind: "execute", raw_input: rawInput };
  expect(asked).toMatchObject(known);
  expect(before).toEqual(["title", "tool_kind", "status", "raw_input"]);
  const listed = { requests: [{ request, tool_call: known }] };
  expect(await user.call("agent.permission.list", {})).toMatchObject(listed);
  expect(await user.get(session)).toMatchObject(listed);
  expect(await user.call("agent.policy.test", { policy: "running", request })).toMatchObject({
    outcome: "ask",
    why: "the tool call names no location",
  });
  await user.call("agent.permission.answer", { session, request, cancelled: true });
  await turnEnd(user, session);
});

test("what a sub-agent asks under a session id that was never opened is asked of people, and its yes goes back to it", async () => {
  const path = "/work/child.txt";
  const call = {
    sessionUpdate: "tool_call",
    toolCallId: "tool-1",
    title: "Write",
    kind: "edit",
    locations: [{ path }],
  };
  const child: Step[] = [
    { update: call, sessionId: "child" },
    { permission: { sessionId: "child", toolCall: bare("tool-1") } },
    endTurn,
  ];
  await using scene = await openScene({ scripted: { rules: [{ on: "session/prompt", do: child }] } });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const { request, ...asked } = await question(user, session);
  expect(asked).toMatchObject({
    agent_session: "child",
    turn: 1,
    tool_call: { title: "Write", locations: [{ path }] },
  });
  expect(await user.get(session)).toMatchObject({ state: "waiting", requests: [{ request, agent_session: "child" }] });
  await user.call("agent.permission.answer", { session, request, option: "allow" });
  await turnEnd(user, session);
  expect(outcomes(scene)).toEqual([{ outcome: "selected", optionId: "allow" }]);
  // What it did is no tool call of this session.
  expect(ofKind(await user.log(session), "tool_call")).toEqual([]);
  expect(ofKind(await user.log(session), "extension")).toHaveLength(1);
});

test("what a sub-agent asks within the session of its parent is listed with the call that started it", async () => {
  const _meta = { claudeCode: { parentToolUseId: "task" } };
  const call = (toolCallId: string, title: string, more: JsonObject = {}): Step => ({
    update: { sessionUpdate: "tool_call", toolCallId, title, kind: "edit", status: "pending", ...more },
  });
  const child: Step[] = [
    call("task", "Explore"),
    call("tool-1", "Write", { _meta }),
    { permission: { toolCall: bare("tool-1") } },
    endTurn,
  ];
  const agentInfo = { name: "@agentclientprotocol/claude-agent-acp", title: "Claude Agent", version: "0.101.0" };
  const rules: Rule[] = [{ on: "session/prompt", do: child }];
  await using scene = await openScene({ scripted: { initialize: { agentInfo }, rules } });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const known = { tool_call: { tool_call_id: "tool-1", parent_tool_call_id: "task" }, sub_agent: "Explore" };
  const { request, ...asked } = await question(user, session);
  expect(asked).toMatchObject(known);
  expect(await user.call("agent.permission.list", {})).toMatchObject({ requests: [{ request, ...known }] });
  await user.call("agent.permission.answer", { session, request, option: "allow" });
  await turnEnd(user, session);
});

test("a no where only yeses are offered is sent as cancelled (case 89)", async () => {
  await using scene = await openScene(asksWith(choice("always", "allow_always"), choice("once", "allow_once")));
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const { request } = await question(user, session);
  await user.call("agent.permission.answer", { session, request, cancelled: true });
  await turnEnd(user, session);
  expect(outcomes(scene)).toEqual([{ outcome: "cancelled" }]);
  expect(await resolution(scene, session)).toMatchObject({ outcome: "cancelled" });
});

test("no answer, a cancel and an end never choose an option that allows, whatever is offered (case 89)", () => {
  const kinds = fc.constantFrom("allow_once", "allow_always", "reject_once", "reject_always", "invented");
  const ending = fc.constantFrom("timeout", "cancel", "close", "exit");
  fc.assert(
    fc.property(fc.array(kinds, { maxLength: 6 }), ending, (offered, how) => {
      const script = new SessionScript();
      script.up();
      script.prompt("go");
      script.asks(1, "tool", offered);
      const key = `${script.state.id}-1`;
      if (how === "timeout") script.put({ type: "timer", timer: "request", key });
      if (how === "cancel") script.cancel();
      if (how === "close") script.command("agent.session.close", {});
      if (how === "exit") script.exits();
      const answers = script.effects.filter((effect) => effect.type === "answer_request");
      // Nobody is left to be told by an agent's end.
      expect(answers).toHaveLength(how === "exit" ? 0 : 1);
      expect(script.entries.filter((entry) => entry.kind === "permission" && entry.phase === "resolved")).toHaveLength(
        1,
      );
      for (const { answer } of answers) {
        if (answer.outcome === "cancelled") continue;
        expect(how).toBe("timeout");
        expect(answer).toMatchObject({ outcome: "selected" });
        expect("option" in answer && answer.option).toMatch(/^reject_once-/);
      }
    }),
  );
});

test("a yes is the very option that was shown, wherever it stands and whatever it is called (case 94)", async () => {
  const options = [
    choice("bypass", "allow_always", "Yes, and bypass permissions"),
    choice("auto", "allow_always", "Yes, auto-accept edits once"),
    choice("manual", "allow_once", "Yes, and manually approve edits"),
    choice("no", "reject_once", "No, keep planning"),
  ];
  await using scene = await openScene(asksWith(...options));
  const { user } = scene;
  const session = await scene.idle();
  for (const [index, { optionId }] of options.entries()) {
    await user.prompt(session, "go");
    const asked = await question(user, session, index + 1);
    expect(asked.options).toEqual(options.map(({ optionId: option, name, kind }) => ({ option, name, kind })));
    await user.call("agent.permission.answer", { session, request: asked.request, option: optionId });
    await turnEnd(user, session, index + 1);
  }
  expect(outcomes(scene)).toEqual(options.map(({ optionId }) => ({ outcome: "selected", optionId })));
});

test("an option that was not offered is refused, and the question stays open (case 94)", async () => {
  await using scene = await openScene(asksWith(choice("yes", "allow_once")));
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const { request } = await question(user, session);
  for (const option of ["allow_once", "Yes", "YES", "yes ", "0"])
    expect((await user.refusal("agent.permission.answer", { session, request, option })).code).toBe("OPTION_UNKNOWN");
  expect((await user.get(session)).requests).toHaveLength(1);
});

test("a no with a reject option is that option, so that the agent goes on with its turn (case 95)", async () => {
  await using scene = await openScene(asksWith(choice("yes", "allow_once"), choice("no", "reject_once")));
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const { request } = await question(user, session);
  await user.call("agent.permission.answer", { session, request, option: "no" });
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" });
  expect(outcomes(scene)).toEqual([{ outcome: "selected", optionId: "no" }]);
  const resolved = await resolution(scene, session);
  expect(resolved).toMatchObject({ outcome: "selected", option: "no" });
  expect(resolved.via).toBeUndefined();
});

test.each([
  [
    "a reject option",
    [choice("yes", "allow_once"), choice("no", "reject_once")],
    { outcome: "selected", optionId: "no" },
  ],
  ["none", [choice("yes", "allow_once"), choice("never", "reject_always")], { outcome: "cancelled" }],
])(
  "an unanswered question that offers %s ends by its time limit, which is not somebody's no (case 103)",
  async (_, options, sent) => {
    const clock = new ManualClock();
    await using scene = await openScene(asksWith(...options), { clock, settings: 'permission_timeout = "5m"' });
    const { user } = scene;
    const session = await scene.idle();
    await user.prompt(session, "go");
    const asked = await question(user, session);
    expect(Date.parse(asked.expires_at ?? "") - Date.parse(asked.now ?? "")).toBe(300_000);
    clock.advance(300_000);
    await turnEnd(user, session);
    const { outcome, ...option } = sent as { outcome: string; optionId?: string };
    expect(await resolution(scene, session)).toMatchObject({ outcome, via: "timeout", by: null });
    expect((await resolution(scene, session)).option).toBe(option.optionId);
    expect(outcomes(scene)).toEqual([sent]);
  },
);

test("an answer a millisecond before the limit counts; at the limit and after, the limit was first (case 104)", async () => {
  const clock = new ManualClock();
  const options = [choice("yes", "allow_once"), choice("no", "reject_once")];
  await using scene = await openScene(asksWith(...options), { clock, settings: 'permission_timeout = "60s"' });
  const { user } = scene;
  const session = await scene.idle();
  for (const [index, afterMs] of [59_999, 60_000, 60_001].entries()) {
    await user.prompt(session, "go");
    const { request } = await question(user, session, index + 1);
    clock.advance(afterMs);
    const answer = { session, request, option: "yes" };
    if (afterMs < 60_000) await user.call("agent.permission.answer", answer);
    else {
      const late = await user.refusal("agent.permission.answer", answer);
      expect(late).toMatchObject({ code: "REQUEST_CLOSED", body: { via: "timeout", option: "no" } });
    }
    await turnEnd(user, session, index + 1);
  }
  expect(outcomes(scene)).toEqual(["yes", "no", "no"].map((optionId) => ({ outcome: "selected", optionId })));
});

test("an answer to a question that is closed, of another session or of nowhere harms only its sender (case 97)", async () => {
  await using scene = await openScene(asksWith(choice("yes", "allow_once")));
  const { user } = scene;
  const [session, other] = [await scene.idle(), await scene.idle()];
  await user.prompt(session, "go");
  const { request } = await question(user, session);
  await user.call("agent.permission.answer", { session, request, option: "yes" });
  await turnEnd(user, session);
  const refused = async (args: { session?: string; request: string }): Promise<string> =>
    (await user.refusal("agent.permission.answer", { ...args, option: "yes" })).code;
  expect(await refused({ session, request })).toBe("REQUEST_CLOSED");
  expect(await refused({ request })).toBe("REQUEST_CLOSED");
  expect(await refused({ session, request: `${session}-99` })).toBe("REQUEST_UNKNOWN");
  expect(await refused({ session: other, request })).toBe("REQUEST_UNKNOWN");
  expect(await refused({ request: "nonsense" })).toBe("REQUEST_UNKNOWN");
  await user.prompt(session, "on we go");
  await question(user, session, 2);
  expect((await user.get(other)).state).toBe("idle");
});

test("of a yes and a no at the same moment one wins, and what is logged is what the agent got (case 98)", async () => {
  const rounds = 200;
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [{ repeat: rounds, do: [{ permission: {} }] }, endTurn] }] },
  });
  const { user } = scene;
  const people = [await scene.somebody(), await scene.somebody()] as const;
  const session = await scene.idle();
  await user.prompt(session, "go");
  for (let round = 1; round <= rounds; round += 1) {
    const { request } = await question(user, session, round);
    const order = round % 2 === 0 ? (["allow", "reject"] as const) : (["reject", "allow"] as const);
    const answers = await Promise.allSettled(
      order.map((option, who) =>
        people[who === 0 ? 0 : 1].call("agent.permission.answer", { session, request, option }),
      ),
    );
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const loser = answers.find((answer) => answer.status === "rejected");
    expect(loser?.reason).toMatchObject({ code: "REQUEST_CLOSED" });
  }
  await turnEnd(user, session);
  const log = ofKind(await user.log(session), "permission");
  const logged = log.filter(({ phase }) => phase === "resolved").map(({ option }) => option);
  expect(logged).toHaveLength(rounds);
  expect(outcomes(scene)).toEqual(logged.map((optionId) => ({ outcome: "selected", optionId })));
  expect(log.filter(({ phase }) => phase === "sent")).toHaveLength(rounds);
});

test("questions about tool calls of one id are questions of their own, in one session and in two (case 100)", async () => {
  const asks = (id: number): Step => ({ permission: { toolCall: { toolCallId: "same" } }, id, await: false });
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [asks(1), asks(2), { awaitAnswers: true }, endTurn] }] },
    other: { rules: [{ on: "session/prompt", do: [asks(1), { awaitAnswers: true }, endTurn] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  const other = await scene.idle({ agent: "other" });
  await Promise.all([user.prompt(session, "go"), user.prompt(other, "go")]);
  const [first, second] = [await question(user, session, 1), await question(user, session, 2)];
  const foreign = await question(user, other);
  await user.call("agent.permission.answer", { session, request: second.request, option: "allow" });
  expect((await user.get(session)).requests.map(({ request }) => request)).toEqual([first.request]);
  expect((await user.get(other)).requests).toHaveLength(1);
  await user.call("agent.permission.answer", { session, request: first.request, option: "reject" });
  await user.call("agent.permission.answer", { request: foreign.request, option: "reject" });
  await Promise.all([turnEnd(user, session), turnEnd(user, other)]);
  const answer = (id: number, optionId: string) => ({
    jsonrpc: "2.0",
    id,
    result: { outcome: { outcome: "selected", optionId } },
  });
  const answers = scene
    .agent()
    .received()
    .filter(({ result }) => result !== undefined);
  expect(answers).toEqual([answer(2, "allow"), answer(1, "reject")]);
});

test("a session whose agent asks between turns is not idle until it is answered, and a cancel answers it", async () => {
  const clock = new ManualClock();
  await using scene = await openScene(
    { scripted: { rules: [{ on: "session/prompt", do: ["default", { permission: {} }] }] } },
    { clock, settings: 'idle_timeout = "1m"\npermission_timeout = "none"' },
  );
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await question(user, session);
  expect((await user.get(session)).state).toBe("waiting");
  clock.advance(3_600_000);
  expect((await user.get(session)).state).toBe("waiting");
  await user.call("agent.session.cancel", { session });
  expect(await resolution(scene, session)).toMatchObject({ outcome: "cancelled", via: "cancel" });
  clock.advance(59_999);
  expect((await user.get(session)).state).toBe("idle");
  clock.advance(1);
  expect(await stateOf(user, session, "closed")).toMatchObject({ reason: "idle" });
  expect(outcomes(scene)).toEqual([{ outcome: "cancelled" }]);
  expect(
    scene
      .agent()
      .received()
      .map(({ method }) => method),
  ).not.toContain("session/cancel");
});

test("a question whose agent has ended is closed, and no answer to it is said to have been sent", async () => {
  await using scene = await openScene({
    scripted: (directory) => ({
      rules: [
        {
          on: "session/prompt",
          do: [{ permission: {}, await: false }, { waitForFile: `${directory}/go` }, { exit: 1 }],
        },
      ],
    }),
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const { request } = await question(user, session);
  writeFileSync(`${scene.agent().directory}/go`, "");
  await stateOf(user, session, "lost");
  const late = await user.refusal("agent.permission.answer", { session, request, option: "allow" });
  expect(late).toMatchObject({ code: "REQUEST_CLOSED", body: { via: "end" } });
  const phases = ofKind(await user.log(session), "permission").map(({ phase }) => phase);
  expect(phases).toEqual(["requested", "resolved"]);
});

test("an option id of wide characters, spaces and great length comes back as it was (case 106)", async () => {
  const ids = [" ja, für immer ✅ ", "é".repeat(4_000), "a\u0000b\n\t\"'\\", "👩‍👩‍👧‍👦"];
  await using scene = await openScene(asksWith(...ids.map((id) => choice(id, "allow_once"))));
  const { user } = scene;
  const session = await scene.idle();
  for (const [index, option] of ids.entries()) {
    await user.prompt(session, "go");
    const { request } = await question(user, session, index + 1);
    await user.call("agent.permission.answer", { session, request, option });
    await turnEnd(user, session, index + 1);
  }
  expect(outcomes(scene)).toEqual(ids.map((optionId) => ({ outcome: "selected", optionId })));
});

test("a question that waits in one session keeps neither a start nor another session's answer (case 107)", async () => {
  await using scene = await openScene(asksWith(choice("yes", "allow_once")));
  const { user } = scene;
  const [one, two] = [await scene.idle(), await scene.idle()];
  for (const session of [one, two]) {
    await user.prompt(session, "go");
    await question(user, session);
  }
  const three = await scene.idle();
  expect((await user.get(three)).state).toBe("idle");
  await user.call("agent.permission.answer", { request: `${two}-1`, option: "yes" });
  await turnEnd(user, two);
  expect((await user.get(one)).state).toBe("waiting");
  await user.call("agent.permission.answer", { request: `${one}-1`, option: "yes" });
  await turnEnd(user, one);
});

const readingPolicy = `[policies.reading]
allow_once = [{ kinds = ["read", "switch_mode"], within = "session" }]
`;

/** Asks once for each prompt. */
function asksOf(toolCall: JsonObject, ...options: ReturnType<typeof choice>[]) {
  return {
    scripted: {
      rules: [
        {
          on: "session/prompt",
          do: [{ permission: { toolCall, ...(options.length === 0 ? {} : { options }) } }, endTurn],
        },
      ],
    },
  };
}

test("an allow_once that switches a mode is put to a person, though the policy names that kind (case 91)", async () => {
  await using scene = await openScene(
    asksOf(
      { kind: "switch_mode", title: "Implement this plan", locations: [{ path: "/" }] },
      choice("default", "allow_once", "Yes, and manually approve edits"),
      choice("plan", "reject_once", "No, keep planning"),
    ),
    { settings: readingPolicy },
  );
  const { user } = scene;
  const session = await scene.idle({ policy: "reading" });
  await user.prompt(session, "go");
  expect((await question(user, session)).why).toContain("mode");
  await user.call("agent.permission.answer", { session, request: `${session}-1`, option: "plan" });
  await turnEnd(user, session);
  expect(outcomes(scene)).toEqual([{ outcome: "selected", optionId: "plan" }]);
});

test("three options that allow once are a question, of which a policy picks none (case 92)", async () => {
  const colours = ["blue", "red", "green"].map((colour) => choice(colour, "allow_once"));
  await using scene = await openScene(asksOf({ kind: "read", locations: [{ path: "/etc/hostname" }] }, ...colours), {
    settings: `[policies.all]\nallow_once = [{ kinds = ["read"], within = "/" }]\n`,
  });
  const { user } = scene;
  const session = await scene.idle({ policy: "all" });
  await user.prompt(session, "go");
  expect((await question(user, session)).why).toContain("3 options allow once");
  await user.call("agent.permission.answer", { session, request: `${session}-1`, option: "red" });
  await turnEnd(user, session);
  expect(outcomes(scene)).toEqual([{ outcome: "selected", optionId: "red" }]);
});

test("a policy's yes is in the log with its rule before the agent has it, and a changed configuration counts at the next question", async () => {
  await using scene = await openScene(
    {
      scripted: {
        rules: [
          {
            on: "session/prompt",
            do: [
              {
                update: {
                  sessionUpdate: "tool_call",
                  toolCallId: "t",
                  title: "Write everything",
                  kind: "read",
                  locations: [{ path: "/etc/hostname" }],
                },
              },
              { permission: { toolCall: { toolCallId: "t" } } },
              endTurn,
            ],
          },
        ],
      },
    },
    { settings: `[policies.p]\nallow_once = [{ kinds = ["read"], within = "/etc" }]\n` },
  );
  const { user, place } = scene;
  const session = await scene.idle({ policy: "p" });
  expect(await user.get(session)).toMatchObject({ policy: "p" });
  await user.prompt(session, "one");
  await turnEnd(user, session, 1);
  expect(await resolution(scene, session)).toMatchObject({ via: "policy", option: "allow", by: null });
  expect(ofKind(await user.log(session), "permission").map(({ phase }) => phase)).toEqual([
    "requested",
    "resolved",
    "sent",
  ]);

  const tested = async (request: string) => await user.call("agent.policy.test", { policy: "p", request });
  expect(await tested(`${session}-1`)).toMatchObject({ outcome: "allow_once", option: "allow", rule: 1 });

  place.configure(`[policies.p]\nallow_once = [{ kinds = ["search"], within = "/etc" }]\n`);
  await expect.poll(async () => (await tested(`${session}-1`))["outcome"], { timeout: 10_000 }).toBe("ask");
  await user.prompt(session, "two");
  expect((await question(user, session, 2)).why).toContain("no rule names");
  await user.call("agent.permission.answer", { session, request: `${session}-2`, option: "reject" });
  await turnEnd(user, session, 2);

  place.configure("max_sessions = 5\n");
  const gone = async () => (await user.refusal("agent.policy.test", { policy: "p", request: `${session}-1` })).code;
  await expect
    .poll(async () => (await user.call("agent.status", {}))["sessions"], { timeout: 10_000 })
    .toMatchObject({ max: 5 });
  expect(await gone()).toBe("ARGUMENT");
  for (const turn of [3, 4]) {
    await user.prompt(session, "and on");
    await question(user, session, turn);
    await user.call("agent.permission.answer", { session, request: `${session}-${turn}`, option: "reject" });
    await turnEnd(user, session, turn);
  }
  const said = ofKind(await user.log(session), "diagnostic").filter(({ what }) => what === "policy-gone");
  expect(said).toHaveLength(1);
  expect(outcomes(scene).map((outcome) => (outcome as { optionId: string }).optionId)).toEqual([
    "allow",
    "reject",
    "reject",
    "reject",
  ]);
});

test("a link in the session's directory that leads out of it is no file of the session, and a resumed session keeps its policy", async () => {
  await using scene = await openScene({ scripted: {} }, { settings: readingPolicy });
  const { user } = scene;
  const session = await scene.idle({ policy: "reading" });
  const { cwd } = await user.get(session);
  symlinkSync("/etc", `${cwd}/link`);
  const ask = async (path: string) =>
    await user.call("agent.policy.test", {
      policy: "reading",
      request: {
        tool_call: { tool_kind: "read", locations: [{ path }] },
        options: [{ option: "y", kind: "allow_once" }],
        cwd,
      },
    });
  expect(await ask(`${cwd}/new`)).toMatchObject({ outcome: "allow_once", option: "y" });
  expect(await ask(`${cwd}/link/hostname`)).toMatchObject({ outcome: "ask" });
  await user.call("agent.session.close", { session });
  await stateOf(user, session, "closed");
  await user.call("agent.session.resume", { session, fresh: true });
  expect(await user.get(session)).toMatchObject({ policy: "reading" });
});

test("an agent gives what it starts no policy but its own", async () => {
  await using scene = await openScene({ scripted: {} }, { settings: readingPolicy });
  const { place } = scene;
  const cwd = place.directory();
  const asking = await scene.idle({ cwd });
  const reading = await scene.idle({ cwd, policy: "reading" });
  const start = { agent: "scripted", cwd, policy: "reading" };
  const agentOf = async (session: string) => await scene.somebody(`mcp-s-${session}-aaaa`);
  expect((await (await agentOf(asking)).refusal("agent.session.start", start)).code).toBe("AGENT_SELF");
  const child = await (await agentOf(reading)).start(start);
  expect(await scene.user.get(child)).toMatchObject({ policy: "reading", parent: reading });
});
