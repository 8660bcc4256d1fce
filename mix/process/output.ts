// SPDX-License-Identifier: MIT OR Apache-2.0
// Where words go: stdout carries data alone, stderr what is said to people. Plain strings may be anybody's words.
import { printableLine } from "../../display/printable.ts";
import { rich, type Text } from "../../display/styled.ts";
import type { Context } from "./context.ts";
import { errorHints } from "./error-hints.ts";
import { jsonText } from "./json-text.ts";
import type { MixError } from "./mix-error.ts";

/** `people`: a readable view; `json`: documents and compact lines; `ids`: ids only. */
export type OutputMode = "people" | "json" | "ids";

type OutputContext = Pick<Context, "stdout" | "stderr">;

export class Output {
  readonly mode: OutputMode;
  readonly #context: OutputContext;

  constructor(context: OutputContext, mode: OutputMode) {
    this.mode = mode;
    this.#context = context;
  }

  /** One line of data for people, or an id. A line feed in a string becomes visible: it begins no other line. */
  line(text: Text): Promise<void> {
    return this.text(rich`${oneLine(text)}\n`);
  }

  /** Data for people of as many lines as it has; the last one is ended. */
  lines(text: Text): Promise<void> {
    return this.text(rich`${text}\n`);
  }

  /** Data for people as it is, without a line end. */
  text(text: Text): Promise<void> {
    return this.#context.stdout.text(text);
  }

  /** One document for a thing or a list. `schema` is its own: what a service calls so needs another name in it. */
  document(schema: string, members: object): Promise<void> {
    return this.#json(jsonText(Object.assign({ schema }, members, { schema }), 2));
  }

  /** One compact object of what flows. */
  row(value: unknown): Promise<void> {
    return this.#json(jsonText(value));
  }

  /** One line of words for people alone. */
  word(text: Text): void {
    if (this.mode === "people") this.notice(text);
  }

  /** One line that has to be said whatever the mode: a daemon was started, something is away. */
  notice(text: Text): void {
    void this.#context.stderr.text(rich`${oneLine(text)}\n`);
  }

  /** Said whatever the mode: `code: message`, or one JSON object with `--json`. */
  error(error: MixError): void {
    if (this.mode === "json") {
      const { session, command_id, cursor } = error.details;
      const { code, message } = error;
      const body = { error: { code, message, session, command_id, cursor } };
      void this.#context.stderr.json(`${JSON.stringify(body)}\n`);
      return;
    }
    const words = [`${error.code}: ${error.message}`, ...errorHints(error)].join("\n");
    // Further lines stand under the first one, so that none of them can pass for words of ours.
    void this.#context.stderr.text(`${words.replaceAll("\n", "\n  ")}\n`);
  }

  #json(json: string): Promise<void> {
    return this.#context.stdout.json(`${json}\n`);
  }
}

function oneLine(text: Text): Text {
  return typeof text === "string" ? printableLine(text) : text;
}
