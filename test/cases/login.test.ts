// SPDX-License-Identifier: MIT OR Apache-2.0
// Agents that need a login: at the start, in the middle, or for ever.
// @module-tag slow
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import type { JsonObject, Rule, Step } from "../scripted-agent/scenario.ts";
import { agentText, openScene, stateOf, turnEnd } from "./scene.ts";

const needsLogin: Step = { error: { code: -32000, message: "Authentication required" } };
const browser = { id: "browser", name: "Log in with a browser" };
const cached = { id: "cached_token", name: "Use the stored login" };

function refusing(method: string, ...authMethods: JsonObject[]) {
  return (...rules: Rule[]) => ({ initialize: { authMethods }, rules: [...rules, { on: method, do: [needsLogin] }] });
}

function sent(agent: { received(): readonly { readonly method?: unknown }[] }, ...methods: string[]): unknown[] {
  return agent.received().filter(({ method }) => methods.includes(String(method)));
}

test("an agent that wants to be told to use its stored login is told so once, and opens the session (case 73)", async () => {
  await using scene = await openScene({
    scripted: refusing("session/new", browser, cached)({ on: "session/new", nth: 2, do: ["default"] }),
  });
  const session = await scene.idle();
  const { user } = scene;
  await turnEnd(user, session, await user.prompt(session, "hello"));
  expect(agentText(await user.log(session))).toBe("ok");
  const ways = sent(scene.agent(), "authenticate", "session/new");
  expect(ways).toMatchObject([
    { method: "session/new" },
    { method: "authenticate", params: { methodId: "cached_token" } },
    { method: "session/new" },
  ]);
});

test("a login that changes nothing is tried once, and then the person is told what to type (case 74)", async () => {
  await using scene = await openScene({ scripted: refusing("session/new", browser, cached)() });
  const { user, place } = scene;
  const session = await user.start({ agent: "scripted", cwd: place.directory() });
  const { error } = await stateOf(user, session, "failed");
  expect(error).toMatchObject({ error_code: "AGENT_AUTH", agent: "scripted", methods: [browser, cached] });
  expect(error?.message).toContain("To log in, run `mix agent agents login scripted`.");
  expect(sent(scene.agent(), "authenticate", "session/new")).toHaveLength(3);
});

test("a person whose key was refused is told which one, and how to replace it", async () => {
  await using scene = await openScene({ scripted: refusing("session/new", browser)() });
  const { user, place } = scene;
  const key = join(place.stateDirectory, "env", "scripted:MY_KEY");
  writeFileSync(key, "sk-canary-0123456789", { mode: 0o600 });
  const session = await user.start({ agent: "scripted", cwd: place.directory() });
  const { error } = await stateOf(user, session, "failed");
  expect(error?.message).toContain(
    "The key that it was given, MY_KEY, was refused, unless it uses a login that it has kept. To log in, run `mix agent agents login scripted`, or replace the key with `mix agent env set MY_KEY --agent scripted`.",
  );
});

test("no login that may open a browser is begun unasked (case 76)", async () => {
  await using scene = await openScene({
    scripted: refusing("session/new", browser)({ on: "authenticate", do: [] }),
  });
  const { user, place } = scene;
  const session = await user.start({ agent: "scripted", cwd: place.directory() });
  expect((await stateOf(user, session, "failed")).error).toMatchObject({ error_code: "AGENT_AUTH" });
  expect(sent(scene.agent(), "authenticate")).toEqual([]);
});

test("a login that expires ends the turn and not the session, and nothing that is queued is lost (case 76)", async () => {
  const expired: Step = { error: { code: 401, message: '{"error":{"code":401,"status":"UNAUTHENTICATED"}}' } };
  await using scene = await openScene({
    scripted: (directory) => ({
      initialize: { authMethods: [browser] },
      rules: [{ on: "session/prompt", match: "one", do: [{ waitForFile: join(directory, "go") }, expired] }],
    }),
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "one");
  await user.call("agent.session.prompt", { session, prompt: "two", when_busy: "queue" });
  writeFileSync(join(scene.agent().directory, "go"), "");
  const error = { error_code: "AGENT_AUTH", agent: "scripted", methods: [browser] };
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "failed", sent: true, error });
  expect(await turnEnd(user, session, 2)).toMatchObject({ stop_reason: "interrupted", sent: false, error });
  await user.wait(session, "idle");
  await turnEnd(user, session, await user.prompt(session, "three"));
  expect(agentText(await user.log(session), 3)).toBe("ok");
});

test.each(["initialize", "session/load", "session/resume"])(
  "a refused %s that needs a login says so",
  async (method) => {
    const agentCapabilities = {
      loadSession: true,
      sessionCapabilities: method === "session/resume" ? { resume: {} } : {},
    };
    const initialize = { agentCapabilities, authMethods: [browser] };
    await using scene = await openScene({ scripted: { initialize } });
    const { user } = scene;
    const session = await scene.idle();
    await user.call("agent.session.close", { session });
    await user.wait(session, "ended");
    const { directory } = scene.agent();
    writeFileSync(
      join(directory, "scenario.json"),
      JSON.stringify({ initialize, rules: [{ on: method, do: [needsLogin] }] }),
    );
    await user.call("agent.session.resume", { session });
    const failed = await user.entry<Extract<Entry, { kind: "state" }>>(
      session,
      (entry) => entry.kind === "state" && entry.error !== undefined,
    );
    expect(failed.error).toMatchObject({ error_code: "AGENT_AUTH", agent: "scripted" });
  },
);
