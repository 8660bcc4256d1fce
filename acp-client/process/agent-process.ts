// SPDX-License-Identifier: MIT OR Apache-2.0
// One agent as a child process: its pipes, its end, and how it is brought to one. `start-agent-process.ts` starts it.
import type { ProcessIdentity } from "./process-identity.ts";
import type { Redact } from "../redaction.ts";
import type { StopLimits } from "./stop-ladder.ts";
import type { AgentExit } from "../agent-events.ts";

export interface AgentProcessOptions {
  /** Program and arguments, never through a shell. A bare name is looked up in the PATH of `env`. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the child; nothing of our own is added but the marker. */
  readonly env: Readonly<Record<string, string>>;
  /** NAME=value in the environment of every process of the tree: how its orphans are found. Random per session. */
  readonly marker: { readonly name: string; readonly value: string };
  /** How much of stderr is kept. Default 64 KiB. */
  readonly stderrBytesMax?: number;
  /** Takes out of a text what is secret. */
  readonly redact?: Redact;
  /** Whole lines of stderr, redacted, as they come (a line over 8 KiB in pieces). */
  readonly onStderr?: (text: string) => void;
}

export interface AgentProcess {
  /** Undefined when it never came up. */
  readonly pid: number | undefined;
  /** Record it: with the marker it finds the tree again after a crash of ours. */
  readonly identity: ProcessIdentity | undefined;
  /** Raw reads of the pipe. Nothing is read, and so nothing lost, before the first listener is there. */
  onStdout(listener: (chunk: Buffer) => void): void;
  /** Once, when the agent is over and what it wrote was read. */
  onExit(listener: (exit: AgentExit) => void): void;
  /**
   * Sends the text as it is, so a line needs its newline. False when the pipe is full (the text is queued and
   * `writableBytes` says how much waits: the caller bounds it) or gone (the text is dropped, `writableBytes` is 0).
   * Never throws and never emits. `written` is called, after the return, when the kernel has taken all of the text; never
   * where it is dropped.
   */
  write(line: string, written?: () => void): boolean;
  /** Bytes handed to `write` that the kernel has not taken yet. */
  readonly writableBytes: number;
  closeStdin(): void;
  /**
   * Once, if the agent closed its stdin and lives on, some seconds after a write found that: what ends closes its pipes
   * too, and its end is told instead. Nobody finds it while nothing is written.
   */
  onStdinGone(listener: () => void): void;
  /** Back pressure on stdout. Lifted when the agent is over: what is left then is bounded by the kernel's buffer. */
  pause(): void;
  resume(): void;
  /** The end of stderr: bounded in bytes, cut at a character, redacted. */
  stderrTail(): string;
  /**
   * For before the agent is told anything upon which it may leave: what it has started is found while its parents still
   * live, and is ended with the rest later. Resolves when that is known. `stop` does this itself.
   */
  rememberTree(): Promise<void>;
  /** The ladder of stop-ladder.ts. Resolves when no process of the tree is left. Later calls get the first's promise. */
  stop(limits?: Partial<StopLimits>): Promise<AgentExit>;
}
