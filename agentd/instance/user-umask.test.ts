// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { makeWithUserUmask } from "./user-umask.ts";

function processWith(mask: number) {
  return {
    mask,
    umask(next?: string | number) {
      const before = this.mask;
      if (typeof next === "number") this.mask = next;
      return before;
    },
  };
}

test("files for the user are created under the user's umask, and agentd's own applies again afterwards", () => {
  const own = processWith(0o077);
  const asUser = makeWithUserUmask(0o022, own);
  expect(asUser(() => own.mask)).toBe(0o022);
  expect(own.mask).toBe(0o077);
  expect(() =>
    asUser(() => {
      throw new Error("it failed");
    }),
  ).toThrow("it failed");
  expect(own.mask).toBe(0o077);
});

test("an umask that was never changed is not touched", () => {
  const own = processWith(0o027);
  expect(makeWithUserUmask(undefined, own)(() => own.mask)).toBe(0o027);
});
