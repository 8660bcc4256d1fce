// SPDX-License-Identifier: MIT OR Apache-2.0
// A minimal MCP client: starts a server on stdio and calls its tools.
import { type ChildProcess, spawn } from "node:child_process";
import { Connection } from "../../acp-face/agent-side/connection.ts";
import { RequestError } from "../../acp-face/agent-side/request-error.ts";
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import type { McpServer } from "../../acp-client/model.ts";
import { isRecord } from "../../json/record.ts";

type ServerCommand = Extract<McpServer, { readonly command: string }>;

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Timeout of the server's initialize, after which the agent continues without it. */
const readyWithinMs = 10_000;

export class McpClient {
  readonly name: string;
  /** Resolves also if the server failed to start; `failure` then says why. */
  readonly ready: Promise<void>;
  failure: string | undefined;
  readonly #child: ChildProcess;
  readonly #connection: Connection;
  readonly #gone = new AbortController();

  constructor({ name, command, args, env }: ServerCommand, cwd: string) {
    this.name = name;
    const own = Object.fromEntries(env.map((variable) => [variable.name, variable.value]));
    const child = spawn(command, args, { cwd, env: { ...process.env, ...own }, stdio: ["pipe", "pipe", "ignore"] });
    this.#child = child;
    const fail = (why: string): void => {
      this.failure ??= why;
      this.#gone.abort(new Error(this.failure));
    };
    child.on("error", (error) => fail(error.message));
    this.#connection = new Connection({
      input: child.stdout,
      output: child.stdin,
      isServer: false,
      diagnose: () => {},
      handler: {
        request: async (method) => {
          throw new RequestError(RPC.methodNotFound, `There is no method ${method}`);
        },
        notification: () => {},
        ended: () => fail("it ended"),
      },
    });
    this.ready = this.#initialize().catch((error: unknown) =>
      fail(error instanceof Error ? error.message : String(error)),
    );
  }

  /** Rejects with the signal's reason, or if the server has ended. */
  async callTool(name: string, args: object, signal: AbortSignal): Promise<ToolResult> {
    await this.ready;
    const result = await this.#request("tools/call", { name, arguments: args }, signal);
    const content = isRecord(result) && Array.isArray(result["content"]) ? result["content"] : [];
    const texts = content.filter(isRecord).map(({ text }) => (typeof text === "string" ? text : ""));
    return { text: texts.join("\n"), isError: isRecord(result) && result["isError"] === true };
  }

  /** Closes the server's stdin, on which it ends. */
  close(): void {
    this.#child.stdin?.end();
  }

  async #initialize(): Promise<void> {
    const clientInfo = { name: "demo", version: "1.0.0" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    await this.#request("initialize", params, AbortSignal.timeout(readyWithinMs));
    await this.#connection.notify("notifications/initialized", {});
  }

  #request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    this.#gone.signal.throwIfAborted();
    return this.#connection.request(method, params, AbortSignal.any([signal, this.#gone.signal]));
  }
}
