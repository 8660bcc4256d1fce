// SPDX-License-Identifier: MIT OR Apache-2.0
// A minimal client for tests of the demo agent that records every frame and every byte.
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { AgentExit } from "../../../acp-client/agent-events.ts";
import type { AgentProcess } from "../../../acp-client/process/agent-process.ts";
import { startAgentProcess } from "../../../acp-client/process/start-agent-process.ts";
import type { AgentCommand } from "./demo-agent-command.ts";

export type Frame = Readonly<Record<string, unknown>>;
/** The method of each request by its id, to validate the response. */
export type Asked = ReadonlyMap<unknown, string>;

export interface Driver extends AsyncDisposable {
  readonly process: AgentProcess;
  readonly exit: Promise<AgentExit>;
  /** Every received frame, in order. Lines that are not a JSON object are in `output` only. */
  readonly frames: readonly Frame[];
  readonly asked: Asked;
  output(): Buffer;
  send(frame: Frame | string): void;
  /** Resolves with the response, be it a result or an error. */
  request(method: string, params: object): Promise<Frame>;
  /** Resolves with the first matching frame, received or future; rejects after ten seconds. */
  frame(what: string, fits: (frame: Frame) => boolean): Promise<Frame>;
}

export function drive(command: AgentCommand, cwd = tmpdir()): Driver {
  const agent = startAgentProcess({
    command,
    cwd,
    env: { PATH: process.env["PATH"] ?? "" },
    marker: { name: "DRIVER_TEST", value: randomUUID() },
  });
  const chunks: Buffer[] = [];
  const frames: Frame[] = [];
  const asked = new Map<unknown, string>();
  let partial: string[] = []; // joined once per line
  agent.onStdout((chunk) => {
    chunks.push(chunk);
    const [first = "", ...others] = chunk.toString().split("\n");
    partial.push(first);
    for (const next of others) {
      frames.push(...objectOf(partial.join("")));
      partial = [next];
    }
  });
  const exit = new Promise<AgentExit>((resolve) => agent.onExit(resolve));
  const send = (frame: Frame | string): void =>
    void agent.write(typeof frame === "string" ? frame : `${JSON.stringify(frame)}\n`);
  const frame = async (what: string, fits: (frame: Frame) => boolean): Promise<Frame> => {
    const deadline = performance.now() + 10_000;
    for (;;) {
      const found = frames.find(fits);
      if (found) return found;
      if (performance.now() > deadline)
        throw new Error(`no frame came: ${what}; got ${JSON.stringify(frames).slice(-2000)} ${agent.stderrTail()}`);
      await setTimeout(2);
    }
  };
  return {
    process: agent,
    exit,
    frames,
    asked,
    output: () => Buffer.concat(chunks),
    send,
    request: (method, params) => {
      const id = `ask-${asked.size}`;
      asked.set(id, method);
      send({ jsonrpc: "2.0", id, method, params });
      return frame(`the answer to ${method}`, (one) => one["id"] === id && one["method"] === undefined);
    },
    frame,
    [Symbol.asyncDispose]: async () => {
      await agent.stop({ stdinGraceMs: 0, termGraceMs: 0 });
    },
  };
}

/** Initializes the agent, opens a session and returns its id. */
export async function openSession(driver: Driver, cwd: string, clientCapabilities: object = {}): Promise<string> {
  await driver.request("initialize", { protocolVersion: 1, clientCapabilities });
  const opened = await driver.request("session/new", { cwd, mcpServers: [] });
  return (opened["result"] as { sessionId: string }).sessionId;
}

export function promptOf(sessionId: string, text: string): object {
  return { sessionId, prompt: [{ type: "text", text }] };
}

/** Returns the updates of one variant, in order. */
export function updates(driver: Driver, variant: string): Frame[] {
  return driver.frames
    .filter((frame) => frame["method"] === "session/update")
    .map((frame) => (frame["params"] as { update: Frame }).update)
    .filter((update) => update["sessionUpdate"] === variant);
}

/** Returns the joined text of the agent's messages. */
export function said(driver: Driver): string {
  return updates(driver, "agent_message_chunk")
    .map((update) => (update["content"] as { text: string }).text)
    .join("");
}

function objectOf(line: string): Frame[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? [value as Frame] : [];
  } catch {
    return [];
  }
}
