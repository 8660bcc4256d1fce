// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { Request } from "../../bus-client/index.ts";
import { LogError } from "../log/log-error.ts";
import { busVerbs } from "./dispatch.ts";
import type { Instance } from "./instance.ts";

test("a log that cannot be read while the sender is checked is reported as STORE_FAILED", async () => {
  const failing = (): never => {
    throw new LogError("io", "the disk is away");
  };
  const instance = { stopping: () => false, quota: { level: failing, used: failing } } as unknown as Instance;
  const verb = busVerbs(instance).find(({ name }) => name === "agent.session.prompt");
  const request = {
    args: { session: "any", prompt: "hello" },
    from: "somebody",
    origin: "local",
  } as unknown as Request;
  const answer = await verb?.handler(request);
  expect(answer).toMatchObject({ rc: 10 });
  expect(JSON.stringify(answer)).toContain("STORE_FAILED");
});
