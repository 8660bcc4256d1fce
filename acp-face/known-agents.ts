// SPDX-License-Identifier: MIT OR Apache-2.0
import type { CatalogueReply } from "../agentd/vocabulary/replies.ts";
import { defaultAgent } from "../agent-client/requests/default-agent.ts";
import type { Gateway } from "./gateway.ts";

/** The agents that agentd knows, and which of them new sessions get. */
export class KnownAgents {
  readonly #gateway: Gateway;
  readonly #named: string | undefined;
  #catalogue: CatalogueReply | undefined;

  constructor(gateway: Gateway, named: string | undefined) {
    this.#gateway = gateway;
    this.#named = named;
  }

  async read(): Promise<CatalogueReply> {
    this.#catalogue = await this.#gateway.ask("agent.list", {});
    return this.#catalogue;
  }

  /** Asks agentd only if it has not told before. */
  async default(): Promise<string | undefined> {
    return this.defaultOf(this.#catalogue ?? (await this.read()));
  }

  /** Undefined also if agentd has not told yet. */
  knownDefault(): string | undefined {
    return this.defaultOf(this.#catalogue);
  }

  defaultOf(catalogue: CatalogueReply | undefined): string | undefined {
    return this.#named ?? (catalogue && defaultAgent(catalogue));
  }
}
