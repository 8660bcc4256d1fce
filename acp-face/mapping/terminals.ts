// SPDX-License-Identifier: MIT OR Apache-2.0
// Terminals in the content of tool calls. An editor can show only a terminal that it runs itself; of one that agentd
// runs it gets the command and the end of the output as text.
import type { TerminalEntry } from "../../agentd/vocabulary/entries.ts";
import type { ToolContent } from "./update.ts";

interface KnownTerminal {
  readonly command?: string;
  readonly tail?: string;
  /** The editor's id. The editor goes on showing a terminal that was released, whose id is not known any more. */
  readonly editorId?: string;
}

/** Terminals of one session that are remembered. */
const terminalsMax = 256;

export class Terminals {
  /** The most recently mentioned last. */
  readonly #known = new Map<string, KnownTerminal>();
  readonly #inEditor: (terminal: string) => string | undefined;

  /** `inEditor` returns the editor's id of a terminal that the editor runs. */
  constructor(inEditor: (terminal: string) => string | undefined) {
    this.#inEditor = inEditor;
  }

  /** Returns whether there is output to show as text. */
  apply({ terminal, command, args = [], tail }: TerminalEntry): boolean {
    const { editorId } = this.#note(terminal, {
      ...(command === undefined ? {} : { command: [command, ...args].join(" ") }),
      ...(tail === undefined ? {} : { tail }),
    });
    return tail !== undefined && editorId === undefined;
  }

  /** Returns any other content unchanged. */
  show(content: ToolContent): ToolContent {
    if (content.type !== "terminal") return content;
    const { terminalId } = content;
    const { editorId, command = terminalId, tail = "" } = this.#note(terminalId, {});
    if (editorId !== undefined) return { ...content, terminalId: editorId };
    return { type: "content", content: { type: "text", text: fenced(`$ ${command}\n${tail}`) } };
  }

  #note(terminal: string, news: KnownTerminal): KnownTerminal {
    const editorId = this.#inEditor(terminal);
    const known = { ...this.#known.get(terminal), ...news, ...(editorId === undefined ? {} : { editorId }) };
    this.#known.delete(terminal);
    this.#known.set(terminal, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > terminalsMax && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}

/** As a code block of Markdown, which is what editors take the text for. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.endsWith("\n") ? text : `${text}\n`}${fence}`;
}
