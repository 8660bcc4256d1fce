// SPDX-License-Identifier: MIT OR Apache-2.0
import { randomUUID } from "node:crypto";
import { runAct, availableCommands } from "./acts.ts";
import type { Client } from "../../../acp-face/agent-side/client.ts";
import { RequestError } from "../../../acp-face/agent-side/request-error.ts";
import { RPC } from "../../../acp-client/jsonrpc/message.ts";
import type { ContentBlock, McpServer } from "../../../acp-client/model.ts";
import { isRecord } from "../../../json/record.ts";
import { configOptions } from "../../../acp-face/agent-side/replies.ts";
import { McpClient } from "../mcp-client.ts";
import { DemoOptions } from "./options.ts";
import { FolderError, SessionFolder } from "./session-folder.ts";
import type { SavedSession } from "./session-store.ts";
import { type ToolCallStart, Turn } from "./turn.ts";

const titleCharactersMax = 60;
const contextTokens = 100_000;

/** The updates that make up the conversation: what session/load repeats. */
const conversation: ReadonlySet<unknown> = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

type Update = SavedSession["updates"][number];

export interface OpenedBy {
  readonly cwd: string;
  readonly servers: readonly McpServer[];
  readonly client: Client;
  readonly save: (session: SavedSession) => void;
}

export class DemoSession {
  readonly id: string;
  readonly cwd: string;
  readonly options: DemoOptions;
  readonly #client: Client;
  readonly #servers: readonly McpClient[];
  readonly #save: (session: SavedSession) => void;
  readonly #updates: Update[];
  #title: string | undefined;
  #updatedAt = new Date();
  #usedTokens: number;
  /** Kinds of tool calls that were answered with allow_always. */
  readonly #alwaysAllowed: Set<ToolCallStart["kind"]>;
  #running: AbortController | undefined;

  /** `saved`: the session to continue, in the directory and with the servers that the client gives now. */
  constructor({ cwd, servers, client, save }: OpenedBy, saved?: SavedSession) {
    this.id = saved?.id ?? randomUUID();
    this.cwd = cwd;
    this.#client = client;
    this.#save = save;
    this.#servers = servers.flatMap((server) => ("command" in server ? new McpClient(server, cwd) : []));
    this.options = new DemoOptions(client.capabilities.booleanOptions);
    if (saved) this.options.restore(saved.options);
    this.#title = saved?.title;
    this.#usedTokens = saved?.usedTokens ?? 0;
    this.#alwaysAllowed = new Set(saved?.alwaysAllowed);
    this.#updates = [...(saved?.updates ?? [])];
  }

