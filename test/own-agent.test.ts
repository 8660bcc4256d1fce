// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent on the Bus, by the name that its programs bear: it can act on others, and not on itself.
import { expect, test } from "vitest";
import { scriptedAgent } from "../agentd/testing/scripted-agent.ts";
import { BusUser } from "./harness/bus-user.ts";
import { startDaemonHere } from "./harness/daemon-here.ts";
import { makePlace } from "./harness/place.ts";

test("an agent may not answer its own question, prompt itself, or end the instance; its child may not start sessions", async () => {
  using agent = scriptedAgent({ rules: [{ on: "session/prompt", match: "ask", do: [{ permission: {} }, "default"] }] });
  using place = makePlace({ mine: agent.command });
  await using daemon = await startDaemonHere(place);
  const person = await BusUser.watching(await daemon.connect());
  const session = await person.start({ agent: "mine", cwd: place.directory(), prompt: "ask", name: "asking" });
  await person.wait(session, "waiting");
  const [question] = (await person.get(session)).requests;
  const request = question?.request ?? "";

  const itself = new BusUser(await daemon.connect(`mcp-s-${session}-abcd`));
  expect((await itself.refusal("agent.permission.answer", { request, option: "allow" })).code).toBe("AGENT_SELF");
  expect((await itself.refusal("agent.session.prompt", { session: "asking", prompt: "more" })).code).toBe("AGENT_SELF");
  expect((await itself.refusal("agent.session.close", { session: session.slice(0, 6) })).code).toBe("AGENT_SELF");
  const quit = await itself.client.call("agent", "QUIT");
  expect(quit.rc).toBe(10);
  expect(JSON.parse(quit.body)).toMatchObject({ error_code: "AGENT_SELF" });
  expect((await itself.get(session)).state).toBe("waiting");

  const child = await itself.start({ agent: "mine", cwd: place.directory() });
  expect((await person.get(child)).parent).toBe(session);
  expect((await person.get(session)).children).toEqual([child]);
  const grandchild = new BusUser(await daemon.connect(`mcp-s-${child}-abcd`));
  expect((await grandchild.refusal("agent.session.start", { agent: "mine", cwd: place.directory() })).code).toBe(
    "AGENT_DEPTH",
  );

  await person.call("agent.permission.answer", { request, option: "allow" });
  await person.wait(session, "idle");
});
