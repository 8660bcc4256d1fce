// SPDX-License-Identifier: MIT OR Apache-2.0
// A citizen on a broker with a caller, and a citizen whose broker is the test itself.
import { BusClient } from "../bus-client.ts";
import { serveCitizen, type Citizen, type CitizenOptions, type Verb } from "../citizen.ts";
import { localTransportPair } from "../local-transport.ts";
import type { Reply } from "../reply.ts";
import { Inbox } from "./inbox.ts";
import { stoppedAfterTest, testBroker } from "./test-broker.ts";
import { parse, serialise, type FrameHeaders, type ParsedFrame } from "../wire.ts";

export function verb(name: string, handler: Verb["handler"], more: Partial<Verb> = {}): Verb {
  return { name, args: ["text", "n?"], description: `Does ${name}`, readOnly: false, handler, ...more };
}

export async function served(
  options: Partial<CitizenOptions>,
): Promise<{ citizen: Citizen; caller: BusClient; ask: Ask }> {
  const bus = await testBroker();
  const citizen = stoppedAfterTest(
    serveCitizen({
      client: { url: () => bus.broker.connectLocal() },
      service: "agent",
      version: "1.2.3",
      description: "Test citizen",
      app: "agentd",
      verbs: [],
      drainTimeoutMs: 0,
      ...options,
    }),
  );
  const caller = stoppedAfterTest(new BusClient({ url: bus.unixUrl, name: "caller" }));
  await Promise.all([citizen.connect(), caller.connect()]);
  const ask: Ask = (command, args, call) => caller.call("agent", command, args, call);
  return { citizen, caller, ask };
}

export type Ask = (
  command: string,
  args?: object,
  options?: { body?: string; headers?: FrameHeaders },
) => Promise<Reply>;

export const bodyOf = (reply: Reply): Record<string, unknown> => JSON.parse(reply.body) as Record<string, unknown>;

/** A citizen whose broker is the test, so nothing is answered unless the test does. */
export function citizenOnWire(verbs: readonly Verb[]) {
  const [broker, theirs] = localTransportPair();
  const frames = new Inbox<ParsedFrame>();
  broker.listen({ message: (text) => frames.push(parse(text)), close: () => {} });
  const options = { service: "agent", version: "1", description: "d", verbs, drainTimeoutMs: 0 };
  const citizen = serveCitizen({ client: { url: () => theirs }, ...options });
  const deliver = (headers: FrameHeaders, body = ""): void => broker.send(serialise({ headers, body }));
  return { citizen, broker, frames, deliver };
}