  save(): void {
    this.#save({
      id: this.id,
      cwd: this.cwd,
      ...(this.#title === undefined ? {} : { title: this.#title }),
      updatedAt: this.#updatedAt.toISOString(),
      usedTokens: this.#usedTokens,
      options: this.options.values(),
      alwaysAllowed: [...this.#alwaysAllowed],
      updates: [...this.#updates],
    });
  }

  /** Tells the client the whole conversation. */
  async replay(): Promise<void> {
    for (const update of this.#updates) await this.#client.update(this.id, update);
  }

  /** Resolves when each of its MCP servers is ready or has failed. */
  async ready(): Promise<void> {
    await Promise.all(this.#servers.map(({ ready }) => ready));
  }

  close(): void {
    this.#running?.abort();
    for (const server of this.#servers) server.close();
  }

  greet(): void {
    void this.update({ sessionUpdate: "available_commands_update", availableCommands: availableCommands() });
  }

  /** Allows one turn at a time. */
  async prompt(blocks: readonly ContentBlock[], cancelled: AbortSignal) {
    const text = textOf(blocks);
    if (this.#running) throw new RequestError(RPC.invalidRequest, "a turn is running in this session");
    this.#running = new AbortController();
    const signal = AbortSignal.any([this.#running.signal, cancelled]);
    const folder = new SessionFolder(this.cwd);
    const { writesFiles, forms } = this.#client.capabilities;
    const turn = new Turn({
      options: this.options,
      folder,
      write: (path, content) =>
        writesFiles ? this.#writeByClient(path, content, signal) : folder.write(path, content),
      signal,
      update: (update) => this.update(update),
      server: (name) => this.#servers.find((server) => server.name === name),
      askPermission: (kind, toolCall) => this.#askPermission(kind, toolCall, signal),
      askForm: forms ? (message, schema) => this.#askForm(message, schema, signal) : undefined,
    });
    for (const content of blocks)
      this.#record({ sessionUpdate: "user_message_chunk", messageId: randomUUID(), content });
    try {
      this.#name(text);
      this.save();
      await runAct(turn, text);
      this.#count(text);
      return { stopReason: "end_turn" };
    } catch (error) {
      turn.endOpenToolCalls();
      if (signal.aborted) return { stopReason: "cancelled" };
      throw error;
    } finally {
      this.#running = undefined;
      this.save();
    }
  }

  /** Updates the option `mode`, too. */
  setMode(mode: unknown): void {
    this.options.setMode(mode);
    this.save();
    const options = configOptions(this.options.configOptions());
    void this.update({ sessionUpdate: "config_option_update", configOptions: options });
  }

  setOption(option: string, value: unknown): void {
    this.options.set(option, value);
    this.save();
    if (option === "mode") void this.update({ sessionUpdate: "current_mode_update", currentModeId: this.options.mode });
  }

  update(update: Update): Promise<void> {
    this.#record(update);
    return this.#client.update(this.id, update);
  }

  /** Joins the chunks of one message. */
  #record(update: Update): void {
    if (!conversation.has(update.sessionUpdate)) return;
    const last = this.#updates.at(-1);
    const [before, text] = [textIn(last), textIn(update)];
    const isOneMessage = last?.sessionUpdate === update.sessionUpdate && last["messageId"] === update["messageId"];
    if (!isOneMessage || before === undefined || text === undefined) this.#updates.push(update);
    else this.#updates.splice(-1, 1, { ...update, content: { type: "text", text: before + text } });
  }

  /** Writes through the client, so that its user sees the change there. */
  async #writeByClient(path: string, content: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.call("fs/write_text_file", { sessionId: this.id, path, content }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new FolderError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  async #askPermission(kind: ToolCallStart["kind"], toolCall: object, signal: AbortSignal): Promise<boolean> {
    if (this.#alwaysAllowed.has(kind)) return true;
    const what = kind === "edit" ? "Write it" : "Read it";
    const options = [
      { optionId: "allow", name: what, kind: "allow_once" },
      { optionId: "allow-always", name: `${what}, and do not ask again in this session`, kind: "allow_always" },
      { optionId: "reject", name: "Leave it", kind: "reject_once" },
    ];
    const answer = await this.#client.askPermission({ sessionId: this.id, toolCall, options }, signal);
    if (answer.outcome !== "selected") return false;
    if (answer.option === "allow-always") this.#alwaysAllowed.add(kind);
    return answer.option !== "reject";
  }

  /** Resolves to the form's content, or undefined if it was not accepted. */
  async #askForm(message: string, requestedSchema: object, signal: AbortSignal) {
    const form = { sessionId: this.id, mode: "form", message, requestedSchema } as const;
    const answer = await this.#client.elicit(form, signal);
    return answer.outcome === "accept" ? (answer.content ?? {}) : undefined;
  }

  /** The first prompt gives the session its title. */
  #name(prompt: string): void {
    this.#updatedAt = new Date();
    const updatedAt = this.#updatedAt.toISOString();
    if (this.#title !== undefined) return void this.update({ sessionUpdate: "session_info_update", updatedAt });
    this.#title = Array.from(prompt.trim().replace(/\s+/g, " ")).slice(0, titleCharactersMax).join("");
    void this.update({ sessionUpdate: "session_info_update", title: this.#title, updatedAt });
  }

  /** A rough estimate for the client's usage display: four characters per token, and an answer of 50 tokens. */
  #count(prompt: string): void {
    this.#usedTokens += Math.ceil(prompt.length / 4) + 50;
    void this.update({ sessionUpdate: "usage_update", used: this.#usedTokens, size: contextTokens });
  }
}

function textIn(update: Update | undefined): string | undefined {
  const content = update?.["content"];
  return isRecord(content) && typeof content["text"] === "string" ? content["text"] : undefined;
}

/**
 * Returns the last text block: clients may put context before it, such as the transcript of an earlier session.
 * avante.nvim puts each message into a tag, the newest first, and context behind them.
 */
function textOf(blocks: readonly ContentBlock[]): string {
  const texts = blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
  const tagged = texts.map((text) => /^<previous_user_message>([^]*)<\/previous_user_message>$/.exec(text)?.[1]);
  return tagged.find((text) => text !== undefined) ?? texts.at(-1) ?? "";
}
