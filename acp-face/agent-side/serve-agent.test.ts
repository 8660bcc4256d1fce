// SPDX-License-Identifier: MIT OR Apache-2.0
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Agent } from "./agent.ts";
import { AgentMethods } from "./agent-methods.ts";
import { serveAgent } from "./serve-agent.ts";

test("what is read before the agent is loaded is called in its order when it is, and the end after it", async () => {
  const called: string[] = [];
  const agent: Agent = {
    newSession: async () => (called.push("new"), { sessionId: "s" }),
    prompt: (_, signal) => {
      called.push("prompt");
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ stopReason: "end_turn" })));
    },
    cancelled: () => void called.push("cancelled"),
    ended: async () => void called.push("ended"),
  };
  let loaded = (): void => {};
  const load = new Promise<AgentMethods>((resolve) => (loaded = () => resolve(new AgentMethods(agent))));
  const [input, output] = [new PassThrough(), new PassThrough({ encoding: "utf8" })];
  const served = serveAgent({
    input,
    output,
    diagnose: () => {},
    start: () => ({
      advertised: {},
      initialize: () => ({ info: { name: "late", version: "1" } }),
      load: () => (called.push("load"), load),
    }),
  });
  const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  const prompt = { sessionId: "s", prompt: [{ type: "text", text: "go" }] };
  const answers = (): unknown[] =>
    String(output.read() ?? "")
      .split("\n")
      .flatMap((text) => (text === "" ? [] : [(JSON.parse(text) as { readonly id: unknown }).id]));
  input.write(
    [
      line({ id: 0, method: "session/new", params: { cwd: "/" } }),
      line({ id: 1, method: "initialize", params: { protocolVersion: 1 } }),
      line({ id: 2, method: "session/new", params: { cwd: "/" } }),
      line({ id: 3, method: "session/prompt", params: prompt }),
      line({ method: "session/cancel", params: { sessionId: "s" } }),
      line({ id: 4, method: "session/prompt", params: prompt }),
    ].join(""),
  );
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  // The first came before initialize, and is refused.
  expect({ called, answers: answers() }).toEqual({ called: ["load"], answers: [0, 1] });
  input.end();
  await setImmediate();
  loaded();
  await served.closed;
  expect(called).toEqual(["load", "new", "prompt", "cancelled", "prompt", "ended"]);
  expect(answers()).toEqual([2, 3, 4]);
});
