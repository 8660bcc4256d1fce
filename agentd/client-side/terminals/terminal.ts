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
   * Once, when the command has exited and what it wrote was read, whatever it left in the background; `output()` is then
   * complete. Never before `startTerminal` has resolved.
   */
  onExit(exit: TerminalExit): void;
}

/** One of the two is set. Neither, if at its release it could not be killed (uninterruptible in the kernel). */
export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface TerminalSnapshot {
  /** At most as many bytes as are to be kept, and a few less where a character would be cut. */
  readonly output: string;
  /** Whether something is missing from its beginning. */
  readonly truncated: boolean;
  /** Once `onExit` was told. */
  readonly exit?: TerminalExit;
}

export interface Terminal {
  /** Record it: with the marker it finds the tree again after a crash of ours. Undefined where it was gone too soon. */
  readonly identity: ProcessIdentity | undefined;
  /** What is there now. After a release the output is gone; the rest can still be asked for. */
  output(): TerminalSnapshot;
  /**
   * TERM, a short grace, then KILL, for everything that came out of the command, also when the command itself has exited.
   * Resolves when all is gone and its exit was told. May be called at any time, and again.
   */
  kill(): Promise<void>;
  /** As `kill`; then gives back pipes and memory. Later calls get the first's promise. */
  release(): Promise<void>;
}
