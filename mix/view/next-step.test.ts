// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { nextStep } from "./next-step.ts";

const one = { session: "abc", state: "idle", capabilities: {}, agent_session_id: "a" } as const;

test.each([
  [{}, 'to go on: mix agent send abc "…"'],
  [{ name: "shopping" }, 'to go on: mix agent send shopping "…"'],
  [{ state: "waiting" }, 'to go on: mix agent send abc "…"'],
  [{ state: "closing" }, undefined],
  [{ state: "closed", capabilities: { load: true } }, 'to come back: mix agent send abc "…"'],
  [{ state: "lost", capabilities: { resume: true } }, 'to come back: mix agent send abc "…"'],
  [{ state: "failed", capabilities: { resume: false } }, "to begin anew: mix agent resume abc --fresh"],
  [{ state: "failed", agent_session_id: null }, "to see why: mix agent log abc"],
] as const)("after %j the next step is: %s", (more, step) => {
  expect(nextStep({ ...one, ...more })?.join(" ")).toBe(step);
});
