// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Context } from "../process/context.ts";
import { PromptLine } from "./prompt-line.ts";

/**
 * Only to be called on a terminal. Anything but y or yes is no, and so are Ctrl-C and the end of input. What was typed
 * before the question is no answer to it.
 */
export function askYesOrNo(
  context: Pick<Context, "stdin" | "stderr" | "interrupts" | "now" | "after">,
  question: string,
): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (yes: boolean): void => {
      stopListening();
      line.close();
      resolve(yes);
    };
    const line = new PromptLine(context, {
      line: (text, target) => {
        if (target !== undefined) answer(/^y(es)?$/i.test(text.trim()));
      },
      end: () => answer(false),
      endRow: () => undefined,
    });
    const stopListening = context.interrupts.listen(() => answer(false));
    line.open({ target: question, prompt: `${question} [y/N] `, asks: true });
  });
}
