// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { Log } from "./log/open.ts";
import { Publisher, type PublisherBus } from "./publish.ts";
import { temporaryLog } from "./testing/temporary-log.ts";
import type { Entry, EntryContent, Publication } from "./vocabulary/index.ts";

/** A Bus that acknowledges on the test's command. */
class HeldBus implements PublisherBus {
  readonly bodies: string[] = [];
  readonly #waiting: ((error: Error | undefined) => void)[] = [];

  publish(...[, body, , done]: Parameters<PublisherBus["publish"]>): void {
    this.bodies.push(body.toString().trimEnd());
    this.#waiting.push(done);
  }

  cork(): void {}
  uncork(): void {}

  acknowledge(count = this.#waiting.length): void {
    for (const done of this.#waiting.splice(0, count)) done(undefined);
  }

  entries(): Entry[] {
    return this.bodies.flatMap((body) => {
      const publication = JSON.parse(body) as Publication;
      return "seq_from" in publication ? publication.entries : [publication as Entry];
    });
  }
}

const note = (message: string): EntryContent => ({ kind: "diagnostic", what: "test", message });

function setUp(log: Log, limits: { unansweredMax?: number; bodyBytesMax?: number } = {}) {
  const bus = new HeldBus();
  const publisher = new Publisher({
    log: log.id,
    entries: log.entries,
    bus,
    unansweredMax: limits.unansweredMax ?? 128,
    bodyBytesMax: limits.bodyBytesMax ?? 1_000_000,
  });
  let seq = 0;
  const commit = (...messages: string[]): void => {
    const appended = log.append([{ session: "aaaaaaaaaaaa", expectSeq: seq, entries: messages.map(note) }]);
    seq += messages.length;
    publisher.committed(appended);
  };
  return { bus, publisher, commit };
}

test("one entry is published as the log has it, several of one commit as one publication", () => {
  using temporary = temporaryLog();
  const { log } = temporary;
  const { bus, publisher, commit } = setUp(log);
  publisher.connected([]);
  commit("one");
  commit("two", "three");
  expect(bus.bodies[0]).toBe(log.entries.body("aaaaaaaaaaaa", 1));
  expect(JSON.parse(bus.bodies[1] ?? "")).toMatchObject({ log: log.id, session: "aaaaaaaaaaaa", seq_from: 2, seq: 3 });
  expect(bus.entries().map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test("publications stop at the limit of unacknowledged ones, and the rest follows in order, joined", () => {
  using temporary = temporaryLog();
  const { bus, publisher, commit } = setUp(temporary.log, { unansweredMax: 2 });
  publisher.connected([]);
  for (let index = 0; index < 20; index += 1) commit(`number ${index}`);
  expect(bus.bodies).toHaveLength(2);
  bus.acknowledge(1);
  expect(bus.bodies).toHaveLength(3);
  bus.acknowledge();
  expect(bus.entries().map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});

test("nothing is published while the Bus is away, and when it is back the last entry of each live session is", () => {
  using temporary = temporaryLog();
  const { bus, publisher, commit } = setUp(temporary.log);
  commit("before there was a Bus");
  expect(bus.bodies).toEqual([]);
  publisher.connected([{ session: "aaaaaaaaaaaa", seq: 1 }]);
  expect(bus.entries().map(({ seq }) => seq)).toEqual([1]);
  publisher.disconnected();
  commit("two", "three");
  publisher.connected([{ session: "aaaaaaaaaaaa", seq: 3 }]);
  expect(bus.entries().map(({ seq }) => seq)).toEqual([1, 3]);
  commit("four");
  expect(bus.entries().map(({ seq }) => seq)).toEqual([1, 3, 4]);
});

test("acknowledgements of an earlier connection do not count for the current one", () => {
  using temporary = temporaryLog();
  const { bus, publisher, commit } = setUp(temporary.log, { unansweredMax: 1 });
  publisher.connected([]);
  commit("one");
  publisher.disconnected();
  publisher.connected([{ session: "aaaaaaaaaaaa", seq: 1 }]);
  commit("two");
  expect(bus.bodies).toHaveLength(2);
  // The first belongs to the earlier connection: if it counted, a third would be published unacknowledged.
  bus.acknowledge(1);
  expect(bus.bodies).toHaveLength(2);
  bus.acknowledge(1);
  expect(bus.entries().map(({ seq }) => seq)).toEqual([1, 1, 2]);
});

test("an entry too large for a frame is published as its size only, and the next one follows", () => {
  using temporary = temporaryLog();
  const { bus, publisher, commit } = setUp(temporary.log, { bodyBytesMax: 1000 });
  publisher.connected([]);
  commit("small", "x".repeat(5000), "small again");
  const [first, second, third] = bus.bodies.map((body) => JSON.parse(body) as Publication);
  expect(first).toMatchObject({ seq: 1, message: "small" });
  expect(second).toMatchObject({ seq: 2, kind: "diagnostic", truncated: true });
  expect((second as { bytes: number }).bytes).toBeGreaterThan(5000);
  expect(third).toMatchObject({ seq: 3 });
});

test("entries that are no longer cached are read from the log", () => {
  using temporary = temporaryLog();
  const { bus, publisher, commit } = setUp(temporary.log, { unansweredMax: 1 });
  publisher.connected([]);
  const long = "y".repeat(900_000);
  for (let index = 0; index < 12; index += 1) commit(long);
  for (let index = 0; index < 12; index += 1) bus.acknowledge();
  expect(bus.entries().map(({ seq }) => seq)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
});

test("entries purged before they were published are skipped, and later ones are published", () => {
  using temporary = temporaryLog();
  const { log } = temporary;
  const { bus, publisher } = setUp(log);
  publisher.connected([]);
  log.append([{ session: "aaaaaaaaaaaa", expectSeq: 0, entries: [{ kind: "state", state: "closed" }] }]);
  const purge = log.maintenance.purge("aaaaaaaaaaaa");
  while (!purge.next().done);
  publisher.committed([{ session: "aaaaaaaaaaaa", seqFrom: 1, seq: 1, bodies: [], at: "" }]);
  expect(bus.bodies).toEqual([]);
  const [appended] = log.append([{ session: "aaaaaaaaaaaa", expectSeq: 1, entries: [note("after the purge")] }]);
  if (appended) publisher.committed([appended]);
  expect(bus.entries().map(({ seq }) => seq)).toEqual([2]);
});
