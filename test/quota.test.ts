// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { scriptedAgent } from "./scripted-agent/agent-files.ts";
import { BusUser } from "./harness/bus-user.ts";
import { startDaemonHere } from "./harness/daemon-here.ts";
import { makePlace } from "./harness/place.ts";

test("from its quota on the log takes nothing new, what ends things goes on, and a purge makes room", async () => {
  using agent = scriptedAgent({
    rules: [{ on: "session/prompt", match: "much", do: [{ text: { $fill: 1_100_000 } }, "default"] }],
  });
  using place = makePlace({ mine: agent.command }, 'log_quota = "1MB"');
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  const cwd = place.directory();
  const first = await user.start({ agent: "mine", cwd, prompt: "much" });
  await user.wait(first, "idle");
  const refused = await user.refusal("agent.session.prompt", { session: first, prompt: "more" });
  expect(refused).toMatchObject({ code: "STORE_FAILED", body: { reason: "quota" } });
  expect((await user.refusal("agent.session.start", { agent: "mine", cwd })).code).toBe("STORE_FAILED");
  await user.call("agent.session.close", { session: first });
  await user.wait(first, "ended");
  await user.call("agent.session.purge", { session: first });
  const second = await user.start({ agent: "mine", cwd, prompt: "little" });
  expect((await user.wait(second, "idle")).state).toBe("idle");
});
