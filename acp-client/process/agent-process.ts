// SPDX-License-Identifier: MIT OR Apache-2.0
// The interface of an agent's child process: its pipes, its exit, and how it is stopped. See start-agent-process.ts.
import type { ProcessIdentity } from "./process-identity.ts";
import type { Redact } from "../redaction.ts";
import type { SpawnOptions } from "./spawn-child.ts";
import type { StopLimits } from "./stop-ladder.ts";
import type { AgentExit } from "../agent-events.ts";

export interface AgentProcessOptions extends SpawnOptions {
  /** Size of the end of stderr that is kept. Default: 64 KiB. */
  readonly stderrBytesMax?: number;
  /** Removes secrets from a text. */
  readonly redact?: Redact;
  /** Receives each line of stderr, redacted. Lines over 8 KiB come in pieces. */
  readonly onStderr?: (text: string) => void;
}

export interface AgentProcess {
  /** Undefined if the process could not be started. */
  readonly pid: number | undefined;
  /** Finds the tree again after a crash of ours, together with the marker, if the caller records it. */
  readonly identity: ProcessIdentity | undefined;
  /** Receives the raw chunks of stdout. Nothing is read before the first listener is added, so nothing is lost. */
  onStdout(listener: (chunk: Buffer) => void): void;
  /** Called once, when the agent has exited and its output was read. */
  onExit(listener: (exit: AgentExit) => void): void;
  /**
   * Writes a text, to which the caller adds the newline. Returns false if the pipe is full (the text is queued; the
   * caller bounds `writableBytes`) or closed (the text is dropped, and `writableBytes` is 0). Never throws. `written`
   * is called asynchronously once the kernel has taken the whole text, and never for a dropped text.
   */
  write(line: string, written?: () => void): boolean;
  /** Bytes that are queued because the kernel has not taken them yet. */
  readonly writableBytes: number;
  closeStdin(): void;
  /**
   * Called once if the agent closed its stdin but keeps running. Only a write detects this, and the call comes two
   * seconds later, since an agent that is exiting closes its pipes too.
   */
  onStdinGone(listener: () => void): void;
  /** Stops reading stdout, for back-pressure. Ends when the agent exits: the kernel's buffer bounds the rest. */
  pause(): void;
  resume(): void;
  /** Returns the end of stderr, redacted, at most `stderrBytesMax` bytes of whole characters. */
  stderrTail(): string;
  /**
   * Records the process tree, so that `stop` can also end processes whose parents exit first. Call it before asking the
   * agent to exit. `stop` does it by itself.
   */
  rememberTree(): Promise<void>;
  /** Runs the stop ladder. Resolves when no process of the tree is left. Later calls return the same promise. */
  stop(limits?: Partial<StopLimits>): Promise<AgentExit>;
}
