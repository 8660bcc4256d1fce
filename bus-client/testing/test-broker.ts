// SPDX-License-Identifier: MIT OR Apache-2.0

import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createBroker, type Broker, type BrokerOptions } from "../broker/index.ts";
import type { BusClient } from "../bus-client.ts";
import { unixUrl } from "../socket-path.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { rawPeer, type RawPeer } from "./raw-peer.ts";

export interface TestBroker {
  readonly broker: Broker;
  readonly unixUrl: string;
  readonly tcpUrl: string;
  /** Opens a raw connection, by default over the Unix socket. */
  peer(lane?: "unix" | "tcp" | "local"): Promise<RawPeer>;
}

/** Starts a broker on a Unix socket and on TCP that is closed after the test. */
export async function testBroker(options: BrokerOptions = {}): Promise<TestBroker> {
  const path = join(temporaryDirectory(), "bus.sock");
  const broker = createBroker(options);
  onTestFinished(() => broker.close());
  await broker.listenUnix(path);
  const port = await broker.listenTcp(0);
  const tcpUrl = `ws://127.0.0.1:${port}/ws`;
  return {
    broker,
    unixUrl: unixUrl(path),
    tcpUrl,
    async peer(lane = "unix") {
      const where = { unix: unixUrl(path), tcp: tcpUrl, local: undefined }[lane] ?? broker.connectLocal();
      const peer = await rawPeer(where);
      onTestFinished(() => peer.transport.destroy());
      return peer;
    },
  };
}

/** Stops the client after the test. */
export function stoppedAfterTest<T extends Pick<BusClient, "stop">>(client: T): T {
  onTestFinished(() => client.stop());
  return client;
}
