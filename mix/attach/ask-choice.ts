// SPDX-License-Identifier: MIT OR Apache-2.0
import { printableLine } from "../../display/printable.ts";
import { wrapped } from "../../display/styled.ts";
import type { Invocation } from "../input/verb.ts";
import { PromptLine } from "./prompt-line.ts";

/**
 * Asks for one of several choices by its number; call it only where a person can be asked. Undefined for an empty line,
 * Ctrl-C and the end of input.
 */
export async function askChoice(
  { context, output }: Pick<Invocation, "context" | "output">,
  question: string,
  choices: readonly string[],
): Promise<number | undefined> {
  output.notice(question);
  for (const [index, choice] of choices.entries()) {
    output.notice(wrapped(`  ${index + 1}  ${printableLine(choice)}`, context.stderr.columns, 5));
  }
  return await new Promise((resolve) => {
    const answer = (index: number | undefined): void => {
      stopListening();
      line.close();
      resolve(index);
    };
    const prompt = { target: question, prompt: `1 to ${choices.length}, or Enter for none: `, asks: true } as const;
    const line = new PromptLine(context, {
      line: (text, target) => {
        if (target === undefined) return;
        const typed = text.trim();
        const index = Number(typed) - 1;
        if (typed === "") answer(undefined);
        else if (Number.isInteger(index) && choices[index] !== undefined) answer(index);
        else line.open(prompt);
      },
      end: () => answer(undefined),
      endRow: () => undefined,
    });
    const stopListening = context.interrupts.listen(() => answer(undefined));
    line.open(prompt);
  });
}
