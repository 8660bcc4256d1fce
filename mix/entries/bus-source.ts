// SPDX-License-Identifier: MIT OR Apache-2.0
// Following over the real Bus: deliveries on the first connection, the log on the second, so that its pages are not in
// the queue that a flood fills.
import type { BusClient } from "../../bus-client/index.ts";
import { topic } from "../bus/vocabulary-values.ts";
import { askOn, servicesOn } from "../bus/ask.ts";
import type { AgentBus } from "../bus/ask.ts";
import type { FollowSource } from "./follow.ts";
import type { LogPage, LogPiece } from "../../agentd/vocabulary/replies.ts";

export async function busSource(bus: Pick<AgentBus, "client" | "reader">): Promise<FollowSource> {
  const reader = await bus.reader();
  return {
    listen: (listener) => listenToAgentd(bus.client, reader, listener),
    page: async (session, after) => (await askOn(reader, "agent.session.log", { session, after })) as LogPage,
    piece: async (session, entry, offset) =>
      (await askOn(reader, "agent.session.log", { session, entry, offset })) as LogPiece,
  };
}

/** Publications of whoever is registered as `agent` now; anyone else's are passed over. */
export async function listenToAgentd(
  client: BusClient,
  reader: BusClient,
  listener: { publication(body: string): void; missed(): void },
): Promise<() => void> {
  const publisher = new Publisher(reader, () => listener.missed());
  await publisher.find();
  const onDelivery = (delivery: { body: string; registration: string | undefined }): void => {
    if (publisher.isAgentd(delivery.registration)) listener.publication(delivery.body);
  };
  await client.subscribe(topic, onDelivery);
  let { generation } = client;
  // When the connection drops as well: a follower finds out at once that its Bus is gone, and says so.
  const stopWatching = client.onState((state) => {
    if (state.kind === "disconnected" && state.attempt === 0) listener.missed();
    if (state.kind !== "connected" || state.generation === generation) return;
    generation = state.generation;
    listener.missed();
  });
  return () => {
    stopWatching();
    // The connection may be gone already; then so is the subscription.
    client.unsubscribe(topic, onDelivery).catch(() => undefined);
  };
}

/**
 * Tells agentd's deliveries from others' by the registration that the broker stamped. One that is not known is dropped
 * and looked up; if agentd turns out to have a new one, `onChange` says that something was missed.
 */
class Publisher {
  readonly #reader: BusClient;
  readonly #onChange: () => void;
  #registration: string | undefined;
  #looking = false;
  readonly #strangers = new Set<string>();

  constructor(reader: BusClient, onChange: () => void) {
    this.#reader = reader;
    this.#onChange = onChange;
  }

  isAgentd(registration: string | undefined): boolean {
    if (registration === undefined || this.#strangers.has(registration)) return false;
    if (registration === this.#registration) return true;
    void this.#look(registration);
    return false;
  }

  /** Before the first delivery; throws where the Bus does. */
  async find(): Promise<void> {
    this.#registration = await this.#registered();
  }

  async #look(stranger: string): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const found = await this.#registered();
      if (found !== stranger) this.#remember(stranger);
      if (found !== undefined && found !== this.#registration) {
        this.#registration = found;
        this.#onChange();
      }
    } catch {
      // Unknown as before; the next delivery asks again, and a quiet while reads the log anyway.
    } finally {
      this.#looking = false;
    }
  }

  async #registered(): Promise<string | undefined> {
    const agentd = (await servicesOn(this.#reader)).find(({ name }) => name === "agent");
    return agentd?.meta?.registration_incarnation;
  }

  #remember(stranger: string): void {
    if (this.#strangers.size >= strangersMax) this.#strangers.clear();
    this.#strangers.add(stranger);
  }
}

const strangersMax = 256;
