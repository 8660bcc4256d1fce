// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Invocation } from "../input/verb.ts";

/**
 * Whether a person can be asked here. The question is written to stdout and its answer line to stderr, so both must be
 * terminals: otherwise somebody could say yes to a question that they do not see. A dumb terminal cannot erase a line.
 */
export function isInteractive({ context, output }: Pick<Invocation, "context" | "output">): boolean {
  const { stdin, stdout, stderr, env } = context;
  const isSeen = stdin.isTTY === true && stdout.isTTY && stderr.isTTY;
  return output.mode === "people" && isSeen && env["TERM"] !== "dumb";
}
