// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Readable, Writable } from "node:stream";
import type { Connection } from "./connection.ts";
import { serveAgent, type StartAgent } from "./serve-agent.ts";

/**
 * Serves the client on the process's stdin and stdout. Whatever else writes to stdout afterwards, such as a library with
 * console.log, writes to stderr, so that the client reads nothing but ACP.
 */
export function serveOnStdio(start: StartAgent): Connection {
  const { stdin, stdout, stderr }: { stdin: Readable; stdout: Writable; stderr: Writable } = process;
  stderr.on("error", () => {});
  const diagnose = (text: string): void => void stderr.write(`${text}\n`);
  const served = serveAgent({ input: stdin, output: stdout, diagnose, start });
  stdout.write = stderr.write.bind(stderr);
  return served;
}
