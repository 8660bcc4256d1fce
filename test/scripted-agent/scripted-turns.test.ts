// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { openSession, said } from "../../agentd/demo-agent/testing/driver.ts";
import { play, prompt } from "./play-scenario.ts";

test("updates can come before the response to session/new, after the turn, and for unknown sessions", async () => {
  await using driver = play({
    session: { sessionId: "mine" },
    rules: [
      { on: "session/new", do: [{ update: { sessionUpdate: "early" }, sessionId: "mine" }, "default"] },
      {
        on: "session/prompt",
        do: ["default", { update: { sessionUpdate: "foreign" }, sessionId: "other" }, { waitMs: 10 }, { text: "late" }],
      },
    ],
  });
  const sessionId = await openSession(driver, "/tmp");
  await prompt(driver, sessionId);
  await driver.frame("the late text", (frame) => JSON.stringify(frame).includes("late"));
  const order = driver.frames.map((frame) =>
    frame["method"] === undefined ? "answer" : JSON.stringify(frame["params"]),
  );
  expect(order.map((told) => /early|answer|ok|foreign|late/.exec(told)?.[0])).toEqual([
    "answer",
    "early",
    "answer",
    "ok",
    "answer",
    "foreign",
    "late",
  ]);
});

test("a waiting prompt is cancelled as by a correct agent, unless the scenario ignores cancel", async () => {
  await using driver = play({
    rules: [{ on: "session/prompt", do: [{ text: "working" }, { waitMs: 60_000 }, "default"] }],
  });
  const sessionId = await openSession(driver, "/tmp");
  const turn = prompt(driver, sessionId);
  driver.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
  expect((await turn)["result"]).toEqual({ stopReason: "cancelled" });
  expect(said(driver)).toBe("working");
});

test("an agent may ignore a cancel, send more requests, and end the turn with an error", async () => {
  await using driver = play({
    rules: [
      { on: "session/prompt", do: [] },
      {
        on: "session/cancel",
        do: [{ permission: {} }, { permission: {} }, { error: { code: -32603, message: "aborted" }, to: "$promptId" }],
      },
    ],
  });
  const sessionId = await openSession(driver, "/tmp");
  const turn = prompt(driver, sessionId);
  driver.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
  for (const id of [0, 1]) {
    await driver.frame("a permission", (frame) => frame["id"] === id && frame["method"] !== undefined);
    driver.send({ jsonrpc: "2.0", id, result: { outcome: { outcome: "cancelled" } } });
  }
  expect((await turn)["error"]).toEqual({ code: -32603, message: "aborted" });
});

test("permissions can be pending together, have chosen ids, and run steps by their response", async () => {
  const answered = {
    yes: [{ text: "did it" }],
    cancelled: [{ text: "left it" }],
    error: [{ text: "failed" }],
  } as const;
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  await using driver = play({
    rules: [
      {
        on: "session/prompt",
        do: [
          ...["x", 7, "y"].map((id) => ({ permission: { options }, id, await: false, answered })),
          { notify: "$/cancel_request", params: { requestId: "$requestId" } },
          { awaitAnswers: true },
          "default",
        ],
      },
    ],
  });
  const sessionId = await openSession(driver, "/tmp");
  const turn = prompt(driver, sessionId);
  const withdrawal = await driver.frame("the withdrawal", (frame) => frame["method"] === "$/cancel_request");
  expect(withdrawal["params"]).toEqual({ requestId: "y" });
  driver.send({ jsonrpc: "2.0", id: "y", error: { code: -32800, message: "withdrawn" } });
  driver.send({ jsonrpc: "2.0", id: 7, result: { outcome: { outcome: "cancelled" } } });
  driver.send({ jsonrpc: "2.0", id: "x", result: { outcome: { outcome: "selected", optionId: "yes" } } });
  await turn;
  expect(said(driver)).toBe("failedleft itdid itok");
});
