// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { homePath } from "./home-path.ts";

test("only the home directory itself and what is in it begin with ~", () => {
  const written = ["/home/ann", "/home/ann/x", "/home/anna", "/"].map((path) => homePath(path, { home: "/home/ann" }));
  expect(written).toEqual(["~", "~/x", "/home/anna", "/"]);
});
