// SPDX-License-Identifier: MIT OR Apache-2.0
// Where the Bus is, and the broker of our own where there is none. Once a Bus was found that somebody runs for its own
// sake (a noded, `mix bus`), none is hosted any more in this life: when it comes back, it must find us, not a second Bus in
// its place. The broker of another agentd goes for good with that agentd, and is replaced.
import { createBroker, listenInPlace, stayInPlace, type Broker } from "../bus-client/broker/index.ts";
import {
  brokerHost,
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
  /** Throws BusError where there is no Bus, and nowhere to bring one: nobody would ever reach this agentd. */
  requireUsable(): Promise<void>;
  /** Given to the Bus client, which asks again for each attempt. */
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

/** As our own broker says who hosts it. */
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
        outside ||= location.found !== "embedded" || (await brokerHost(location.url)) !== hostName;
        url = location.url;
        return location.url;
      }
      // The address that was right before may be a stranger's now: it is looked for anew, never dialled from memory.
      if (outside) throw new BusError("DIAL_FAILED", "the Bus that was here is away");
      const path = embeddedSocketPath(surroundings);
      broker = await host(path, version);
      url = unixUrl(path);
      leaveSocket = stayInPlace(broker, path, {
        clock,
        onRenewed: () => warn(`${path} was gone; agentd listens there again`),
        onFault: ({ message }) => warn(`${path} is gone and cannot be made again yet: ${message}`),
        onTaken() {
          warn(`another Bus listens on ${path} now; agentd goes there`);
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

/** Another may be quicker, an agentd with another state directory or `mix bus`: it is found at the next look. */
async function host(path: string, version: string): Promise<Broker> {
  const broker = createBroker({ version, hostedBy: hostName });
  try {
    if (await listenInPlace(broker, path)) return broker;
    throw new BusError("ADDRESS_IN_USE", `another broker began to listen on ${path}`);
  } catch (error) {
    await broker.close();
    throw error;
  }
}
