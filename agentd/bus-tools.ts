// SPDX-License-Identifier: MIT OR Apache-2.0
// The way back to the Bus that every session's agent is given: which MCP server, and whether the agent has started it.
import { existsSync } from "node:fs";
import type { McpServer } from "../acp-client/model.ts";
import { type Delivery, registeredServices, type RegisteredService, type Reply } from "../bus-client/index.ts";
import { sessionMarker } from "./catalogue/environment.ts";
import { sessionOfAgent } from "./authority/sender.ts";
import { ownFileGoneMessage } from "./own-file-gone.ts";
import { busToolsName } from "./vocabulary/index.ts";

export interface BusToolsServer {
  readonly nodeProgram: string;
  /** mixos-mcp, built. Absolute. */
  readonly mcpProgram: string;
  /** Where agentd itself is on the Bus; empty where it is not yet. */
  readonly busUrl: string;
  readonly denied: readonly string[];
  /** `<log>/<session>`. */
  readonly marker: string;
}

/** As the agent is told. None of its values is secret. */
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

/** Why an agent cannot be given the server, in words; undefined where it can. */
export function busToolsGoneMessage({ nodeProgram, mcpProgram }: BusToolsServer): string | undefined {
  const gone = [nodeProgram, mcpProgram].find((file) => !existsSync(file));
  return gone && `the agent has no tools for the Bus: ${ownFileGoneMessage(gone)}`;
}

export interface BusToolsWatchOptions {
  readonly bus: {
    call(to: string, command: string): Promise<Reply>;
    subscribe(topic: string, listener: (delivery: Delivery) => void): Promise<unknown>;
  };
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  readonly graceMs: number;
  readonly onError: (error: unknown) => void;
}

/** The topic on which the broker tells that services come and go; the cause is a hint, the list is what is believed. */
const registrationsTopic = "noded.props.changed";

/** Which sessions' agents have started their server. One that came and went again counts if it was seen in between. */
export class BusToolsWatch {
  readonly #options: BusToolsWatchOptions;
  /** Sessions in whose present life it is still to be seen, or was. */
  readonly #expected = new Map<string, "awaited" | "seen">();
  #refreshing: Promise<void> | undefined;

  constructor(options: BusToolsWatchOptions) {
    this.#options = options;
  }

  /** agentd is on the Bus. */
  follow(): void {
    const { bus, onError } = this.#options;
    bus.subscribe(registrationsTopic, this.#onRegistration).catch(onError);
  }

  /** A life begins: what was there before does not count. */
  expect(session: string): void {
    this.#expected.set(session, "awaited");
  }

  /** A life has ended. */
  forget(session: string): void {
    this.#expected.delete(session);
  }

  /** Whether it was there by now, or comes within the grace. True also where the Bus cannot be asked. */
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

  /** One question at a time serves all who ask meanwhile, for it was answered after they asked. */
  async #refresh(): Promise<void> {
    await this.#refreshing?.catch(() => {});
    this.#refreshing ??= this.#list().finally(() => (this.#refreshing = undefined));
    await this.#refreshing;
  }

  async #list(): Promise<void> {
    const { body } = await this.#options.bus.call("noded", "noded.list");
    for (const service of registeredServices(JSON.parse(body)) ?? []) {
      const session = isBusToolsServer(service) ? sessionOfAgent(service.name) : undefined;
      if (session !== undefined && this.#expected.has(session)) this.#expected.set(session, "seen");
    }
  }
}

/** The agent's shell bears such names too, with another program; a broker that tells no programs is believed by the name. */
function isBusToolsServer({ binary }: RegisteredService): boolean {
  return binary === undefined || binary === "mixos-mcp";
}
