// SPDX-License-Identifier: MIT OR Apache-2.0
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { done } from "../../bus-client/index.ts";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

const acp = {
  sessionId: "s",
  toolCall: { toolCallId: "t", title: "Read", kind: "read", locations: [{ path: "/ws/a" }] },
  options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
};
const asked = {
  tool_call: { tool_call_id: "t", tool_kind: "read", locations: [{ path: "/ws/a" }] },
  options: [{ option: "yes", kind: "allow_once" }],
};
const allowed = { policy: "reading", outcome: "allow_once", option: "yes", rule: 1, why: "rule 1: read" };

test("a file in ACP's form, with or without its frame, is converted to agentd's; the answer goes to stdout, the reason to stderr", async () => {
  const agentd = await bench.agentd({ replies: { "agent.policy.test": done(allowed) } });
  const file = join(bench.directory, "request.json");
  for (const document of [acp, { jsonrpc: "2.0", id: 1, params: acp }]) {
    writeFileSync(file, `\ufeff${JSON.stringify(document)}`);
    const ran = await bench.run(["agent", "policy", "test", file, "--policy", "reading", "--cwd", "/ws"]);
    expect(ran).toMatchObject({ code: 0, stdout: "allow_once yes\n", stderr: "reading: rule 1: read\n" });
  }
  const request = { cwd: "/ws", ...asked };
  expect(agentd.asked).toEqual([
    ["agent.policy.test", { policy: "reading", request }],
    ["agent.policy.test", { policy: "reading", request }],
  ]);
});

test("stdin, agentd's own form and a request's id are accepted; the answer ask exits 0", async () => {
  const reply = done({ policy: "reading", outcome: "ask", why: "no location" });
  const agentd = await bench.agentd({ replies: { "agent.policy.test": reply } });
  const stdin = `\ufeff${JSON.stringify({ schema: "mix.request.v1", cwd: "/own", ...asked })}`;
  const ran = await bench.run(["agent", "policy", "test", "-", "--policy", "reading"], { stdin });
  expect(ran).toMatchObject({ code: 0, stdout: "ask\n" });
  const known = await bench.run(["agent", "policy", "test", "abcdefghijkl-1", "--policy", "reading", "--json"]);
  expect(JSON.parse(known.stdout)).toMatchObject({ schema: "mix.policy-test.v1", outcome: "ask" });
  expect(agentd.asked.map(([, args]) => (args as { request: unknown }).request)).toEqual([
    { schema: "mix.request.v1", cwd: "/own", ...asked },
    "abcdefghijkl-1",
  ]);
});

test("a file that is missing, not JSON or not a request, and a missing policy are usage errors", async () => {
  await bench.agentd();
  const file = join(bench.directory, "request.json");
  const run = async (...words: string[]): Promise<number> =>
    (await bench.run(["agent", "policy", "test", ...words])).code;
  const missing = await bench.run(["agent", "policy", "test", file, "--policy", "reading"]);
  expect(missing).toMatchObject({ code: 2, stderr: `USAGE: ${file} does not exist\n` });
  for (const text of ["{", "[]", "null", '{"toolCall":{}}']) {
    writeFileSync(file, text);
    expect(await run(file, "--policy", "reading")).toBe(2);
  }
  const without = await bench.run(["agent", "policy", "test", file]);
  expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining("--policy is missing") as string });
});
