// SPDX-License-Identifier: MIT OR Apache-2.0
// A command of ACP's `terminal/*`: runs on pipes, keeps the tail of its output, and leaves no process behind.
import type { ProcessIdentity } from "../../../acp-client/process/process-identity.ts";
import type { SpawnFailure } from "../../../acp-client/process/spawn-failure.ts";
import { defaultLimits } from "../../config/limits.ts";

/** A failure's message names what is missing: the program, its interpreter, the execute permission or the directory. */
export type StartedTerminal = { readonly terminal: Terminal } | { readonly failure: SpawnFailure };

export interface TerminalOptions {
  /** A program, or a whole shell line: see `commandLine`. */
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. The caller has checked that the session may use it. */
  readonly cwd: string;
  /** The whole environment, made by `terminalEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** Random and unique to this terminal. The session's marker here would end the agent and its other terminals too. */
  readonly marker: { readonly name: string; readonly value: string };
  /** UTF-8 bytes of output to keep, as the agent requested; 0 is valid. Undefined or above the limit: the limit. */
  readonly tailBytesMax?: number | undefined;
  readonly limits?: Partial<TerminalLimits>;
}

export interface TerminalLimits {
  /** The most output kept, in bytes, whatever an agent requests. */
  readonly tailBytesMax: number;
  /** From SIGTERM to SIGKILL. */
  readonly termGraceMs: number;
  /** How long to wait for killed processes to disappear. */
  readonly killWaitMs: number;
}

export const terminalLimits: TerminalLimits = {
  tailBytesMax: defaultLimits.terminalTailBytes,
  termGraceMs: defaultLimits.terminalGraceMs,
  killWaitMs: 5000,
};

export interface TerminalSink {
  /**
   * Called once, after `startTerminal` has resolved, when the command has exited and its output was read. `output()` is
   * then complete, except for what background processes still write.
   */
  onExit(exit: TerminalExit): void;
}

/** One of the two is set, or neither if the command could not be killed at its release (uninterruptible in the kernel). */
export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface TerminalSnapshot {
  /** At most `tailBytesMax` bytes, and up to three fewer where a character would be cut. */
  readonly output: string;
  /** Whether the beginning is missing. */
  readonly truncated: boolean;
  /** Set once `onExit` was called. */
  readonly exit?: TerminalExit;
}

export interface Terminal {
  /** Record it: with the marker it finds the tree after a crash of agentd. Undefined if the process exited too soon. */
  readonly identity: ProcessIdentity | undefined;
  /** The current output and exit. After a release the output is empty. */
  output(): TerminalSnapshot;
  /**
   * Sends SIGTERM, and SIGKILL after a grace period, to every process that the command started, even if the command itself
   * has exited. Resolves when all have ended and the exit was reported. May be called at any time, and repeatedly.
   */
  kill(): Promise<void>;
  /** Does what `kill` does, then frees pipes and memory. Later calls return the first call's promise. */
  release(): Promise<void>;
}
