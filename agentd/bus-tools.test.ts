// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { deliveryOf } from "../bus-client/subscriptions.ts";
import type { DeliveryListener } from "../bus-client/index.ts";
import { busToolsServer, BusToolsWatch } from "./bus-tools.ts";

const session = "aaaaaaaaaaaa";
const server = { name: `mcp-s-${session}-x2y3`, binary: "mixos-mcp" };

/** A Bus with a list set by the test, and a grace period of zero. */
function watched() {
  let listed: unknown = [];
  let asked = 0;
  const listeners = new Set<DeliveryListener>();
  const watch = new BusToolsWatch({
    bus: {
      call: () => {
        asked += 1;
        if (listed instanceof Error) return Promise.reject(listed);
        return Promise.resolve({ rc: 0, headers: {}, body: JSON.stringify(listed) });
      },
      subscribe: (_topic, listener) => Promise.resolve(listeners.add(listener)),
    },
    pause: () => Promise.resolve(),
    graceMs: 1_000,
    onError: () => {},
  });
  const list = (services: unknown): void => void (listed = services);
  const tell = (cause: string): void => {
    const delivery = deliveryOf({ headers: { topic: "noded.props.changed" }, body: JSON.stringify({ cause }) });
    for (const listener of listeners) listener(delivery);
  };
  return { watch, list, tell, asked: () => asked };
}

test("a registered server counts, another program with such a name does not", async () => {
  const { watch, list } = watched();
  watch.expect(session);
  list([{ ...server, binary: "mix" }, { name: "mixos-mcp" }, { name: "mcp-abcdef", binary: "mixos-mcp" }]);
  expect(await watch.hasRegistered(session)).toBe(false);
  list([server]);
  expect(await watch.hasRegistered(session)).toBe(true);
});

test("if the broker lists only names, the name decides", async () => {
  const { watch, list } = watched();
  watch.expect(session);
  list([server.name]);
  expect(await watch.hasRegistered(session)).toBe(true);
});

test("a server that came and went counts only in the run in which it was seen", async () => {
  const { watch, list, tell, asked } = watched();
  watch.follow();
  watch.follow();
  watch.expect(session);
  tell("register:someone");
  tell("register:mcp-s-bbbbbbbbbbbb-aaaa");
  expect(asked()).toBe(0);
  list([server]);
  tell(`register:${server.name}`);
  await Promise.resolve().then(() => Promise.resolve());
  expect(asked()).toBe(1);
  list([]);
  expect(await watch.hasRegistered(session)).toBe(true);
  watch.expect(session);
  expect(await watch.hasRegistered(session)).toBe(false);
});

test("if the Bus cannot be asked or the session has ended, the server counts as registered", async () => {
  const { watch, list } = watched();
  watch.expect(session);
  list(new Error("the Bus is away"));
  expect(await watch.hasRegistered(session)).toBe(true);
  list([]);
  watch.forget(session);
  expect(await watch.hasRegistered(session)).toBe(true);
});

test("the server's environment has the Bus's address, the session's marker and the denied services", () => {
  const marker = `llllllllllll/${session}`;
  const told = { nodeProgram: "/node", mcpProgram: "/mixos-mcp.mjs", busUrl: "ws://127.0.0.1:1/ws", marker };
  expect(busToolsServer({ ...told, denied: ["term", "x-*"] })).toEqual({
    name: "mixos",
    command: "/node",
    args: ["/mixos-mcp.mjs"],
    env: [
      { name: "MIXOS_NODED_URL", value: "ws://127.0.0.1:1/ws" },
      { name: "AGENTD_SESSION", value: marker },
      { name: "MIXOS_MCP_DENY", value: "term,x-*" },
    ],
  });
  expect(JSON.stringify(busToolsServer({ ...told, busUrl: "", denied: [] }))).not.toContain("MIXOS_NODED_URL");
});
