// SPDX-License-Identifier: MIT OR Apache-2.0
// Follows over the Bus: publications on the first connection, pages of the log on the second, so that a flood of
// publications does not delay the pages.
import type { BusClient } from "../../bus-client/index.ts";
import { livePhases, topic } from "../../agentd/vocabulary/entries.ts";
import { requestsOn, servicesOn, type AgentBus } from "../requests/ask.ts";
import { listSessions } from "../requests/sessions.ts";
import type { AllSource } from "./follow.ts";
import type { LogPage, LogPiece } from "../../agentd/vocabulary/replies.ts";

export async function busSource(bus: Pick<AgentBus, "client" | "reader">): Promise<AllSource> {
  const reader = await bus.reader();
  const { ask } = requestsOn(reader);
  return {
    listen: (listener) => listenToAgentd(bus.client, reader, listener),
    page: async (session, after) => (await ask("agent.session.log", { session, after })) as LogPage,
    piece: async (session, entry, offset) => (await ask("agent.session.log", { session, entry, offset })) as LogPiece,
    async sessions(which) {
      if (which === "all") return listSessions({ ask }, {});
      const [live, newest] = await Promise.all([
        listSessions({ ask }, { state: [...livePhases] }),
        ask("agent.session.list", {}),
      ]);
      return [...live, ...newest.sessions];
    },
  };
}

/** Delivers the publications of the citizen that is registered as `agent` now, and ignores everybody else's. */
export async function listenToAgentd(
  client: BusClient,
  reader: BusClient,
  listener: { publication(body: string): void; missed(): void },
): Promise<() => void> {
  const publisher = new PublisherCheck(reader, () => listener.missed());
  await publisher.find();
  const onDelivery = (delivery: { body: string; registration: string | undefined }): void => {
    if (publisher.isAgentd(delivery.registration)) listener.publication(delivery.body);
  };
  await client.subscribe(topic, onDelivery);
  let { generation } = client;
  // Also when the connection drops: the follower then asks the log, finds the Bus gone and reports it at once.
  const stopWatching = client.onState((state) => {
    if (state.kind === "disconnected" && state.attempt === 0) listener.missed();
    if (state.kind !== "connected" || state.generation === generation) return;
    generation = state.generation;
    listener.missed();
  });
  return () => {
    stopWatching();
    // If the connection is gone, so is the subscription.
    client.unsubscribe(topic, onDelivery).catch(() => undefined);
  };
}

/**
 * Recognizes agentd's publications by the registration that the broker stamped on them. A publication with an unknown
 * registration is dropped and the registration looked up; if agentd has a new one, `onChange` reports the missed
 * entries.
 */
class PublisherCheck {
  readonly #reader: BusClient;
  readonly #onChange: () => void;
  #registration: string | undefined;
  #isLookingUp = false;
  readonly #otherRegistrations = new Set<string>();

  constructor(reader: BusClient, onChange: () => void) {
    this.#reader = reader;
    this.#onChange = onChange;
  }

  isAgentd(registration: string | undefined): boolean {
    if (registration === undefined || this.#otherRegistrations.has(registration)) return false;
    if (registration === this.#registration) return true;
    void this.#lookUp(registration);
    return false;
  }

  /** Call it before the first delivery. Throws if the Bus fails. */
  async find(): Promise<void> {
    this.#registration = await this.#findRegistration();
  }

  async #lookUp(registration: string): Promise<void> {
    if (this.#isLookingUp) return;
    this.#isLookingUp = true;
    try {
      const found = await this.#findRegistration();
      if (found !== registration) this.#remember(registration);
      if (found !== undefined && found !== this.#registration) {
        this.#registration = found;
        this.#onChange();
      }
    } catch {
      // Still unknown: the next delivery looks it up again, and without deliveries the log is read anyway.
    } finally {
      this.#isLookingUp = false;
    }
  }

  async #findRegistration(): Promise<string | undefined> {
    const agentd = (await servicesOn(this.#reader)).find(({ name }) => name === "agent");
    return agentd?.meta?.registration_incarnation;
  }

  #remember(registration: string): void {
    if (this.#otherRegistrations.size >= otherRegistrationsMax) this.#otherRegistrations.clear();
    this.#otherRegistrations.add(registration);
  }
}

const otherRegistrationsMax = 256;
