// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Invocation } from "../input/verb.ts";

/**
 * Whether a person can be asked here. What is asked stands on stdout and the line below it on stderr: both must be seen,
 * or a yes is given to nothing. A dumb terminal cannot take back a line that was typed for something else.
 */
export function isInteractive({ context, output }: Pick<Invocation, "context" | "output">): boolean {
  const { stdin, stdout, stderr, env } = context;
  const isSeen = stdin.isTTY === true && stdout.isTTY && stderr.isTTY;
  return output.mode === "people" && isSeen && env["TERM"] !== "dumb";
}
