// SPDX-License-Identifier: MIT OR Apache-2.0
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findByIdentity, identityOf } from "../../acp-client/process/process-identity.ts";
import { BusUser } from "../harness/bus-user.ts";
import { startDaemonHere } from "../harness/daemon-here.ts";
import { makePlace } from "../harness/place.ts";

/** An agent whose child has a session and an empty environment of its own, and which leaves as soon as it is told to close. */
const program = `
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize")
    say({ id, result: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } } });
  if (method === "session/new") {
    const child = spawn("/usr/bin/setsid", ["/usr/bin/env", "-i", "/bin/sleep", "600"], { stdio: "ignore" });
    say({ id, result: { sessionId: String(child.pid) } });
  }
  if (method === "session/close") {
    say({ id, result: {} });
    process.exit(0);
  }
});
`;

test("what an agent started in a session and an environment of its own is gone too when the agent leaves at session/close", async () => {
  using place = makePlace();
  const file = join(place.home, "agent.mjs");
  writeFileSync(file, program);
  place.configure(`[agents.mine]\ncommand = ${JSON.stringify([process.execPath, file])}\n`);
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  const session = await user.start({ agent: "mine", cwd: place.directory() });
  await user.wait(session, "idle");
  const pid = Number((await user.get(session)).agent_session_id);
  const child = identityOf(pid);
  expect(child && findByIdentity(child)).toBeDefined();
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  expect(child && findByIdentity(child)).toBeUndefined();
});
