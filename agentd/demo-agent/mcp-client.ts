// SPDX-License-Identifier: MIT OR Apache-2.0
// A minimal MCP client: starts a server on stdio and calls its tools.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
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
  readonly #child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  readonly #connection: Connection | undefined;
  readonly #gone = new AbortController();

  constructor({ name, command, args, env }: ServerCommand, cwd: string) {
    this.name = name;
    const own = Object.fromEntries(env.map((variable) => [variable.name, variable.value]));
    const fail = (why: string): void => {
      this.failure ??= why;
      this.#gone.abort(new Error(this.failure));
    };
    let child: ChildProcessByStdio<Writable, Readable, null>;
    try {
      child = spawn(command, args, { cwd, env: { ...process.env, ...own }, stdio: ["pipe", "pipe", "ignore"] });
    } catch (error) {
      // Words that no program can be given, such as one with a NUL character.
      fail(messageOf(error));
      this.ready = Promise.resolve();
      return;
    }
    this.#child = child;
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
    this.ready = this.#initialize(this.#connection).catch((error: unknown) => fail(messageOf(error)));
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
    this.#child?.stdin.end();
  }

  async #initialize(connection: Connection): Promise<void> {
    const clientInfo = { name: "demo", version: "1.0.0" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    await this.#request("initialize", params, AbortSignal.timeout(readyWithinMs));
    await connection.notify("notifications/initialized", {});
  }

  #request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    this.#gone.signal.throwIfAborted();
    if (this.#connection === undefined) throw new Error("unreachable: a server that did not start is gone");
    return this.#connection.request(method, params, AbortSignal.any([signal, this.#gone.signal]));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
