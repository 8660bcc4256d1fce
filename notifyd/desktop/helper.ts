// SPDX-License-Identifier: MIT OR Apache-2.0
// A helper program: run, listened to with a bound, and ended when it is not wanted any more.
import { type ChildProcess, spawn } from "node:child_process";

export interface HelperEnd {
  /** Null where it was ended by a signal, or could not be started. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Helper {
  /** Never rejects. */
  readonly ended: Promise<HelperEnd>;
  /** SIGINT, which makes notify-send close its notification (SIGTERM leaves it), then SIGKILL. */
  end(killAfterMs: number): void;
}

export interface HelperOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly outputBytesMax: number;
}

export function startHelper(file: string, words: readonly string[], options: HelperOptions): Helper {
  const child = spawn(file, words, { env: { ...options.environment }, stdio: ["ignore", "pipe", "pipe"], cwd: "/" });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => gathered(stream, options.outputBytesMax));
  let kill: NodeJS.Timeout | undefined;
  const ended = new Promise<HelperEnd>((resolve) => {
    const over = (code: number | null, trouble = ""): void => {
      clearTimeout(kill);
      resolve({ code, stdout: stdout?.() ?? "", stderr: trouble || (stderr?.() ?? "") });
    };
    child.once("error", (error) => over(null, error.message));
    child.once("close", (code) => over(code));
    // A grandchild may hold the pipes for ever.
    child.once("exit", (code) => setImmediate(() => setTimeout(() => over(code), pipesMs).unref()));
  });
  return {
    ended,
    end(killAfterMs) {
      if (!lives(child)) return;
      child.kill("SIGINT");
      kill ??= setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    },
  };
}

/** What a program wrote before it ended is read within this time. */
const pipesMs = 500;

function lives({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

function gathered(stream: NodeJS.ReadableStream | null, bytesMax: number): () => string {
  const pieces: Buffer[] = [];
  let bytes = 0;
  stream?.on("data", (piece: Buffer) => {
    if (bytes >= bytesMax) return;
    pieces.push(piece.subarray(0, bytesMax - bytes));
    bytes += piece.length;
  });
  return () => Buffer.concat(pieces).toString("utf8");
}
