// SPDX-License-Identifier: MIT OR Apache-2.0
import { TerminalInput } from "./terminal-input.ts";
import type { LineContext } from "./prompt-line.ts";

/**
 * Asks for a secret on the terminal and shows none of it, only that something was pasted; call it only where there is
 * one. Undefined for Ctrl-C, Ctrl-D and the end of input.
 */
export function askSecret(context: LineContext, question: string, unitsMax: number): Promise<string | undefined> {
  const { stderr, interrupts } = context;
  return new Promise((resolve) => {
    let typed = "";
    // One that is too long is refused by its length, and not kept whole.
    const add = (text: string): void => {
      typed = typed.length + text.length > unitsMax ? "x".repeat(unitsMax + 1) : typed + text;
    };
    const end = (value: string | undefined): void => {
      input.close();
      stopListening();
      void stderr.text("\n");
      resolve(value);
    };
    const stopListening = interrupts.listen(() => end(undefined));
    const input = new TerminalInput(context, unitsMax, {
      key(key, text) {
        if (key.name === "return" || key.name === "enter") end(typed);
        else if (key.ctrl === true && (key.name === "c" || key.name === "d")) end(undefined);
        else if (key.ctrl === true && key.name === "z") context.jobControl.suspend();
        else if (key.ctrl === true && key.name === "u") typed = "";
        else if (key.name === "backspace") typed = Array.from(typed).slice(0, -1).join("");
        else if (text !== undefined && key.ctrl !== true && key.meta !== true && text >= " ") add(text);
      },
      paste({ text }) {
        add(text ?? "x".repeat(unitsMax + 1));
        void stderr.text("(pasted) ");
      },
      end: () => end(undefined),
      leaving: () => undefined,
      resumed: () => void stderr.text(`${question}: `),
    });
    // Not before the terminal has stopped to echo: somebody may type at once.
    void stderr.text(`${question}: `);
  });
}
