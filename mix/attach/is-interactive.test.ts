// SPDX-License-Identifier: MIT OR Apache-2.0
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Context } from "../process/context.ts";
import type { Output } from "../process/output.ts";
import { isInteractive } from "./is-interactive.ts";

type Name = "stdin" | "stdout" | "stderr";

function asked(terminals: readonly Name[], term?: string, mode: Output["mode"] = "people"): boolean {
  const stream = (name: Name) => Object.assign(new PassThrough(), { isTTY: terminals.includes(name) });
  const streams = { stdin: stream("stdin"), stdout: stream("stdout"), stderr: stream("stderr") };
  const context = { ...streams, env: term === undefined ? {} : { TERM: term } } as unknown as Context;
  return isInteractive({ context, output: { mode } as Output });
}

test("a person is asked if stdin, stdout and stderr are all terminals", () => {
  expect(asked(["stdin", "stdout", "stderr"])).toBe(true);
  expect(asked(["stdin", "stdout", "stderr"], "xterm")).toBe(true);
  expect(asked(["stdin", "stderr"])).toBe(false);
  expect(asked(["stdin", "stdout"])).toBe(false);
  expect(asked(["stdout", "stderr"])).toBe(false);
});

test("nobody is asked on a dumb terminal, or with --json or --quiet", () => {
  expect(asked(["stdin", "stdout", "stderr"], "dumb")).toBe(false);
  expect(asked(["stdin", "stdout", "stderr"], "xterm", "json")).toBe(false);
});
