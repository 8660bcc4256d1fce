// SPDX-License-Identifier: MIT OR Apache-2.0
import { rich, wrapped } from "../../display/styled.ts";
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
    // A prompt that is wider than the terminal would lose its beginning.
    const isLong = `${question} [y/N] y`.length >= (context.stderr.columns || 80);
    if (isLong) void context.stderr.text(rich`${wrapped(question, context.stderr.columns)}\n`);
    line.open({ target: question, prompt: isLong ? "[y/N] " : `${question} [y/N] `, asks: true });
  });
}
