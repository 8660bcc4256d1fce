// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent on the Bus, by the name that its programs bear: it can act on others, and not on itself.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { scriptedAgent } from "./scripted-agent/agent-files.ts";
import { BusUser } from "./harness/bus-user.ts";
import { startDaemonHere } from "./harness/daemon-here.ts";
import { handedServer, startHandedServer } from "./harness/handed-server.ts";
import { makePlace } from "./harness/place.ts";

test("an agent may not answer its own question, prompt itself, or end the instance; its child may not start sessions", async () => {
  using agent = scriptedAgent({ rules: [{ on: "session/prompt", match: "ask", do: [{ permission: {} }, "default"] }] });
  using place = makePlace({ mine: agent.command });
  await using daemon = await startDaemonHere(place);
  const person = await BusUser.watching(await daemon.connect());
  const cwd = place.directory();
  const session = await person.start({ agent: "mine", cwd, prompt: "ask", name: "asking" });
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

  const child = await itself.start({ agent: "mine", cwd });
  expect((await person.get(child)).parent).toBe(session);
  expect((await person.get(session)).children).toEqual([child]);
  const grandchild = new BusUser(await daemon.connect(`mcp-s-${child}-abcd`));
  expect((await grandchild.refusal("agent.session.start", { agent: "mine", cwd })).code).toBe("AGENT_DEPTH");

  await person.call("agent.permission.answer", { request, option: "allow" });
  await person.wait(session, "idle");
});

test("through the MCP server and the command line that it has, an agent reaches others and not itself", async () => {
  using agent = scriptedAgent({ rules: [{ on: "session/prompt", match: "ask", do: [{ permission: {} }, "default"] }] });
  using place = makePlace({ mine: agent.command }, "bus_tools = true");
  await using daemon = await startDaemonHere(place);
  const person = await BusUser.watching(await daemon.connect());
  const cwd = place.directory();
  const session = await person.start({ agent: "mine", cwd, prompt: "ask", name: "asking" });
  await person.wait(session, "waiting");
  const request = (await person.get(session)).requests[0]?.request ?? "";

  const own = await startHandedServer(handedServer(agent));
  const ask = (command: string, args: object = {}) => ({ service: "agent", command, args });
  // It cannot first get rid of the name by which all of this is known.
  for (const service of ["noded", "local.bus", "noded.local", "x.noded.local", "x.noded.local.bus"]) {
    for (const command of ["noded.deregister", "noded.deregister "])
      await own.refusal("bus_call", { service, command });
  }
  const forbidden: [string, object][] = [
    ["agent.permission.answer", { request, option: "allow" }],
    ["agent.session.prompt", { session: "asking", prompt: "more" }],
    ["agent.session.cancel", { session }],
    ["agent.session.close", { session: session.slice(0, 6) }],
    ["agent.session.purge", { session }],
    ["agent.log.prune", { before: "2020-01-01T00:00:00Z" }],
    ["agent.probe", { agent: "demo" }],
    ["agent.log.redact", { sha256: "0".repeat(64), length: 20 }],
    ["QUIT", {}],
  ];
  for (const [command, args] of forbidden) {
    expect({ command, ...(await own.refusal("bus_call", ask(command, args))) }).toMatchObject({
      command,
      error_code: "AGENT_SELF",
    });
  }
  expect((await own.tool("bus_call", ask("agent.session.get", { session }))).isError).toBe(false);

  const start = ask("agent.session.start", { agent: "mine", cwd });
  const { session: child } = JSON.parse((await own.tool("bus_call", start)).texts[0] ?? "") as { session: string };
  await person.wait(child, "idle");
  expect(await person.get(child)).toMatchObject({ parent: session });
  expect((await person.get(session)).children).toEqual([child]);
  expect((await own.tool("bus_call", ask("agent.session.prompt", { session: child, prompt: "go" }))).isError).toBe(
    false,
  );
  const childs = await startHandedServer(handedServer(agent, 2));
  expect(await childs.refusal("bus_call", start)).toMatchObject({ error_code: "AGENT_DEPTH" });

  const env = { ...place.environment, AGENTD_SESSION: `${daemon.daemon.log.id}/${session}` };
  const mix = async (...words: string[]) => {
    const program = fileURLToPath(new URL("../dist/bin/mix.cjs", import.meta.url));
    const ended = promisify(execFile)(process.execPath, [program, ...words], { env });
    return await ended.catch((error: { code: number; stdout: string; stderr: string }) => error);
  };
  expect(await mix("agent", "close", session)).toMatchObject({ code: 1, stderr: expect.stringMatching(/own session/) });
  expect((await mix("agent", "ls")).stdout).toContain(`child of ${session}`);
  expect((await mix("agent", "show", session)).stdout).toMatch(new RegExp(`children +${child}`));

  await person.call("agent.permission.answer", { request, option: "allow" });
  await person.wait(session, "idle");
});
