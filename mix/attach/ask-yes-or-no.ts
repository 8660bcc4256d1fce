// SPDX-License-Identifier: MIT OR Apache-2.0
import { type LineContext, PromptLine } from "./prompt-line.ts";

/**
 * Asks on the terminal; call it only where there is one. Anything but y or yes means no, and so do Ctrl-C and the end
 * of input. Lines that were typed before the question appeared are ignored.
 */
export function askYesOrNo(context: LineContext, question: string): Promise<boolean> {
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
