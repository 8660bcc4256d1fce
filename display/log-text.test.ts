// SPDX-License-Identifier: MIT OR Apache-2.0
import { pino, stdTimeFunctions } from "pino";
import { expect, test } from "vitest";
import { hostileTexts, terminalControlsIn } from "./testing/hostile-text.ts";
import { TextOutput } from "./text-output.ts";

test("on a terminal a log line is text with a time, its level if that is not ordinary, and its details", () => {
  const { logger, written } = logging(true);
  logger.info("on the Bus as notify");
  logger.warn({ code: "DIAL_FAILED", attempt: 1 }, "not on the Bus");
  logger.debug("looked");
  expect(written.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ""))).toEqual([
    "on the Bus as notify\n",
    "warning: not on the Bus (code: DIAL_FAILED, attempt: 1)\n",
    "debug: looked\n",
  ]);
  const local = new Date().toTimeString().slice(0, 5);
  expect(written[0]).toMatch(/^\d\d:\d\d:\d\d /);
  expect([local, new Date(Date.now() - 60_000).toTimeString().slice(0, 5)]).toContain(written[0]?.slice(0, 5));
});

test("an error's stack stands below its line, indented, with its message", () => {
  const { logger, written } = logging(true);
  logger.error({ err: new Error("it is full\nand more") }, "the store failed");
  const [first, second, third, ...stack] = written.join("").trimEnd().split("\n");
  expect(first).toMatch(/ error: the store failed$/);
  expect([second, third]).toEqual(["    Error: it is full", "    and more"]);
  expect(stack.length).toBeGreaterThan(1);
  for (const row of stack) expect(row).toMatch(/^ {4}at /);
});

test("no text in a log line repaints a terminal or looks like another line", () => {
  const { logger, written } = logging(true);
  for (const text of hostileTexts) logger.info({ text, deep: { text } }, text);
  expect(terminalControlsIn(written.join(""))).toEqual([]);
  expect(written.join("").split("\n")).toHaveLength(hostileTexts.length + 1);
});

test("a program gets every line as pino wrote it, and what is not JSON is kept", async () => {
  const { logger, written, output } = logging(false);
  logger.warn({ code: "\u001b[2J" }, "x");
  expect(JSON.parse(written[0] ?? "")).toMatchObject({ level: 40, code: "\u001b[2J", msg: "x" });
  await output.log("no JSON\n");
  const terminal = logging(true);
  await terminal.output.log("no JSON\n");
  expect([written[1], terminal.written[0]]).toEqual(["no JSON\n", "no JSON\n"]);
});

function logging(isTTY: boolean) {
  const written: string[] = [];
  const output = new TextOutput({ isTTY, columns: 80, write: (text) => Promise.resolve(void written.push(text)) });
  const options = { level: "debug", timestamp: stdTimeFunctions.isoTime, base: { pid: 1 } };
  const logger = pino(options, { write: (line) => void output.log(line) });
  return { logger, written, output };
}
