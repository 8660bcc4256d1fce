// SPDX-License-Identifier: MIT OR Apache-2.0
// Everything that the command line uses of the process and its surroundings, so that tests can replace it.
import type { Readable } from "node:stream";
import type { TextOutput } from "../../display/text-output.ts";

export interface InputStream extends Readable {
  readonly isTTY?: boolean;
  /** Only on a terminal. */
  readonly setRawMode?: (on: boolean) => unknown;
}

export interface Context {
  /** The words after the program's name. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  readonly home: string;
  readonly uid: number;
  readonly version: string;
  /** Tells two builds of one version apart. Undefined when run from source. */
  readonly build: string | undefined;
  readonly stdin: InputStream;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Sets a timer. The returned function cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** The daemon's program for autostart, beside mix's own file. */
  readonly agentdProgram: string;
  readonly nodeProgram: string;
  readonly interrupts: Interrupts;
  readonly jobControl: JobControl;
}

/** Ctrl-C, as a signal or as a key that the prompt line read, and SIGTERM. */
export interface Interrupts {
  /** Without a listener an interrupt ends the process. The returned function removes the listener. */
  readonly listen: (listener: (by: Interrupt) => void) => () => void;
  /** Does what Ctrl-C does. */
  readonly raise: () => void;
}

/** For whoever changes the terminal's modes: when to give it back, and when to take it again. */
export interface JobControl {
  /**
   * `leave` is called before the process stops (SIGTSTP) and when it exits, in whatever way; `enter` when it continues.
   * The returned function removes the listener.
   */
  readonly listen: (on: { readonly leave: () => void; readonly enter: () => void }) => () => void;
  /** Does what Ctrl-Z does. */
  readonly suspend: () => void;
}

export type Interrupt = "SIGINT" | "SIGTERM";

/** `agentd` starts the daemon if none runs, `running-agentd` never does, and `bus` needs no agentd. */
export type ConnectTarget = "agentd" | "running-agentd" | "bus";

/** The beginning of a citizen's name. `acp`: the editor face. */
export type CitizenKind = "mix" | "acp";

export interface ConnectOptions {
  readonly target: ConnectTarget;
  /** Default: `mix`. */
  readonly kind?: CitizenKind;
  readonly autostart: boolean;
}

/** The words among which flags are. */
export function wordsBeforeDashes(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end < 0 ? words : words.slice(0, end);
}

export function pause({ after }: Pick<Context, "after">, ms: number): Promise<void> {
  return new Promise((resolve) => {
    after(ms, resolve);
  });
}
