// SPDX-License-Identifier: MIT OR Apache-2.0
// The MCP server through which every session's agent reaches the Bus: its command, and whether the agent has started it.
import { existsSync } from "node:fs";
import type { McpServer } from "../acp-client/model.ts";
import { type Delivery, parseRegisteredServices, type RegisteredService, type Reply } from "../bus-client/index.ts";
import { sessionMarker } from "./catalogue/environment.ts";
import { sessionOfAgent } from "./authority/sender.ts";
import { ownFileGoneMessage } from "./own-file-gone.ts";
import { busToolsName } from "./vocabulary/index.ts";

export interface BusToolsServer {
  readonly nodeProgram: string;
  /** Absolute path of the built mixos-mcp. */
  readonly mcpProgram: string;
  /** The Bus that agentd is on; empty if it has not connected yet. */
  readonly busUrl: string;
  readonly denied: readonly string[];
  /** `<log>/<session>`. */
  readonly marker: string;
}

/** The server's definition for the agent. None of its values is secret. */
export function busToolsServer({ nodeProgram, mcpProgram, busUrl, denied, marker }: BusToolsServer): McpServer {
  return {
    name: busToolsName,
    command: nodeProgram,
    args: [mcpProgram],
    env: [
      ...(busUrl === "" ? [] : [{ name: "MIXOS_NODED_URL", value: busUrl }]),
      { name: sessionMarker, value: marker },
      { name: "MIXOS_MCP_DENY", value: denied.join(",") },
    ],
  };
}

/** Returns the error message if a file of the server is missing, or undefined. */
export function busToolsGoneMessage({ nodeProgram, mcpProgram }: BusToolsServer): string | undefined {
  const gone = [nodeProgram, mcpProgram].find((file) => !existsSync(file));
  return gone && `the agent has no tools for the Bus: ${ownFileGoneMessage(gone)}`;
}

export interface BusToolsWatchOptions {
  readonly bus: {
    call(to: string, command: string): Promise<Reply>;
    subscribe(topic: string, listener: (delivery: Delivery) => void): Promise<unknown>;
  };
  readonly pause: (ms: number) => Promise<void>;
  readonly graceMs: number;
  readonly onError: (error: unknown) => void;
}

/** The broker publishes on it when services come and go. Its `cause` is only a hint; the list is authoritative. */
const registrationsTopic = "noded.props.changed";

/** Tells which sessions' agents have started their server. A server that has gone again counts if it was seen. */
export class BusToolsWatch {
  readonly #options: BusToolsWatchOptions;
  /** Sessions whose current run is expected to register a server. */
  readonly #expected = new Map<string, "awaited" | "seen">();
  #refreshing: Promise<void> | undefined;

  constructor(options: BusToolsWatchOptions) {
    this.#options = options;
  }

  /** Call it when agentd has connected to the Bus. */
  follow(): void {
    const { bus, onError } = this.#options;
    bus.subscribe(registrationsTopic, this.#onRegistration).catch(onError);
  }

  /** Begins a run of the session: earlier registrations do not count. */
  expect(session: string): void {
    this.#expected.set(session, "awaited");
  }

  forget(session: string): void {
    this.#expected.delete(session);
  }

  /** Resolves to whether the server has registered, waiting up to `graceMs`. True also if the Bus cannot be asked. */
  async hasRegistered(session: string): Promise<boolean> {
    try {
      await this.#refresh();
      if (this.#expected.get(session) !== "awaited") return true;
      await this.#options.pause(this.#options.graceMs);
      await this.#refresh();
    } catch (error) {
      this.#options.onError(error);
      return true;
    }
    return this.#expected.get(session) !== "awaited";
  }

  readonly #onRegistration = ({ body }: Delivery): void => {
    const session = sessionOfAgent(/"cause":\s*"register:([a-z0-9-]+)"/.exec(body)?.[1] ?? null);
    if (session === undefined || this.#expected.get(session) !== "awaited") return;
    this.#refresh().catch(this.#options.onError);
  };

  /** Shares one lookup among concurrent callers, but never one that began before the call. */
  async #refresh(): Promise<void> {
    await this.#refreshing?.catch(() => {});
    this.#refreshing ??= this.#list().finally(() => (this.#refreshing = undefined));
    await this.#refreshing;
  }

  async #list(): Promise<void> {
    const { body } = await this.#options.bus.call("noded", "noded.list");
    for (const service of parseRegisteredServices(JSON.parse(body)) ?? []) {
      const session = isBusToolsServer(service) ? sessionOfAgent(service.name) : undefined;
      if (session !== undefined && this.#expected.has(session)) this.#expected.set(session, "seen");
    }
  }
}

/** Programs in the agent's shell register such names, too, so the binary is checked if the broker reports it. */
function isBusToolsServer({ binary }: RegisteredService): boolean {
  return binary === undefined || binary === "mixos-mcp";
}
