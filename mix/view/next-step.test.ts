// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { nextStep } from "./next-step.ts";

const one = { session: "abc", state: "idle", capabilities: {}, agent_session_id: "a" } as const;

test.each([
  [{}, 'continue: mix agent send abc "…"'],
  [{ state: "waiting" }, 'continue: mix agent send abc "…"'],
  [{ state: "closing" }, undefined],
  [{ state: "closed", capabilities: { load: true } }, "continue: mix agent resume abc"],
  [{ state: "lost", capabilities: { resume: true } }, "continue: mix agent resume abc"],
  [{ state: "failed", capabilities: { resume: false } }, "continue: mix agent resume abc --fresh"],
  [{ state: "failed", agent_session_id: null }, "what happened: mix agent log abc"],
] as const)("after %j the next step is: %s", (more, step) => {
  expect(nextStep({ ...one, ...more })).toBe(step);
});
