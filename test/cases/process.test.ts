// SPDX-License-Identifier: MIT OR Apache-2.0
// Agents as processes: wrappers, what is no agent at all, pipes that break, and nothing left behind.
// @module-tag slow
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Scenario } from "../scripted-agent/scenario.ts";
import type { AgentCommand } from "../../agentd/demo-agent/testing/demo-agent-command.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { leftIn, leftOf, livingIn } from "./living.ts";
import { ofKind, openScene, stateOf, turnEnd } from "./scene.ts";

/** Two shells that wait for what they started, as package runners and version managers do. */
function threeDeep(command: AgentCommand): readonly string[] {
  return ["/bin/sh", "-c", `/bin/sh -c '"$@"; exit $?' sh "$@"; exit $?`, "sh", ...command];
}

/** The whole count is 200; a run by default does less of it. */
const rounds = Number(process.env["AGENTD_TEST_LOOPS"] ?? 48);

test(`${rounds} starts and stops of a three-deep tree with tools leave no process and no descriptor (case 43)`, async () => {
  await using scene = await openScene(
    { scripted: { rules: [{ on: "start", do: [{ spawn: "group" }, { spawn: "orphan_session" }] }] } },
    { wrap: threeDeep },
  );
  const { user, place } = scene;
  const cwd = place.directory();
  const once = async (): Promise<void> => {
    const session = await user.start({ agent: "scripted", cwd });
    await user.wait(session, "idle");
    await user.call("agent.session.close", { session });
    await user.wait(session, "ended");
  };
  await once();
  const before = openDescriptors();
  for (let done = 0; done < rounds; done += 6) await Promise.all(Array.from({ length: 6 }, once));
  expect(await leftIn(place)).toEqual([]);
  expect(openDescriptors()).toBeLessThanOrEqual(before + 2);
}, 300_000);

test("a wrapper that starts the real agent on its own pipes and leaves is no end of the session (case 46)", async () => {
  await using scene = await openScene({ scripted: { rules: [{ on: "start", do: [{ reexecute: true }] }] } });
  const { user, place } = scene;
  const session = await scene.idle();
  for (const turn of [1, 2]) {
    await user.prompt(session, "go");
    expect(await turnEnd(user, session, turn)).toMatchObject({ stop_reason: "end_turn" });
  }
  expect(livingIn(place)).toHaveLength(1);
  await user.call("agent.session.close", { session });
  await stateOf(user, session, "closed");
  expect(await leftIn(place)).toEqual([]);
});

test("an inner agent that takes no notice of its stdin's end is ended all the same (case 46)", async () => {
  await using scene = await openScene({
    scripted: { ignore: ["eof", "SIGTERM"], rules: [{ on: "start", do: [{ reexecute: true }] }] },
  });
  const { user, place } = scene;
  const session = await scene.idle();
  await user.call("agent.session.close", { session });
  await stateOf(user, session, "closed");
  expect(await leftIn(place)).toEqual([]);
});

test.each<[string, readonly string[], string, RegExp]>([
  ["cat", ["cat"], "AGENT_PROTOCOL", /not an ACP agent|initialize/],
  ["a sleep", ["sleep", "1000"], "AGENT_PROTOCOL", /sleep 1000" did not answer initialize within 700 ms/],
  ["true", ["true"], "AGENT_EXITED", /exit code 0/],
  ["a program that fails", ["sh", "-c", "echo broken >&2; exit 3"], "AGENT_EXITED", /exit code 3/],
])(
  "%s is no agent: the session fails with its own words and nothing is left (case 47)",
  async (_, command, code, words) => {
    await using scene = await openScene({}, { commands: { odd: command }, limits: { initializeTimeoutMs: 700 } });
    const { user, place } = scene;
    const session = await user.start({ agent: "odd", cwd: place.directory(), prompt: "go" });
    const failed = await stateOf(user, session, "failed");
    expect(failed.error?.error_code).toBe(code);
    expect(failed.error?.message).toMatch(words);
    if (command.includes("sh")) expect(failed.error).toMatchObject({ stderr_tail: "broken\n", exit: { code: 3 } });
    expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "interrupted", sent: false });
    expect(await leftIn(place)).toEqual([]);
  },
);

