// SPDX-License-Identifier: MIT OR Apache-2.0
// The log as another process finds it on the disk: what is not committed yet, that one cannot see.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import { within } from "../harness/deadline.ts";

export interface LogReader extends AsyncDisposable {
  /** The session's entries on the disk at this moment. */
  entries(session: string): Promise<Entry[]>;
  /** From here to the release nobody else can write to the log. */
  hold(): Promise<void>;
  release(): Promise<void>;
  /** From here on it sees nothing new, in one read transaction, until it leaves. */
  look(): Promise<void>;
  leave(): Promise<void>;
}

export function openLogReader(logFile: string): LogReader {
  const program = fileURLToPath(new URL("./read-log.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, logFile], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const waiting: ((entries: Entry[]) => void)[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.(JSON.parse(line) as Entry[]));
  const ask = async (line: string): Promise<Entry[]> => {
    const answer = new Promise<Entry[]>((resolve) => waiting.push(resolve));
    child.stdin.write(`${line}\n`);
    return await within(10_000, `the second process has no answer to ${line}`, answer);
  };
  return {
    entries: ask,
    hold: async () => void (await ask("hold")),
    release: async () => void (await ask("release")),
    look: async () => void (await ask("look")),
    leave: async () => void (await ask("leave")),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await within(10_000, "the second process does not end", exited);
    },
  };
}
