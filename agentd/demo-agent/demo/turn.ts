// SPDX-License-Identifier: MIT OR Apache-2.0
// What an act of the demo agent can do during its turn. When the turn is cancelled, everything that takes time throws the
// signal's reason at once.
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { McpClient, ToolResult } from "../mcp-client.ts";
import type { DemoOptions, Pace } from "./options.ts";
import type { SessionFolder } from "./session-folder.ts";

export interface TurnContext {
  readonly options: DemoOptions;
  readonly folder: SessionFolder;
  /** Writes through the client if it offers that. */
  readonly write: (path: string, text: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly update: (update: { readonly sessionUpdate: string; readonly [member: string]: unknown }) => Promise<void>;
  /** Finds an MCP server of the session by its name. */
  readonly server: (name: string) => McpClient | undefined;
  readonly askPermission: (kind: ToolCallStart["kind"], toolCall: object) => Promise<boolean>;
  /** Undefined if the client does not support forms. */
  readonly askForm:
    | ((message: string, schema: object) => Promise<Readonly<Record<string, unknown>> | undefined>)
    | undefined;
}

export interface ToolCallStart {
  readonly title: string;
  readonly kind: "read" | "edit" | "search";
  readonly path?: string;
  readonly rawInput: object;
  readonly content?: readonly object[];
}

export type StepStatus = "pending" | "in_progress" | "completed";

const wordMs: Readonly<Record<Pace, number>> = { slow: 120, normal: 30, fast: 0 };

export class Turn {
  readonly context: TurnContext;
  readonly #openToolCalls = new Set<string>();

  constructor(context: TurnContext) {
    this.context = context;
  }

  /** Streams one message, word by word. */
  say(text: string): Promise<void> {
    return this.#stream("agent_message_chunk", text);
  }

  async think(text: string): Promise<void> {
    if (this.context.options.thoughts) await this.#stream("agent_thought_chunk", text);
  }

  plan(steps: readonly (readonly [content: string, status: StepStatus])[]): void {
    const entries = steps.map(([content, status]) => ({ content, priority: "medium", status }));
    void this.context.update({ sessionUpdate: "plan", entries });
  }

  startToolCall(call: ToolCallStart): string {
    const toolCallId = randomUUID();
    this.#openToolCalls.add(toolCallId);
    void this.context.update({ sessionUpdate: "tool_call", ...toolCallFields(toolCallId, call), status: "pending" });
    return toolCallId;
  }

  runToolCall(toolCallId: string): void {
    void this.context.update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
  }

  endToolCall(toolCallId: string, status: "completed" | "failed", content?: readonly object[]): void {
    this.#openToolCalls.delete(toolCallId);
    void this.context.update({ sessionUpdate: "tool_call_update", toolCallId, status, ...(content && { content }) });
  }

  /** Fails the open tool calls, since none may stay open after its turn. */
  endOpenToolCalls(): void {
    for (const toolCallId of this.#openToolCalls) this.endToolCall(toolCallId, "failed");
  }

  async askPermission(toolCallId: string, call: ToolCallStart): Promise<boolean> {
    const toolCall = { ...toolCallFields(toolCallId, call), status: "pending" };
    return await this.context.askPermission(call.kind, toolCall);
  }

  /** Converts errors of the server into a result with `isError`. */
  async callTool(server: McpClient, name: string, args: object): Promise<ToolResult> {
    try {
      return await server.callTool(name, args, this.context.signal);
    } catch (error) {
      this.context.signal.throwIfAborted();
      return { text: `${server.name}: ${error instanceof Error ? error.message : String(error)}`, isError: true };
    }
  }

  /** Waits as long as ten words take at the current pace, for people who watch. */
  async pause(): Promise<void> {
    await this.wait(10 * wordMs[this.context.options.pace]);
  }

  async wait(ms: number): Promise<void> {
    this.context.signal.throwIfAborted();
    if (ms > 0) await setTimeout(ms, undefined, { signal: this.context.signal });
  }

  async #stream(sessionUpdate: string, text: string): Promise<void> {
    const messageId = randomUUID();
    for (const word of text.match(/\s*\S+\s*/g) ?? []) {
      await this.wait(wordMs[this.context.options.pace]);
      await this.context.update({ sessionUpdate, messageId, content: { type: "text", text: word } });
    }
  }
}

export function textContent(text: string): object {
  return { type: "content", content: { type: "text", text } };
}

function toolCallFields(toolCallId: string, call: ToolCallStart): object {
  const { title, kind, path, rawInput, content } = call;
  const locations = path === undefined ? {} : { locations: [{ path }] };
  return { toolCallId, title, kind, ...locations, rawInput, ...(content && { content }) };
}
