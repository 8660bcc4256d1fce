// SPDX-License-Identifier: MIT OR Apache-2.0
// Serves one client. initialize is answered by what is loaded at the start; the other methods wait until the agent is
// loaded, and are then called in the order in which they came.
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import { truncateText } from "../../acp-client/jsonrpc/sample.ts";
import { METHODS } from "../../acp-client/schema/v1/requests.ts";
import type { AgentOffer } from "./agent.ts";
import type { AgentMethods } from "./agent-methods.ts";
import { Client } from "./client.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { decodeClientCapabilities, decodeInitialize } from "./initialize-params.ts";
import { initializeResult } from "./replies.ts";
import { RequestError } from "./request-error.ts";
import type { StartedAgent } from "./started-agent.ts";

export type StartAgent = (client: Client) => StartedAgent;

export interface ServeOptions extends Pick<ConnectionOptions, "input" | "output" | "diagnose"> {
  readonly start: StartAgent;
}

export function serveAgent(options: ServeOptions): Connection {
  return new AgentSide(options).connection;
}

const known: ReadonlySet<string> = new Set(Object.values(METHODS));

class AgentSide {
  readonly connection: Connection;
  readonly #client: Client;
  readonly #agent: StartedAgent;
  readonly #diagnose: (text: string) => void;
  #initializing: Promise<AgentOffer> | undefined;
  #offer: AgentOffer | undefined;
  #loading: Promise<AgentMethods> | undefined;
  #methods: AgentMethods | undefined;

  constructor({ start, ...streams }: ServeOptions) {
    this.#diagnose = streams.diagnose;
    this.connection = new Connection({
      ...streams,
      isServer: true,
      handler: {
        request: (method, params, signal) => this.#serve(method, params, signal),
        notification: (method, params) => this.#notified(method, params),
        ended: () => this.#ended(),
      },
    });
    this.#client = new Client(this.connection);
    this.#agent = start(this.#client);
  }

  async #serve(method: string, params: unknown, signal: AbortSignal): Promise<object> {
    if (method === METHODS.initialize) return this.#initialize(params);
    if (!known.has(method)) throw unknownMethod(method);
    // Waits only if it must, so that a cancel in the same read as its prompt finds the prompt.
    const methods = this.#methods ?? (await this.#load());
    try {
      signal.throwIfAborted();
      const answer = methods.request(method, params, { signal, offer: this.#offer ?? {} });
      if (answer !== undefined) return await answer;
    } catch (error) {
      if (signal.aborted) throw new RequestError(RPC.requestCancelled, "The request was cancelled");
      throw error;
    }
    throw unknownMethod(method);
  }

  #notified(method: string, params: unknown): void {
    if (this.#methods !== undefined) this.#methods.notification(method, params);
    // Before initialize there is nothing that it could be about.
    else
      this.#load()
        .then((methods) => methods.notification(method, params))
        .catch(() => {});
  }

  async #initialize(params: unknown): Promise<object> {
    const request = decodeInitialize(params);
    this.#client.capabilities = decodeClientCapabilities(params);
    this.#initializing = Promise.resolve(this.#agent.initialize(request));
    this.#offer = await this.#initializing;
    // The answer is written by then.
    setImmediate(() => void this.#load().catch((error: unknown) => this.#diagnose(String(error))));
    return initializeResult(this.#agent.advertised, this.#offer);
  }

  /** All that waits for the agent waits for this one promise, and so goes on in its order. */
  #load(): Promise<AgentMethods> {
    if (this.#initializing === undefined) return Promise.reject(initializeFirst());
    return (this.#loading ??= this.#loadAfter(this.#initializing));
  }

  async #loadAfter(initializing: Promise<AgentOffer>): Promise<AgentMethods> {
    try {
      await initializing;
    } catch {
      this.#loading = undefined;
      throw initializeFirst();
    }
    this.#methods = await this.#agent.load();
    return this.#methods;
  }

  /** What was read before the end is begun before it. */
  #ended(): Promise<void> | undefined {
    if (this.#methods !== undefined) return this.#methods.ended();
    return this.#loading?.then((methods) => methods.ended());
  }
}

function initializeFirst(): RequestError {
  return new RequestError(RPC.invalidRequest, "Initialize first");
}

function unknownMethod(name: string): RequestError {
  const method = truncateText(name, 100);
  return new RequestError(RPC.methodNotFound, `There is no method ${method}`, { method });
}
