// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { plain, rendered } from "../../display/styled.ts";
import { formatFindings } from "./doctor.ts";

test("a subject is named once, and lines after the first and remedies stand below its words", () => {
  const shown = formatFindings(
    [
      { subject: "bus", state: "ok", words: "ws://x" },
      { subject: "bus", state: "warning", words: "one\u001b[2J" },
      { subject: "settings", state: "fault", words: "/c:1: a\n/c:2: b", remedy: "edit the file" },
    ],
    { style: plain, columns: 0 },
  );
  expect(shown.map(rendered)).toEqual([
    "✔ bus       ws://x",
    "!           one\\x1b[2J",
    "✘ settings  /c:1: a",
    "            /c:2: b",
    "            → edit the file",
  ]);
});

test("on a terminal, lines are wrapped below their words, and the home directory is ~", () => {
  const words = "/home/ann/state/log.db, 1.0 MiB, and /home/anna/log.db";
  const shown = formatFindings([{ subject: "log", state: "ok", words }], {
    style: plain,
    columns: 40,
    home: "/home/ann",
  });
  expect(shown.map(rendered)).toEqual(["✔ log  ~/state/log.db, 1.0 MiB, and\n       /home/anna/log.db"]);
});
