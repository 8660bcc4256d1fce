// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Readable, Writable } from "node:stream";
import type { Connection } from "./connection.ts";
import { serveAgent, type StartAgent } from "./serve-agent.ts";

export interface StdioOptions {
  /**
   * Receives diagnostics and whatever else is written to stdout or stderr, such as warnings of Node, with its newlines.
   * Without it they go to stderr.
   */
  readonly print?: (text: string) => void;
  /** Signals that end the connection as the end of the input does. The others end the process. */
  readonly endedBy?: readonly NodeJS.Signals[];
}

/**
 * Serves the client on the process's stdin and stdout. Whatever else writes to stdout afterwards, such as a library with
 * console.log, writes elsewhere, so that the client reads nothing but ACP. An error of stdin is always told on stderr.
 */
export function serveOnStdio(start: StartAgent, { print, endedBy = [] }: StdioOptions = {}): Connection {
  const { stdin, stdout, stderr }: { stdin: Readable; stdout: Writable; stderr: Writable } = process;
  stderr.on("error", () => {});
  // A client that closes its end ends the connection, whatever the program does elsewhere with a broken pipe.
  stdout.removeAllListeners("error");
  const toStderr = stderr.write.bind(stderr) as (text: string) => boolean;
  const words: (text: string) => unknown = print ?? toStderr;
  const served = serveAgent({ input: stdin, output: stdout, diagnose: (text) => void words(`${text}\n`), start });
  stdout.write = divertedTo(words);
  if (print !== undefined) stderr.write = divertedTo(words);
  void served.closed.then((failure) => failure && toStderr(`stdin cannot be read: ${failure.message}\n`));
  for (const signal of endedBy) process.on(signal, () => served.end());
  return served;
}

/** A `write` of a stream that hands the text on. */
function divertedTo(print: (text: string) => unknown): Writable["write"] {
  return (chunk: unknown, ...rest: unknown[]): boolean => {
    print(typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString());
    const written = rest.at(-1);
    if (typeof written === "function") process.nextTick(written);
    return true;
  };
}
