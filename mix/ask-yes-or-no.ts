// SPDX-License-Identifier: MIT OR Apache-2.0
import { createInterface } from "node:readline";
import type { Context } from "./context.ts";
import { afterUnreadKeys } from "./unread-keys.ts";

/** Only to be called on a terminal. Anything but y or yes is no, and so are Ctrl-C and the end of input. */
export function askYesOrNo(context: Pick<Context, "stdin" | "stderr">, question: string): Promise<boolean> {
  const lines = createInterface({ input: context.stdin, output: context.stderr, terminal: true });
  return new Promise((resolve) => {
    let yes = false;
    lines.on("close", () => resolve(yes));
    lines.on("SIGINT", () => lines.close());
    // What was typed before the question is no answer to it.
    afterUnreadKeys(() => {
      lines.write(null, { ctrl: true, name: "u" });
      lines.question(`${question} [y/N] `, (answer) => {
        yes = /^y(es)?$/i.test(answer.trim());
        lines.close();
      });
    });
  });
}
