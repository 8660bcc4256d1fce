// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Invocation } from "./verb.ts";

/** Whether a person can be asked here: words are read from a terminal, and seen on one. */
export function somebodyHere({ context, output }: Pick<Invocation, "context" | "output">): boolean {
  return output.mode === "people" && context.stdin.isTTY === true && context.stderr.isTTY === true;
}
