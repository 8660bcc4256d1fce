// SPDX-License-Identifier: MIT OR Apache-2.0

import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { testBroker, type TestBroker } from "../testing/test-broker.ts";
import { parse, serialise, type FrameHeaders } from "../wire.ts";

interface SlowReader {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
}

/** Registers and subscribes, then stops reading. */
async function slowReader(bus: TestBroker, name: string): Promise<SlowReader> {
  const path = bus.unixUrl.slice("ws+unix://".length, -":/ws".length);
  const socket = createConnection({ path });
  const webSocket = new WebSocket("ws://localhost/ws", { createConnection: () => socket, perMessageDeflate: false });
  onTestFinished(() => webSocket.terminate());
  await once(webSocket, "open");
  const steps: FrameHeaders[] = [
    { command: "noded.register", from: name, id: "1", to: "noded" },
    { command: "topic.subscribe", id: "2", name: "flood", to: "noded" },
  ];
  for (const headers of steps) {
    webSocket.send(serialise({ headers }));
    await once(webSocket, "message");
  }
  webSocket.pause();
  return { webSocket, socket };
}

test(
  "a reader that does not read costs a bounded queue: the rest is dropped, counted, and told to the publisher",
  { tags: "slow" },
  async () => {
    const bus = await testBroker();
    await slowReader(bus, "slow");
    const [publisher, quick] = [await bus.peer("local"), await bus.peer()];
    await quick.ask({ command: "topic.subscribe", name: "flood", to: "noded" });
    const body = serialise({ headers: { command: "x" }, body: "x".repeat(100_000) });
    let dropped = 0;
    const before = process.memoryUsage();
    for (let index = 0; index < 500; index++) {
      const reply = await publisher.ask({ command: "topic.publish", name: "flood", retain: "false" }, body);
      const counts = JSON.parse(reply.body) as {
        delivered: number;
        dropped: number;
        eligible: number;
        partial: boolean;
      };
      expect(counts.eligible).toBe(2);
      expect(counts.delivered + counts.dropped).toBe(2);
      expect(counts.partial).toBe(counts.dropped > 0);
      dropped += counts.dropped;
      await quick.frames.next();
    }
    // 1 MiB in the socket, 256 messages behind it, and what the kernel holds; all else was dropped for the slow one alone.
    expect(dropped).toBeGreaterThan(500 - 256 - 60);
    expect(dropped).toBeLessThan(500);
    expect(bus.broker.dropped).toBe(dropped);
    const grown =
      process.memoryUsage().arrayBuffers + process.memoryUsage().external - before.arrayBuffers - before.external;
    expect(grown).toBeLessThan(2 * 64 * 1024 * 1024);
  },
);

test("a request to a stalled reader is refused as overloaded, and the reader gets the queued messages when it resumes", async () => {
  const bus = await testBroker({ limits: { queuedMessagesMax: 4, socketBytesMax: 1_000 } });
  const { webSocket } = await slowReader(bus, "slow");
  const caller = await bus.peer();
  const body = "x".repeat(200_000);
  let accepted = -1;
  let refusal: string | undefined;
  // Each request is followed by a ping, whose answer comes after a refusal of the request.
  while (refusal === undefined) {
    accepted++;
    caller.send({ command: "slow.ask", id: `r${accepted}`, to: "slow", type: "request" }, body);
    caller.send({ command: "noded.ping", id: "after", to: "noded", type: "request" });
    const text = await caller.frames.next();
    if (parse(text).headers["id"] !== "after") refusal = text;
  }
  expect(refusal).toMatch(
    /^---\nerror: Service 'slow' overloaded \(outbound buffer full\)\nid: r\d+\nrc: 20\ntype: response\n---\n$/,
  );
  let got = 0;
  const all = new Promise<void>((resolve) => {
    webSocket.on("message", () => ++got === accepted && resolve());
  });
  webSocket.resume();
  await all;
});

test("a request to a connection that is closing and still holds its name is refused as disconnected", async () => {
  const bus = await testBroker();
  const { webSocket } = await slowReader(bus, "slow");
  const caller = await bus.peer();
  // A binary frame over Unix makes the broker close; the reader is paused and does not answer that.
  webSocket.send(Buffer.from("x"), { binary: true });
  let refusal: string | undefined;
  while (refusal === undefined) {
    caller.send({ command: "slow.ask", id: "1", to: "slow", type: "request" });
    caller.send({ command: "noded.ping", id: "after", to: "noded", type: "request" });
    const text = await caller.frames.next();
    if (parse(text).headers["id"] !== "after") refusal = text;
  }
  expect(refusal).toBe("---\nerror: Service 'slow' disconnected\nid: 1\nrc: 10\ntype: response\n---\n");
});
