// SPDX-License-Identifier: MIT OR Apache-2.0

import { createConnection, createServer } from "node:net";
import type { Socket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Inlet } from "./inlet.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

async function connected(): Promise<{ readonly inlet: Inlet; readonly socket: Socket; readonly peer: Socket }> {
  const path = join(temporaryDirectory(), "sock");
  const server = createServer();
  server.listen(path);
  await once(server, "listening");
  const inlet = new Inlet();
  const socket = createConnection({ path, onread: inlet });
  const [[peer]] = (await Promise.all([once(server, "connection"), once(socket, "connect")])) as [[Socket], unknown];
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  return { inlet, socket, peer };
}

test("what comes before somebody receives is held, in order, and never delivered from within `open`", async () => {
  const { inlet, socket, peer } = await connected();
  inlet.hold(Buffer.from("rest "));
  peer.write("held ");
  await after(20);
  let received = "";
  inlet.open((chunk) => (received += chunk.toString()), socket);
  expect(received).toBe("");
  peer.write("after");
  await expect.poll(() => received).toBe("rest held after");
});

test("while nobody receives, the other side is held up", async () => {
  const { inlet, socket, peer } = await connected();
  const bytes = 8 * 1024 * 1024;
  peer.write(Buffer.alloc(bytes, 1));
  await after(20);
  expect(peer.writableLength).toBeGreaterThan(0);
  let received = 0;
  inlet.open((chunk) => (received += chunk.filter((byte) => byte === 1).length), socket);
  await expect.poll(() => received, { timeout: 10_000 }).toBe(bytes);
});

test("a chunk stays as it came while others follow", async () => {
  const { inlet, socket, peer } = await connected();
  const chunks: Buffer[] = [];
  inlet.open((chunk) => chunks.push(chunk), socket);
  for (const text of ["one", "two"]) {
    peer.write(text);
    await expect.poll(() => Buffer.concat(chunks).toString().endsWith(text), { timeout: 10_000 }).toBe(true);
  }
  expect(Buffer.concat(chunks).toString()).toBe("onetwo");
});

test("the end of the other side closes the socket, though no stream is read", async () => {
  const { inlet, socket, peer } = await connected();
  inlet.open(() => undefined, socket);
  peer.end();
  await once(socket, "close");
});
