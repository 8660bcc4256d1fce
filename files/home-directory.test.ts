// SPDX-License-Identifier: MIT OR Apache-2.0
import { homedir } from "node:os";
import { expect, test, vi } from "vitest";
import { homeDirectory } from "./home-directory.ts";

vi.mock("node:os", () => ({
  homedir: vi.fn(() => {
    throw new Error("uv_os_homedir returned ENOENT");
  }),
}));

test("HOME is the home directory, else that of the account, and / where there is no account", () => {
  expect(homeDirectory({ HOME: "/home/ann" })).toBe("/home/ann");
  expect(homeDirectory({})).toBe("/");
  vi.mocked(homedir).mockReturnValueOnce("/home/account");
  expect(homeDirectory({ HOME: "" })).toBe("/home/account");
});
