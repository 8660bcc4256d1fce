// SPDX-License-Identifier: MIT OR Apache-2.0
// A Bus with test services that can be called, and a client that observes it.
import { BusClient, done, refused, serveCitizen } from "../../bus-client/index.ts";
import { Inbox } from "../../bus-client/testing/inbox.ts";
import { stoppedAfterTest, testBroker } from "../../bus-client/testing/test-broker.ts";
import { verb } from "../../bus-client/testing/served-citizen.ts";

/** Returns, among others, `env`: the environment for a server on this Bus. */
export async function busWithServices(services: readonly string[] = ["echo"]) {
  const bus = await testBroker();
  /** The senders of `<service>.hold`, which is never answered. */
  const held = new Inbox<string | null>();
  for (const service of services) {
    const citizen = serveCitizen({
      client: { url: () => bus.broker.connectLocal() },
      service,
      version: "1.2.3",
      description: "Test citizen",
      drainTimeoutMs: 0,
      verbs: [
        verb(`${service}.say`, ({ args, from }) => done({ said: args["text"], to: from }), { readOnly: true }),
        verb(`${service}.long`, ({ args }) => done({ text: "ä".repeat(Number(args["n"])) })),
        verb(`${service}.raw`, ({ args }) => ({ rc: Number(args["rc"] ?? 0), body: String(args["body"]) })),
        verb(`${service}.refuse`, () => refused("NOT_TODAY", "come back tomorrow", { open_at: "9:00" })),
        verb(`${service}.hold`, ({ from }) => held.push(from)),
      ],
    });
    await stoppedAfterTest(citizen).connect();
  }
  const onlooker = stoppedAfterTest(new BusClient({ url: () => bus.broker.connectLocal(), name: "onlooker" }));
  await onlooker.connect();
  const names = async (): Promise<string[]> => {
    const { body } = await onlooker.call("noded", "noded.list");
    return (JSON.parse(body) as { name: string }[]).map(({ name }) => name);
  };
  /** Polls the list of names until it fits. */
  const untilNames = async (fits: (names: string[]) => boolean): Promise<string[]> => {
    for (;;) {
      const found = await names();
      if (fits(found)) return found;
    }
  };
  /** Publishes repeatedly until somebody has received a message. */
  const publishHeard = async (topic: string, body: string): Promise<void> => {
    for (;;) {
      const { body: reply } = await onlooker.publishAndConfirm(topic, body);
      if ((JSON.parse(reply) as { delivered: number }).delivered > 0) return;
    }
  };
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", MIXOS_NODED_URL: bus.unixUrl };
  return { ...bus, held, onlooker, names, untilNames, publishHeard, env };
}
