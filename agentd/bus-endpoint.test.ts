// SPDX-License-Identifier: MIT OR Apache-2.0
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { createBroker } from "../bus-client/broker/index.ts";
import { embeddedSocketPath, systemClock, unixUrl } from "../bus-client/index.ts";
import { temporaryDirectory } from "../bus-client/testing/temporary-directory.ts";
import { createBusEndpoint } from "./bus-endpoint.ts";

async function guestOf(hostedBy: string) {
  const directory = temporaryDirectory();
  const surroundings = {
    env: { XDG_RUNTIME_DIR: directory, MIXOS_ETC: directory },
    uid: process.getuid?.() ?? -1,
    home: directory,
    tcpPort: 1,
  };
  const socket = embeddedSocketPath(surroundings);
  mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
  const broker = createBroker({ hostedBy });
  await broker.listenUnix(socket);
  const home = createBusEndpoint({ surroundings, version: "0", clock: systemClock, warn: () => undefined });
  expect(await home.find()).toBe(unixUrl(socket));
  return {
    broker,
    home,
    socket,
    async [Symbol.asyncDispose]() {
      await home.close();
      await broker.close();
    },
  };
}

test("a guest of `mix bus` hosts no broker while that is away, and finds it when it is back", async () => {
  await using guest = await guestOf("mix bus");
  const { broker, home, socket } = guest;
  await broker.close();
  await expect(home.find()).rejects.toMatchObject({ code: "DIAL_FAILED" });
  expect(existsSync(socket)).toBe(false);
  expect(home.embedded()).toBe(false);
  const again = createBroker({ hostedBy: "mix bus" });
  await again.listenUnix(socket);
  expect(await home.find()).toBe(unixUrl(socket));
  await again.close();
});

test("a guest of another agentd hosts the Bus when that agentd has ended", async () => {
  await using guest = await guestOf("agentd");
  const { broker, home, socket } = guest;
  await broker.close();
  expect(typeof (await home.find())).toBe("object");
  expect(existsSync(socket)).toBe(true);
  expect(home.embedded()).toBe(true);
});
