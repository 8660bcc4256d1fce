// SPDX-License-Identifier: MIT OR Apache-2.0
// This server's connection to the Bus, as one citizen. It reconnects by itself, and takes another name if its name is
// taken.
import { BusClient, type BusClientState, BusError, discoverBus, type Surroundings } from "../bus-client/index.ts";
import { connectWaitMs, namesTriedMax } from "./limits.ts";
import { ToolError } from "./tool-error.ts";

export interface BusConnectionOptions {
  readonly surroundings: Surroundings;
  /** Returns a name to try, a different one at each call. */
  readonly name: () => string;
  readonly version: string;
}

export class BusConnection {
  readonly #options: BusConnectionOptions;
  readonly #watchers = new Set<() => void>();
  #client: BusClient | undefined;
  #namesTaken = 0;
  #hasLeft = false;

  constructor(options: BusConnectionOptions) {
    this.#options = options;
  }

  /** Starts to connect, without waiting. */
  start(): void {
    this.#currentClient();
  }

  /** Returns the client once it is connected. Throws BUS_UNREACHABLE after `connectWaitMs`. */
  async connectedClient(signal: AbortSignal): Promise<BusClient> {
    const deadline = Date.now() + connectWaitMs;
    for (;;) {
      signal.throwIfAborted();
      const client = this.#currentClient();
      if (client.state.kind === "connected") return client;
      client.retryNow();
      const leftMs = deadline - Date.now();
      if (leftMs <= 0)
        throw new ToolError("BUS_UNREACHABLE", `the Bus is not reachable: ${describeState(client.state)}`);
      await this.#stateChange(leftMs, signal);
    }
  }

  /** Disconnects and releases the name. Resolves soon even if the broker does not respond. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    await this.#client?.leave();
  }

  #currentClient(): BusClient {
    if (this.#hasLeft) throw new BusError("STOPPED");
    if (this.#client === undefined || this.#client.state.kind === "fatal") this.#client = this.#startClient();
    return this.#client;
  }

  #startClient(): BusClient {
    const { surroundings, name, version } = this.#options;
    const client = new BusClient({
      // Discovered again at each attempt, since a restarted Bus may have another address.
      url: async () => {
        const location = await discoverBus(surroundings);
        if (location.found === "none") throw new BusError("DIAL_FAILED", "no Bus was found on this machine");
        return location.url;
      },
      name: name(),
      nameTaken: "fatal",
      provenance: { binary: "mixos-mcp", version, pid: process.pid },
    });
    client.onState((state) => this.#onState(state));
    client.start();
    return client;
  }

  #onState(state: BusClientState): void {
    if (state.kind === "connected") this.#namesTaken = 0;
    if (
      state.kind === "fatal" &&
      state.cause.code === "NAME_TAKEN" &&
      this.#namesTaken < namesTriedMax &&
      !this.#hasLeft
    ) {
      this.#namesTaken += 1;
      this.#client = this.#startClient();
    }
    for (const watcher of this.#watchers) watcher();
  }

  /** Resolves at the next change of state, on abort, or after `ms`. */
  #stateChange(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#watchers.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#watchers.add(done);
      signal.addEventListener("abort", done);
    });
  }
}

function describeState(state: BusClientState): string {
  return state.kind === "disconnected" || state.kind === "fatal" ? state.cause.message : "no broker has answered yet";
}
