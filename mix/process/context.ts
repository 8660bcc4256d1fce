// SPDX-License-Identifier: MIT OR Apache-2.0
// Everything of the outside world that the command line touches, handed in.
import type { Readable } from "node:stream";
import type { TextOutput } from "../../display/text-output.ts";

export interface InputStream extends Readable {
  readonly isTTY?: boolean;
}

export interface Context {
  /** The words after the program's name. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  readonly home: string;
  readonly uid: number;
  readonly version: string;
  /** Tells two builds of one version apart; what runs from its source has none. */
  readonly build: string | undefined;
  readonly stdin: InputStream;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Runs once after so many milliseconds; the function that comes back calls it off. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** The daemon's program that an autostart runs: beside our own file. */
  readonly agentdProgram: string;
  readonly nodeProgram: string;
  readonly interrupts: Interrupts;
}

/** Ctrl-C, whether it came as a signal or as a key that a prompt line read; and SIGTERM. */
export interface Interrupts {
  /** Without a listener they end the process as any other; the function that comes back stops listening. */
  readonly listen: (listener: (by: Interrupt) => void) => () => void;
  /** As Ctrl-C does. */
  readonly raise: () => void;
}

export type Interrupt = "SIGINT" | "SIGTERM";

/** Resolves after so many milliseconds. */
export function pause({ after }: Pick<Context, "after">, ms: number): Promise<void> {
  return new Promise((resolve) => {
    after(ms, resolve);
  });
}
