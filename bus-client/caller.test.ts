// SPDX-License-Identifier: MIT OR Apache-2.0

import { expect, onTestFinished, test } from "vitest";
import { createBroker } from "./broker/index.ts";
import { Caller, done, serveCitizen } from "./index.ts";

test("a caller is anonymous, and fails at once without reconnecting when its connection is closed", async () => {
  const broker = createBroker();
  const citizen = serveCitizen({
    client: { url: () => broker.connectLocal() },
    service: "echo",
    version: "1",
    description: "says who asks",
    verbs: [{ name: "echo.who", args: [], description: "who", readOnly: true, handler: ({ from }) => done({ from }) }],
  });
  onTestFinished(async () => {
    await citizen.stop();
    await broker.close();
  });
  await citizen.connect();
  const caller = new Caller(broker.connectLocal());
  const reply = await caller.call("echo", "echo.who", {});
  expect(JSON.parse(reply.body)).toEqual({ from: null });
  expect(await caller.call("nobody", "x")).toMatchObject({ rc: 10 });
  await caller.leave();
  await expect
    .poll(() => caller.call("echo", "echo.who").catch((error: unknown) => error))
    .toMatchObject({
      code: "NOT_CONNECTED",
    });
});