test("a start that fails is told when nothing of it is left, with the logins that it may need", async () => {
  const authMethods = [{ id: "web", name: "Log in with a browser" }];
  await using scene = await openScene(
    {
      scripted: { ignore: ["eof", "SIGTERM"], initialize: { authMethods }, rules: [{ on: "session/new", do: [] }] },
    },
    { limits: { openTimeoutMs: 300, stdinGraceMs: 300, termGraceMs: 300 } },
  );
  const { user, place } = scene;
  const session = await user.start({ agent: "scripted", cwd: place.directory() });
  const closing = await stateOf(user, session, "closing");
  const failed = await stateOf(user, session, "failed");
  expect(livingIn(place)).toEqual([]);
  expect(failed).toMatchObject({
    reason: "the agent did not start",
    error: { error_code: "AGENT_PROTOCOL", methods: [{ id: "web", name: "Log in with a browser" }] },
  });
  expect(failed.error?.message).toContain("It may need a login first: it offers Log in with a browser");
  expect(closing.error).toEqual(failed.error);
});

test("an agent that never answers initialize is not waited for at its stdin", async () => {
  await using scene = await openScene(
    { scripted: { ignore: ["eof"], rules: [{ on: "initialize", do: [] }] } },
    { limits: { initializeTimeoutMs: 300, stdinGraceMs: 600_000 } },
  );
  const { user, place } = scene;
  await stateOf(user, await user.start({ agent: "scripted", cwd: place.directory() }), "failed");
  expect(livingIn(place)).toEqual([]);
});

test("an agent that closes its stdout and lives on has lost its session by that, not by our signal", async () => {
  await using scene = await openScene({
    scripted: { ignore: ["eof"], rules: [{ on: "session/prompt", do: [{ close: "stdout" }] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const lost = await stateOf(user, session, "lost");
  expect(lost.error).toMatchObject({ error_code: "AGENT_EXITED", exit: { stdoutClosed: true } });
  expect(lost.error?.message).toContain("closed its stdout");
  expect(lost.error?.message).not.toContain("SIG");
});

test.each<[string, (home: string) => string, RegExp]>([
  ["that does not exist", (home) => join(home, "nowhere"), /does not exist/],
  ["that is a directory", (home) => home, /is a directory/],
  ["that is not executable", (home) => join(home, "plain"), /is not executable/],
])("a program %s is refused before anything is logged or started (case 47)", async (_, program, words) => {
  await using scene = await openScene({});
  const { user, place } = scene;
  writeFileSync(join(place.home, "plain"), "#!/bin/sh\n", { mode: 0o644 });
  place.configure(`[agents.odd]\ncommand = ${JSON.stringify([program(place.home)])}\n`);
  await catalogued(scene.user, "odd");
  const refused = await user.refusal("agent.session.start", { agent: "odd", cwd: place.directory() });
  expect(refused.code).toBe("AGENT_UNAVAILABLE");
  expect(refused.body["message"]).toMatch(words);
  expect(await user.call("agent.session.list", {})).toMatchObject({ sessions: [] });
});

test("an agent that dies hard does not touch the one that was started in its place (case 50)", async () => {
  await using scene = await openScene({ scripted: { ignore: ["eof", "SIGTERM"] }, next: {} });
  const { user, place } = scene;
  const cwd = place.directory();
  const session = await scene.idle({ cwd });
  await user.call("agent.session.close", { session });
  const next = await scene.idle({ agent: "next", cwd });
  expect((await user.get(session)).state).toBe("closing");
  await user.prompt(next, "go");
  await stateOf(user, session, "closed");
  expect(await turnEnd(user, next)).toMatchObject({ stop_reason: "end_turn" });
  expect((await user.get(next)).state).toBe("idle");
});

test("an agent that exits while a prompt of 5 MB is being written loses its session and nothing else (case 52)", async () => {
  await using scene = await openScene({
    scripted: {
      rules: [{ on: "session/new", do: ["default", { stdin: "pause" }, { waitForFile: "$cwd/go" }, { exit: 4 }] }],
    },
    good: {},
  });
  const { user, place } = scene;
  const good = await scene.idle({ agent: "good" });
  const cwd = place.directory();
  const session = await scene.idle({ cwd });
  await user.prompt(session, "x".repeat(5_000_000));
  writeFileSync(join(cwd, "go"), "");
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "failed", error: { error_code: "AGENT_EXITED" } });
  await stateOf(user, session, "lost");
  await user.prompt(good, "go");
  expect(await turnEnd(user, good)).toMatchObject({ stop_reason: "end_turn" });
});

test.each<[string, Scenario]>([
  ["has closed its stdin", { rules: [{ on: "session/new", do: ["default", { close: "stdin" }] }] }],
  ["never reads on", { ignore: ["eof"], rules: [{ on: "session/new", do: ["default", { stdin: "pause" }] }] }],
])(
  "an agent that %s holds a prompt of 5 MB up until the turn is cancelled, and then goes (case 52)",
  async (_, scenario) => {
    await using scene = await openScene(
      { scripted: scenario, good: {} },
      { limits: { cancelForceMs: 100, drainTimeoutMs: 100 } },
    );
    const { user, place } = scene;
    const good = await scene.idle({ agent: "good" });
    const session = await scene.idle();
    await user.prompt(session, "x".repeat(5_000_000));
    await user.prompt(good, "go");
    expect(await turnEnd(user, good)).toMatchObject({ stop_reason: "end_turn" });
    await user.call("agent.session.cancel", { session });
    await stateOf(user, session, "lost");
    expect(ofKind(await user.log(session), "turn").filter(({ phase }) => phase === "ended")).toHaveLength(1);
    await user.call("agent.session.close", { session: good });
    await stateOf(user, good, "closed");
    expect(await leftIn(place)).toEqual([]);
  },
);

test("a program that is gone before it is written to never brings agentd down, 48 times over (case 53)", async () => {
  await using scene = await openScene({}, { commands: { gone: ["true"] } });
  const { user, place } = scene;
  const cwd = place.directory();
  for (let done = 0; done < 48; done += 8) {
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const session = await user.start({ agent: "gone", cwd, prompt: "x".repeat(1_000_000) });
        expect(await user.wait(session, "ended")).toMatchObject({
          state: "failed",
          error: { error_code: "AGENT_EXITED" },
        });
      }),
    );
  }
  expect(await leftIn(place)).toEqual([]);
  expect(await user.call("agent.status", {})).toMatchObject({ sessions: { live: 0 } });
});

