// SPDX-License-Identifier: MIT OR Apache-2.0
// Where words go: stdout carries data alone, stderr what is said to people.
import type { Context, OutputStream } from "./context.ts";
import { errorHints } from "./error-hints.ts";
import { jsonText } from "./json-text.ts";
import type { MixError } from "./mix-error.ts";
import { printable } from "./view/printable.ts";

/** `people`: a readable view; `json`: documents and compact lines; `ids`: ids only. */
export type OutputMode = "people" | "json" | "ids";

type OutputContext = Pick<Context, "stdout" | "stderr" | "writeAtOnce">;

export class Output {
  readonly mode: OutputMode;
  /** Its streams are asked for where they are written to, and not before. */
  readonly #context: OutputContext;

  constructor(context: OutputContext, mode: OutputMode) {
    this.mode = mode;
    this.#context = context;
  }

  /** One line of data for people or an id. Whatever a service or an agent wrote must be printable already. */
  line(text: string): Promise<void> {
    return this.text(`${text}\n`);
  }

  /** Data as it is, without a line end. */
  text(text: string): Promise<void> {
    const left = this.#context.writeAtOnce("stdout", text);
    return left.length === 0 ? Promise.resolve() : written(this.#context.stdout, left);
  }

  /** One document for a thing or a list. `schema` is its own: what a service calls so needs another name in it. */
  document(schema: string, members: object): Promise<void> {
    return this.line(jsonText(Object.assign({ schema }, members, { schema }), 2));
  }

  /** One compact object of what flows. */
  row(value: unknown): Promise<void> {
    return this.line(jsonText(value));
  }

  /** Words for people alone. */
  word(text: string): void {
    if (this.mode === "people") this.notice(text);
  }

  /** What has to be said whatever the mode: a daemon was started, something is away. */
  notice(text: string): void {
    const left = this.#context.writeAtOnce("stderr", `${text}\n`);
    if (left.length > 0) this.#context.stderr.write(left);
  }

  /** Said whatever the mode: `code: message`, or one JSON object with `--json`. */
  error(error: MixError): void {
    if (this.mode === "json") {
      const { session, command_id, cursor } = error.details;
      const { code, message } = error;
      this.notice(JSON.stringify({ error: { code, message, session, command_id, cursor } }));
      return;
    }
    const hints = errorHints(error).map((hint) => `\n  ${hint}`);
    this.notice(printable(`${error.code}: ${error.message}${hints.join("")}`));
  }
}

// A reader that is slower than we are holds us up, and nothing piles up here.
function written(stream: OutputStream, text: string | Uint8Array): Promise<void> {
  if (stream.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const over = (): void => {
      stream.off("drain", over);
      stream.off("close", over);
      resolve();
    };
    stream.on("drain", over);
    stream.on("close", over);
  });
}
