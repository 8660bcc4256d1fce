// SPDX-License-Identifier: MIT OR Apache-2.0
// A Bus in a test's place that outlives every program on it.
import { createBroker } from "../../bus-client/broker/index.ts";
import { BusClient, embeddedSocketPath, unixUrl } from "../../bus-client/index.ts";
import type { Place } from "./place.ts";
import { nameOf } from "./user-name.ts";

export interface StandingBus extends AsyncDisposable {
  readonly connect: (name?: string | null) => Promise<BusClient>;
}

/** Disposing ends the clients that it connected, then the broker. */
export async function openStandingBus({ environment }: Place): Promise<StandingBus> {
  const path = embeddedSocketPath({ env: environment, uid: process.getuid?.() ?? -1 });
  const broker = createBroker();
  await broker.listenUnix(path);
  const clients: BusClient[] = [];
  return {
    connect: async (name) => {
      const client = new BusClient({ url: unixUrl(path), ...nameOf(name) });
      clients.push(client);
      await client.connect();
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.stop()));
      await broker.close();
    },
  };
}
