// SPDX-License-Identifier: MIT OR Apache-2.0
// A command of ACP's `terminal/*`: runs on pipes, keeps the tail of its output, and leaves no process behind.
import { identityOf, type ProcessIdentity } from "../../../acp-client/process/process-identity.ts";
import type { Marker } from "../../../acp-client/process/process-source.ts";
import { type ProcessTable, processTable } from "../../../acp-client/process/process-table.ts";
import {
  type EndedTree,
  endTree,
  findTree,
  identitiesOf,
  signalProcesses,
  type TreeSeed,
  waitUntilGone,
} from "../../../acp-client/process/process-tree.ts";
import { type SpawnedChild, spawnChild } from "../../../acp-client/process/spawn-child.ts";
import { isProgramFile, type SpawnFailure } from "../../../acp-client/process/spawn-failure.ts";
import { settlesWithin } from "../../../acp-client/process/stop-ladder.ts";
import { TerminalOutput } from "./terminal-output.ts";

export interface TerminalOptions {
  /** A program, or a whole shell line: see `commandLine`. */
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. The caller has checked that the session may use it. */
  readonly cwd: string;
  /** The whole environment, made by `terminalEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** Random and unique to this terminal. The session's marker here would end the agent and its other terminals too. */
  readonly marker: Marker;
  /** UTF-8 bytes of output to keep; 0 is valid. */
  readonly tailBytesMax: number;
  /** From SIGTERM to SIGKILL. */
  readonly termGraceMs: number;
  /**
   * Called once, after `startTerminal` has resolved, when the command has exited and its output was read. `output()` is
   * then complete, except for what background processes still write.
   */
  readonly onExit: (exit: TerminalExit) => void;
}

/** A failure's message names what is missing: the program, its interpreter, the execute permission or the directory. */
export type StartedTerminal = { readonly terminal: Terminal } | { readonly failure: SpawnFailure };

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

/** How long to wait for killed processes to disappear. */
const killWaitMs = 5000;

/**
 * Starts the command in a session of its own (setsid), without a controlling terminal and with /dev/null as stdin, so
 * that a program that would ask a person fails. Never rejects.
 */
export async function startTerminal(options: TerminalOptions): Promise<StartedTerminal> {
  const { cwd, env, marker } = options;
  const spawned = spawnChild({ command: commandLine(options), cwd, env, marker }, "ignore");
  if ("failure" in spawned) return { failure: await spawned.failure };
  return { terminal: new Terminal(spawned.child, options) };
}

export class Terminal {
  /** Record it: with the marker it finds the tree after a crash of agentd. Undefined if the process exited too soon. */
  readonly identity: ProcessIdentity | undefined;
  readonly #options: TerminalOptions;
  readonly #output: TerminalOutput;
  readonly #exited: Promise<void>;
  #exit: TerminalExit | undefined;
  #killing: Promise<void> | undefined;
  #releasing: Promise<void> | undefined;

  constructor(child: SpawnedChild<"ignore">, options: TerminalOptions) {
    this.identity = identityOf(child.pid);
    this.#options = options;
    this.#output = new TerminalOutput(child.stdout, child.stderr, options.tailBytesMax);
    this.#exited = this.#follow(child);
  }

  /** The current output and exit. After a release the output is empty. */
  output(): TerminalSnapshot {
    const snapshot = this.#output.snapshot();
    return this.#exit === undefined ? snapshot : { ...snapshot, exit: this.#exit };
  }

  /**
   * Sends SIGTERM, and SIGKILL after a grace period, to every process that the command started, even if the command itself
   * has exited. Resolves when all have ended and the exit was reported. May be called at any time, and repeatedly.
   */
  async kill(): Promise<void> {
    if (this.#releasing !== undefined) return await this.#releasing;
    await this.#end();
  }

  /** Does what `kill` does, then frees pipes and memory. Later calls return the first call's promise. */
  release(): Promise<void> {
    this.#releasing ??= this.#endAndClose();
    return this.#releasing;
  }

  async #endAndClose(): Promise<void> {
    await this.#end();
    this.#reportExit({ exitCode: null, signal: null });
    this.#output.close();
  }

  /** Concurrent calls share one end. */
  async #end(): Promise<void> {
    this.#killing ??= this.#endTree();
    await this.#killing;
    this.#killing = undefined;
  }

  async #endTree(): Promise<void> {
    const { marker, termGraceMs } = this.#options;
    await endTreeGracefully({ identity: this.identity, marker }, { termGraceMs, killWaitMs });
    await settlesWithin(this.#exited, killWaitMs);
  }

  async #follow(child: SpawnedChild<"ignore">): Promise<void> {
    const exit = await new Promise<TerminalExit>((resolve) => {
      child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    });
    await this.#output.untilQuiet();
    this.#reportExit(exit);
  }

  #reportExit(exit: TerminalExit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    this.#options.onExit(exit);
  }
}

/**
 * Sends SIGTERM to every process of the tree, then freezes and kills what is left after `termGraceMs`. Unlike with an
 * agent, whose tools are its own business, every process gets SIGTERM even if the first is gone: servers run so.
 */
export async function endTreeGracefully(
  seed: TreeSeed,
  limits: { readonly termGraceMs: number; readonly killWaitMs: number },
  table: ProcessTable = processTable(),
): Promise<EndedTree> {
  const rows = findTree(seed, await table.scan(seed.marker));
  // Recorded while parents still run: later nothing identifies an orphan with an environment of its own.
  const known = [...(seed.known ?? []), ...identitiesOf(rows, table)];
  await signalProcesses(rows, "SIGTERM", table);
  await waitUntilGone(rows, limits.termGraceMs, table);
  return await endTree({ ...seed, known }, limits, table);
}

/**
 * Returns program and arguments. `command` is a program by ACP, but many agents put a whole shell line there. As
 * requested if there are `args` or `command` names a file (as a path, or in PATH); through `/bin/sh` if it could be a
 * shell line; else as requested, so that the failure names it.
 */
export function commandLine({
  command,
  args,
  cwd,
  env,
}: Pick<TerminalOptions, "command" | "args" | "cwd" | "env">): readonly [string, ...string[]] {
  const asAsked = [command, ...args] as const;
  if (args.length > 0 || !isShellLine(command)) return asAsked;
  return isProgramFile({ command: asAsked, cwd, env }) ? asAsked : ["/bin/sh", "-c", command];
}

/** Whether it contains white space or a character that is special to a shell. */
function isShellLine(command: string): boolean {
  return /[\s|&;<>()$`\\"'*?[\]#~=%{}!]/.test(command);
}
