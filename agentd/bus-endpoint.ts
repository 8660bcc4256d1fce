// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds the Bus, and hosts a broker if there is none. Once a standalone Bus was found (a noded, `mix bus`), this process
// never hosts one: when that Bus comes back, it must not find a second one in its place. The broker of another agentd
// ends with that agentd, and is replaced.
import { createBroker, listenReplacingStale, keepSocketInPlace, type Broker } from "../bus-client/broker/index.ts";
import {
  askBrokerHost,
  BusError,
  type Clock,
  discoverBus,
  embeddedSocketPath,
  prepareSocketDirectory,
  type Surroundings,
  type Transport,
  unixUrl,
} from "../bus-client/index.ts";

export interface BusEndpoint {
  /** Throws BusError if there is no Bus and none can be hosted, since nobody could reach this agentd. */
  requireUsable(): Promise<void>;
  /** The Bus client calls it for each attempt to connect. */
  readonly find: () => Promise<string | Transport>;
  readonly url: () => string;
  readonly embedded: () => boolean;
  close(): Promise<void>;
}

export interface BusEndpointOptions {
  readonly surroundings: Surroundings;
  readonly version: string;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

const hostName = "agentd";

export function createBusEndpoint({ surroundings, version, clock, warn }: BusEndpointOptions): BusEndpoint {
  let broker: Broker | undefined;
  let leaveSocket = (): void => {};
  let outside = false;
  let url = "";
  return {
    async requireUsable() {
      if ((await discoverBus(surroundings)).found !== "none") return;
      const path = embeddedSocketPath(surroundings);
      prepareSocketDirectory(path, surroundings.uid);
    },
    async find() {
      if (broker) return broker.connectLocal();
      const location = await discoverBus(surroundings);
      for (const warning of location.warnings) warn(warning);
      if (location.found !== "none") {
        outside ||= location.found !== "embedded" || (await askBrokerHost(location.url)) !== hostName;
        url = location.url;
        return location.url;
      }
      // Discovered anew each time: an earlier address may belong to another program by now.
      if (outside) throw new BusError("DIAL_FAILED", "the Bus that was here is away");
      const path = embeddedSocketPath(surroundings);
      broker = await host(path, version);
      url = unixUrl(path);
      leaveSocket = keepSocketInPlace(broker, path, {
        clock,
        onRestored: () => warn(`${path} was removed; agentd listens there again`),
        onFault: ({ message }) => warn(`${path} was removed and cannot be created again yet: ${message}`),
        onReplaced() {
          warn(`another Bus listens on ${path} now; agentd connects to it`);
          void broker?.close();
          broker = undefined;
        },
      });
      return broker.connectLocal();
    },
    url: () => url,
    embedded: () => broker !== undefined,
    async close() {
      leaveSocket();
      await broker?.close();
    },
  };
}

/** Throws if another process (an agentd with another state directory, `mix bus`) was faster; the next attempt finds it. */
async function host(path: string, version: string): Promise<Broker> {
  const broker = createBroker({ version, hostedBy: hostName });
  try {
    if (await listenReplacingStale(broker, path)) return broker;
    throw new BusError("ADDRESS_IN_USE", `another broker began to listen on ${path}`);
  } catch (error) {
    await broker.close();
    throw error;
  }
}
