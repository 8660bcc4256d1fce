// SPDX-License-Identifier: MIT OR Apache-2.0
// Clients that stop after their test, and brokers that can be replaced or answer by a script.
import { onTestFinished } from "vitest";
import { createBroker, type Broker } from "../broker/index.ts";
import { BusClient, type BusClientOptions } from "../bus-client.ts";
import { localTransportPair } from "../local-transport.ts";
import type { BusClientState } from "../supervision.ts";
import { Inbox } from "./inbox.ts";
import { stoppedAfterTest } from "./test-broker.ts";
import type { Transport } from "../transport.ts";
import { parse, serialise } from "../wire.ts";

export function client(options: BusClientOptions): BusClient {
  return stoppedAfterTest(new BusClient(options));
}

export function statesOf(bus: BusClient): Inbox<BusClientState> {
  const states = new Inbox<BusClientState>();
  bus.onState(states.push);
  return states;
}

export const reached = (states: Inbox<BusClientState>, kind: BusClientState["kind"]) =>
  states.nextWhere((state) => state.kind === kind, `the state ${kind}`);

/** A broker in this process that can be stopped and restarted. */
export function replaceableBroker() {
  let broker: Broker | undefined = createBroker();
  onTestFinished(() => broker?.close());
  return {
    url: (): Transport => {
      if (broker === undefined) throw new Error("no broker");
      return broker.connectLocal();
    },
    async down() {
      await broker!.close();
      broker = undefined;
    },
    up: () => (broker = createBroker()),
  };
}

/** A fake broker that answers each request with `answer` and records the requests in `asked`. */
export function scriptedBroker(answer: (headers: Record<string, string>) => { rc: string; body?: string } | undefined) {
  const asked = new Inbox<Record<string, string>>();
  const ends: Transport[] = [];
  return {
    asked,
    ends,
    url: (): Transport => {
      const [ours, theirs] = localTransportPair();
      ends.push(ours);
      ours.listen({
        message(text) {
          const { headers } = parse(text);
          asked.push(headers);
          const reply = answer(headers);
          if (reply === undefined) return;
          const { rc, body = "" } = reply;
          ours.send(serialise({ headers: { id: headers["id"]!, rc, type: "response" }, body }));
        },
        close: () => {},
      });
      return theirs;
    },
  };
}
