// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { givenKeyLogins } from "./quiet-logins.ts";

const agent = { keyLogins: { "api-key": ["FIRST_KEY", "SECOND_KEY"] } };

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ["a key", { SECOND_KEY: "k" }, ["api-key"]],
  ["an empty key", { FIRST_KEY: "" }, []],
  ["another variable", { GH_TOKEN: "t" }, []],
])("%s that was given to an agent", (_, given, methods) => {
  expect(givenKeyLogins(agent, given)).toEqual(methods);
});
