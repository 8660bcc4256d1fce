// SPDX-License-Identifier: MIT OR Apache-2.0
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { streamSink } from "../../display/stream-sink.ts";
import { TextOutput } from "../../display/text-output.ts";
import { wantsColour } from "./colour.ts";

const output = (isTTY: boolean): TextOutput => new TextOutput(streamSink(Object.assign(new PassThrough(), { isTTY })));

test.each([
  [true, {}, [], true],
  [false, {}, [], false],
  [true, { TERM: "dumb" }, [], false],
  [true, { CLICOLOR: "0" }, [], false],
  [true, { NO_COLOR: "1" }, [], false],
  [true, { NO_COLOR: "" }, [], true],
  [false, { FORCE_COLOR: "1" }, [], true],
  [false, { CLICOLOR_FORCE: "1" }, [], true],
  [true, { FORCE_COLOR: "0" }, [], false],
  [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, [], false],
  [false, { NO_COLOR: "1" }, ["--color", "always"], true],
  [true, { FORCE_COLOR: "1" }, ["--color=never"], false],
  [true, {}, ["--color", "never", "--color", "auto"], true],
  [true, {}, ["--", "--color", "never"], true],
] as const)("a terminal: %j, with %j and %j: colours: %j", (isTTY, env, words, expected) => {
  expect(wantsColour({ stdout: output(isTTY), env, words })).toBe(expected);
});
