// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes data to stdout and messages to stderr. Plain strings may come from anybody: they are made printable.
import { printableLine } from "../../display/printable.ts";
import { rich, type Text, wrapped } from "../../display/styled.ts";
import type { Context } from "./context.ts";
import { errorHints } from "./error-hints.ts";
import { jsonText } from "./json-text.ts";
import type { AgentError } from "../../agent-client/agent-error.ts";

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

  /** Writes one line of data for people, or an id. A line feed within a string is escaped. */
  line(text: Text): Promise<void> {
    return this.text(rich`${oneLine(text)}\n`);
  }

  /** Writes data for people, of any number of lines, and ends the last line. */
  lines(text: Text): Promise<void> {
    return this.text(rich`${text}\n`);
  }

  /** Writes data for people without a line end. */
  text(text: Text): Promise<void> {
    return this.#context.stdout.text(text);
  }

  /** Writes one JSON document for an object or a list. Its `schema` replaces a member of that name. */
  document(schema: string, members: object): Promise<void> {
    return this.#json(jsonText(Object.assign({ schema }, members, { schema }), 2));
  }

  /** Writes one compact JSON line of a stream. */
  row(value: unknown): Promise<void> {
    return this.#json(jsonText(value));
  }

  /** Writes one line to stderr, unless `--json` or `--quiet` was given. */
  word(text: Text): void {
    if (this.mode === "people") this.notice(text);
  }

  /** Writes one line to stderr in every mode: a daemon was started, or something is unreachable. */
  notice(text: Text): void {
    this.#say(oneLine(text));
  }

  /** Writes `code: message` to stderr, or one JSON object with `--json`. */
  error(error: AgentError): void {
    if (this.mode === "json") {
      const { session, command_id, cursor } = error.details;
      const { code, message } = error;
      const body = { error: { code, message, session, command_id, cursor } };
      void this.#context.stderr.json(`${JSON.stringify(body)}\n`);
      return;
    }
    const words = [`${error.code}: ${error.message}`, ...errorHints(error)].join("\n");
    // Further lines are indented, so that none of them can pass for a message of mix itself.
    this.#say(words.replaceAll("\n", "\n  "));
  }

  /** Wraps between words at a terminal. */
  #say(text: Text): void {
    const { stderr } = this.#context;
    void stderr.text(rich`${wrapped(text, stderr.columns, 2)}\n`);
  }

  #json(json: string): Promise<void> {
    return this.#context.stdout.json(`${json}\n`);
  }
}

function oneLine(text: Text): Text {
  return typeof text === "string" ? printableLine(text) : text;
}
