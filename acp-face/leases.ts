// SPDX-License-Identifier: MIT OR Apache-2.0
// The leases of this face's sessions: while one lasts, agentd asks this face for what the editor offers, and cancels its
// turn when the face is gone.
import type { SessionSnapshot } from "../agentd/vocabulary/replies.ts";
import type { VerbInput } from "../agentd/vocabulary/verbs.ts";
import { AgentError } from "../agent-client/agent-error.ts";
import type { ClientCapabilities } from "./agent-side/agent.ts";
import type { Client } from "./agent-side/client.ts";
import type { Gateway } from "./gateway.ts";

export interface LeasesOptions {
  readonly gateway: Gateway;
  readonly client: Client;
  readonly keepsRunning: boolean;
  readonly diagnose: (text: string) => void;
}

type Offers = VerbInput<"agent.session.attach">["offers"];

export class Leases {
  readonly #options: LeasesOptions;
  readonly #held = new Set<string>();

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  holds(session: string): boolean {
    return this.#held.has(session);
  }

  /**
   * Takes a lease, or takes it again: a lease ends with the connection. Resolves to the session's state. A session without
   * a lease works all the same, so that a refusal is no failure.
   */
  async attach(session: string): Promise<SessionSnapshot> {
    const { gateway, client, keepsRunning, diagnose } = this.#options;
    // agentd may ask at once.
    this.#held.add(session);
    try {
      const { snapshot } = await gateway.ask("agent.session.attach", {
        session,
        citizen: await gateway.name(),
        offers: offersOf(client.capabilities),
        keep_running: keepsRunning,
      });
      return snapshot;
    } catch (error) {
      if (!(error instanceof AgentError) || error.code === "UNREACHABLE") throw error;
      diagnose(`session ${session} cannot be attached to: ${error.code}`);
      return gateway.ask("agent.session.get", { session });
    }
  }

  /** The lease of a session ends with it. */
  endedWith(session: string): void {
    this.#held.delete(session);
  }

  /** Failures do not matter: the lease ends with this program. */
  async detach(session: string): Promise<void> {
    if (!this.#held.delete(session)) return;
    const { gateway } = this.#options;
    await gateway.ask("agent.session.detach", { session, citizen: await gateway.name() }).catch(() => {});
  }
}

function offersOf({ readsFiles, writesFiles, terminal }: ClientCapabilities): Offers {
  return [
    ...(readsFiles ? (["fs.read"] as const) : []),
    ...(writesFiles ? (["fs.write"] as const) : []),
    ...(terminal ? (["terminal"] as const) : []),
  ];
}