test("one start that two people send at once with one command id starts one agent (case 55)", async () => {
  await using scene = await openScene({ scripted: {} });
  const { user, place } = scene;
  const other = await scene.somebody();
  const args = { agent: "scripted", cwd: place.directory(), name: "only", command_id: "start-once" };
  const replies = await Promise.all(
    [user, other, user, other].map((person) => person.call("agent.session.start", args)),
  );
  expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
  await user.wait("only", "idle");
  expect(
    scene
      .agent()
      .received()
      .filter(({ method }) => method === "initialize"),
  ).toHaveLength(1);
  expect(livingIn(place)).toHaveLength(1);
});

test("two starts at once under one name start one agent, and the other is told who has it (case 55)", async () => {
  await using scene = await openScene({ scripted: {} });
  const { user, place } = scene;
  const other = await scene.somebody();
  const args = { agent: "scripted", cwd: place.directory(), name: "only" };
  const results = await Promise.allSettled([user, other].map((person) => person.call("agent.session.start", args)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const refused = results.find((result) => result.status === "rejected");
  expect(refused?.reason).toMatchObject({ code: "ARGUMENT", body: { field: "name" } });
  await user.wait("only", "idle");
  expect(livingIn(place)).toHaveLength(1);
});

test("tools in a process group or session of their own, orphans too, go with the session", async () => {
  await using scene = await openScene({
    scripted: (directory) => ({
      rules: [
        {
          on: "session/prompt",
          do: (["group", "session", "orphan", "orphan_session"] as const).map((spawn) => ({
            spawn,
            pidFile: `${directory}/pids`,
          })),
        },
        { on: "session/cancel", do: [{ reply: { stopReason: "cancelled" }, to: "$promptId" }] },
        { on: "session/close", do: [{ spawn: "group", pidFile: `${directory}/pids` }, "default"] },
      ],
    }),
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await user.call("agent.session.cancel", { session });
  await turnEnd(user, session);
  await user.call("agent.session.close", { session });
  await stateOf(user, session, "closed");
  const pids = readFileSync(join(scene.agent().directory, "pids"), "utf8").trim().split("\n").map(Number);
  expect(pids).toHaveLength(5);
  expect(await leftOf(pids, 0)).toEqual([]);
});

function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

/** Resolves when the changed file has been read. */
async function catalogued(user: BusUser, agent: string): Promise<void> {
  await expect
    .poll(async () => JSON.stringify(await user.call("agent.list", {})), { timeout: 10_000 })
    .toContain(`"${agent}"`);
}
