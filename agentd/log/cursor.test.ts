// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { formatCursor, parseCursor } from "./cursor.ts";
import { alpha, bravo } from "./testing/temporary-log.ts";

const log = "loglogloglog";

test("a formatted cursor parses to its seq", () => {
  for (const seq of [0, 1, 2 ** 30 - 1])
    expect(parseCursor(formatCursor(log, alpha, seq), log, alpha)).toEqual({ seq });
  expect(parseCursor(`${log}/instance/3`, log, "instance")).toEqual({ seq: 3 });
});

test("a cursor of another log or session is refused, not silently followed", () => {
  expect(parseCursor(formatCursor("otherotherot", alpha, 5), log, alpha)).toEqual({ refused: "other_log" });
  expect(parseCursor(formatCursor(log, bravo, 5), log, alpha)).toEqual({ refused: "other_session" });
});

test.each([
  "",
  "5",
  `${log}/${alpha}`,
  `${log}/${alpha}/`,
  `${log}/${alpha}/-1`,
  `${log}/${alpha}/01`,
  `${log}/${alpha}/1.5`,
  `${log}/${alpha}/1/`,
  `${log}/${alpha}/1073741824`,
  `${log}/${alpha}/99999999999`,
  `${log}/${alpha}/1\n`,
  `/${alpha}/1`,
])("%j is not a cursor", (text) => {
  expect(parseCursor(text, log, alpha)).toEqual({ refused: "malformed" });
});
