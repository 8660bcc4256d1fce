// SPDX-License-Identifier: MIT OR Apache-2.0
// The demo agent with the client of the official SDK, an implementation of ACP independent of ours.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, type SessionNotification } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { demoAgentCommand } from "../testing/demo-agent-command.ts";

test("the official client opens a session, allows a permission, sees the file written and cancels a turn", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "official-client-"));
  const [program, ...args] = demoAgentCommand;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const seen: SessionNotification[] = [];
  try {
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    const app = client({ name: "test" })
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        const option = params.options.find(({ kind }) => kind === "allow_once");
        return { outcome: { outcome: "selected", optionId: option?.optionId ?? "" } };
      })
      .onNotification(methods.client.session.update, ({ params }) => void seen.push(params));
    await app.connectWith(stream, async (agent) => {
      const told = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
      expect(told).toMatchObject({ protocolVersion: 1, agentInfo: { name: "demo" } });
      const { sessionId, modes } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
      expect(modes?.currentModeId).toBe("auto");
      const prompt = (text: string) =>
        agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
      await agent.request(methods.agent.session.setMode, { sessionId, modeId: "ask" });
      expect(await prompt("write hello.txt hi")).toMatchObject({ stopReason: "end_turn" });
      expect(readFileSync(join(cwd, "hello.txt"), "utf8")).toBe("hi\n");
      const slow = prompt("slow 600");
      await agent.notify(methods.agent.session.cancel, { sessionId });
      expect(await slow).toMatchObject({ stopReason: "cancelled" });
    });
    expect(seen.map(({ update }) => update.sessionUpdate)).toContain("tool_call");
  } finally {
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
    rmSync(cwd, { recursive: true });
  }
});
