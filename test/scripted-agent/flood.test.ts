// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { playing } from "./agent-files.ts";
import { scriptedAgentProgram } from "./build.ts";
import { drive, openSession, promptOf, updates } from "../../agentd/demo-agent/testing/driver.ts";
import type { Driver } from "../../agentd/demo-agent/testing/driver.ts";
import type { FloodStep } from "./scenario.ts";

function flooding(flood: FloodStep): Driver {
  return drive(playing({ rules: [{ on: "session/prompt", do: [flood, "default"] }] }));
}

test("a flood of chunks has exactly its count, each of its size, and then the response", async () => {
  await using driver = flooding({ flood: "chunks", count: 30_000, bytes: 50 });
  const sessionId = await openSession(driver, "/tmp");
  const reply = await driver.request("session/prompt", promptOf(sessionId, "go"));
  expect(driver.frames.at(-1)).toBe(reply);
  const chunks = updates(driver, "agent_message_chunk");
  expect(chunks).toHaveLength(30_001);
  expect(chunks[29_999]).toEqual({
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "x".repeat(50) },
  });
});

test("the texts of a numbered flood are in order", async () => {
  await using driver = flooding({ flood: "chunks", count: 5000, numbered: true });
  const sessionId = await openSession(driver, "/tmp");
  await driver.request("session/prompt", promptOf(sessionId, "go"));
  const numbers = updates(driver, "agent_message_chunk").map(({ content }) =>
    Number.parseInt((content as { text: string }).text, 10),
  );
  expect(numbers.slice(0, 5000)).toEqual(Array.from({ length: 5000 }, (_, index) => index + 1));
});

test("a flood of tool calls carries diffs of 8 KB", async () => {
  await using driver = flooding({ flood: "tool_calls", count: 200 });
  const sessionId = await openSession(driver, "/tmp");
  await driver.request("session/prompt", promptOf(sessionId, "go"));
  const calls = updates(driver, "tool_call_update");
  expect(calls).toHaveLength(200);
  expect(calls[0]).toMatchObject({ content: [{ type: "diff", newText: "x".repeat(8192) }] });
});

test("a flood of stderr fills the stderr tail and does not affect stdout", async () => {
  await using driver = flooding({ flood: "stderr", count: 50_000, bytes: 100 });
  const sessionId = await openSession(driver, "/tmp");
  expect((await driver.request("session/prompt", promptOf(sessionId, "go")))["result"]).toEqual({
    stopReason: "end_turn",
  });
  await expect.poll(() => Buffer.byteLength(driver.process.stderrTail())).toBe(64 * 1024);
});

test("a flood is cancelled in its middle", async () => {
  const count = 5_000_000;
  await using driver = flooding({ flood: "chunks", count, bytes: 1000 });
  const sessionId = await openSession(driver, "/tmp");
  const turn = driver.request("session/prompt", promptOf(sessionId, "go"));
  await driver.frame("it floods", (frame) => frame["method"] === "session/update");
  driver.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
  expect((await turn)["result"]).toEqual({ stopReason: "cancelled" });
  expect(updates(driver, "agent_message_chunk").length).toBeLessThan(count);
});

test("a reader that pauses makes the flood wait instead of filling the agent's memory", async () => {
  await using driver = flooding({ flood: "chunks", count: 20_000, bytes: 1000 });
  const sessionId = await openSession(driver, "/tmp");
  const turn = driver.request("session/prompt", promptOf(sessionId, "go"));
  await driver.frame("it floods", (frame) => frame["method"] === "session/update");
  driver.process.pause();
  const seen = driver.output().length;
  await drive([process.execPath, scriptedAgentProgram]).exit; // meanwhile another process comes and goes
  expect(driver.output().length).toBe(seen);
  driver.process.resume();
  await turn;
  expect(updates(driver, "agent_message_chunk")).toHaveLength(20_001);
});
