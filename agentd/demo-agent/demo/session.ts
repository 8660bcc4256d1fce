// SPDX-License-Identifier: MIT OR Apache-2.0
import { randomUUID } from "node:crypto";
import { runAct, availableCommands } from "./acts.ts";
import { RpcError, isObject, rpcCodes } from "./connection.ts";
import type { Connection, Params } from "./connection.ts";
import { McpClient, type ServerCommand } from "../mcp-client.ts";
import { DemoOptions } from "./options.ts";
import { FolderError, SessionFolder } from "./session-folder.ts";
import { type ToolCallStart, Turn } from "./turn.ts";

const titleCharactersMax = 60;
const contextTokens = 100_000;

/** The capabilities of the client that the demo agent uses. */
export interface ClientFeatures {
  /** Boolean options. */
  readonly booleans: boolean;
  /** Elicitation in form mode. */
  readonly forms: boolean;
  /** fs/write_text_file. */
  readonly writes: boolean;
}

export class DemoSession {
  readonly id = randomUUID();
  readonly cwd: string;
  readonly options: DemoOptions;
  readonly #client: ClientFeatures;
  readonly #connection: Connection;
  readonly #servers: readonly McpClient[];
  #title: string | undefined;
  #updatedAt = new Date();
  #usedTokens = 0;
  /** Kinds of tool calls that were answered with allow_always. */
  readonly #alwaysAllowed = new Set<ToolCallStart["kind"]>();
  #running: AbortController | undefined;

  constructor(cwd: string, servers: readonly ServerCommand[], client: ClientFeatures, connection: Connection) {
    this.cwd = cwd;
    this.#client = client;
    this.#servers = servers.map((server) => new McpClient(server, cwd));
    this.options = new DemoOptions(client.booleans);
    this.#connection = connection;
  }

  info(): object {
    const title = this.#title === undefined ? {} : { title: this.#title };
    return { sessionId: this.id, cwd: this.cwd, updatedAt: this.#updatedAt.toISOString(), ...title };
  }

  /** Resolves when each of its MCP servers is ready or has failed. */
  async ready(): Promise<void> {
    await Promise.all(this.#servers.map(({ ready }) => ready));
  }

  /** Cancels the turn and ends the MCP servers. */
  close(): void {
    this.cancel();
    for (const server of this.#servers) server.close();
  }

  greet(): void {
    this.update({ sessionUpdate: "available_commands_update", availableCommands: availableCommands() });
  }

  /** Resolves to the result of session/prompt. Cancelled by `cancel` or `requestSignal`. Allows one turn at a time. */
  async prompt(blocks: unknown, requestSignal: AbortSignal): Promise<object> {
    const text = textOf(blocks);
    if (this.#running) throw new RpcError(rpcCodes.invalidRequest, "a turn is running in this session");
    const running = new AbortController();
    this.#running = running;
    const signal = AbortSignal.any([running.signal, requestSignal]);
    const folder = new SessionFolder(this.cwd);
    const turn = new Turn({
      options: this.options,
      folder,
      write: (path, content) =>
        this.#client.writes ? this.#writeByClient(path, content, signal) : folder.write(path, content),
      signal,
      update: (update) => this.update(update),
      server: (name) => this.#servers.find((server) => server.name === name),
      askPermission: (kind, toolCall) => this.#askPermission(kind, toolCall, signal),
      askForm: this.#client.forms ? (message, schema) => this.#askForm(message, schema, signal) : undefined,
    });
    try {
      this.#name(text);
      await runAct(turn, text);
      this.#count(text);
      return { stopReason: "end_turn" };
    } catch (error) {
      turn.endOpenToolCalls();
      if (signal.aborted) return { stopReason: "cancelled" };
      throw error;
    } finally {
      this.#running = undefined;
    }
  }

  cancel(): void {
    this.#running?.abort();
  }

  /** Updates the option `mode`, too. */
  setMode(mode: unknown): void {
    this.options.setMode(mode);
    this.update({ sessionUpdate: "config_option_update", configOptions: this.options.configOptions() });
  }

  setOption(option: string, value: unknown): void {
    this.options.set(option, value);
    if (option === "mode") this.update({ sessionUpdate: "current_mode_update", currentModeId: this.options.mode });
  }

  update(update: object): void {
    this.#connection.notify("session/update", { sessionId: this.id, update });
  }

  /** Writes through the client, so that its user sees the change there. */
  async #writeByClient(path: string, content: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#connection.request("fs/write_text_file", { sessionId: this.id, path, content }, signal);
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
    const chosen = await this.#choice({ sessionId: this.id, toolCall, options }, signal);
    if (chosen === "allow-always") this.#alwaysAllowed.add(kind);
    return chosen === "allow" || chosen === "allow-always";
  }

  /** Resolves to the form's content, or undefined if it was not accepted. */
  async #askForm(message: string, requestedSchema: object, signal: AbortSignal): Promise<Params | undefined> {
    const asked = { sessionId: this.id, mode: "form", message, requestedSchema };
    const answer = await this.#connection.request("elicitation/create", asked, signal);
    if (!isObject(answer) || answer["action"] !== "accept") return undefined;
    return isObject(answer["content"]) ? answer["content"] : {};
  }

  /** Resolves to the selected option; an error or any other outcome is a no. */
  async #choice(params: Params, signal: AbortSignal): Promise<unknown> {
    try {
      const answer = await this.#connection.request("session/request_permission", params, signal);
      const outcome = isObject(answer) && isObject(answer["outcome"]) ? answer["outcome"] : {};
      return outcome["outcome"] === "selected" ? outcome["optionId"] : undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      return undefined;
    }
  }

  /** The first prompt gives the session its title. */
  #name(prompt: string): void {
    this.#updatedAt = new Date();
    const updatedAt = this.#updatedAt.toISOString();
    if (this.#title !== undefined) return this.update({ sessionUpdate: "session_info_update", updatedAt });
    this.#title = Array.from(prompt.trim().replace(/\s+/g, " ")).slice(0, titleCharactersMax).join("");
    this.update({ sessionUpdate: "session_info_update", title: this.#title, updatedAt });
  }

  /** A rough estimate for the client's usage display: four characters per token, and an answer of 50 tokens. */
  #count(prompt: string): void {
    this.#usedTokens += Math.ceil(prompt.length / 4) + 50;
    this.update({ sessionUpdate: "usage_update", used: this.#usedTokens, size: contextTokens });
  }
}

/** Returns the last text block: clients may put context before it, such as the transcript of an earlier session. */
function textOf(blocks: unknown): string {
  if (!Array.isArray(blocks)) throw new RpcError(rpcCodes.invalidParams, "prompt must be an array of content blocks");
  const texts = blocks.filter(isObject).flatMap(({ type, text }) => (type === "text" ? [text] : []));
  return texts.findLast((text) => typeof text === "string") ?? "";
}
