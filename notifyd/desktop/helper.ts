// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs a helper program, reads a bounded part of its output, and ends it on request.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface HelperEnd {
  /** Null if a signal ended it or it could not be started. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Helper {
  /** Never rejects. */
  readonly ended: Promise<HelperEnd>;
  /** Sends SIGINT, on which notify-send closes its notification (on SIGTERM it does not), then SIGKILL. */
  end(killAfterMs: number): void;
  /** Sends SIGKILL: its notification is gone already, and the next service may have another with the same number. */
  kill(): void;
}

export interface HelperOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly outputBytesMax: number;
  /** Given each line of stdout, which is not collected then. */
  readonly onLine?: (line: string) => void;
}

export function startHelper(file: string, args: readonly string[], options: HelperOptions): Helper {
  const child = spawn(file, args, { env: { ...options.environment }, stdio: ["ignore", "pipe", "pipe"], cwd: "/" });
  const { onLine, outputBytesMax } = options;
  if (onLine) createInterface(child.stdout).on("line", onLine);
  const stdout = onLine ? () => "" : collectOutput(child.stdout, outputBytesMax);
  const stderr = collectOutput(child.stderr, outputBytesMax);
  let kill: NodeJS.Timeout | undefined;
  const ended = new Promise<HelperEnd>((resolve) => {
    const finish = (code: number | null, spawnError = ""): void => {
      clearTimeout(kill);
      resolve({ code, stdout: stdout(), stderr: spawnError || stderr() });
    };
    child.once("error", (error) => finish(null, error.message));
    child.once("close", (code) => finish(code));
    // A grandchild may hold the pipes open forever, so "close" may never come.
    child.once("exit", (code) => setImmediate(() => setTimeout(() => finish(code), pipeDrainMs).unref()));
  });
  return {
    ended,
    end(killAfterMs) {
      if (!isRunning(child)) return;
      child.kill("SIGINT");
      kill ??= setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    },
    kill: () => void (isRunning(child) && child.kill("SIGKILL")),
  };
}

/** How long to read what a program wrote before it exited. */
const pipeDrainMs = 500;

function isRunning({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

function collectOutput(stream: NodeJS.ReadableStream, bytesMax: number): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    if (bytes >= bytesMax) return;
    chunks.push(chunk.subarray(0, bytesMax - bytes));
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

/** The first line of what a helper program wrote, for a message. */
export function firstLine(text: string): string {
  return text.trim().split("\n")[0]?.slice(0, 200) ?? "";
}
