// SPDX-License-Identifier: MIT OR Apache-2.0
import { identityOf } from "../../../acp-client/process/process-identity.ts";
import type { ProcessIdentity } from "../../../acp-client/process/process-identity.ts";
import { type SpawnedChild, spawnChild } from "../../../acp-client/process/spawn-child.ts";
import { settlesWithin } from "../../../acp-client/process/stop-ladder.ts";
import { commandLine } from "./command-line.ts";
import { endTreeGracefully } from "./end-tree-gracefully.ts";
import { TerminalOutput } from "./terminal-output.ts";
import {
  type StartedTerminal,
  type Terminal,
  type TerminalExit,
  type TerminalLimits,
  terminalLimits,
  type TerminalOptions,
  type TerminalSink,
  type TerminalSnapshot,
} from "./terminal.ts";

/**
 * Starts the command in a session of its own (setsid), without a controlling terminal and with /dev/null as stdin, so
 * that a program that would ask a person fails. Never rejects. Calls `sink` only after it has resolved.
 */
export async function startTerminal(options: TerminalOptions, sink: TerminalSink): Promise<StartedTerminal> {
  const { cwd, env, marker } = options;
  const spawned = spawnChild({ command: commandLine(options), cwd, env, marker }, "ignore");
  if ("failure" in spawned) return { failure: await spawned.failure };
  return { terminal: new SpawnedTerminal(spawned.child, { marker, sink, limits: limitsOf(options) }) };
}

interface SpawnedTerminalOptions {
  readonly marker: { readonly name: string; readonly value: string };
  readonly sink: TerminalSink;
  readonly limits: TerminalLimits;
}

class SpawnedTerminal implements Terminal {
  readonly identity: ProcessIdentity | undefined;
  readonly #options: SpawnedTerminalOptions;
  readonly #output: TerminalOutput;
  readonly #exited: Promise<void>;
  #exit: TerminalExit | undefined;
  #killing: Promise<void> | undefined;
  #releasing: Promise<void> | undefined;

  constructor(child: SpawnedChild<"ignore">, options: SpawnedTerminalOptions) {
    this.identity = identityOf(child.pid);
    this.#options = options;
    this.#output = new TerminalOutput(child.stdout, child.stderr, options.limits.tailBytesMax);
    this.#exited = this.#follow(child);
  }

  output(): TerminalSnapshot {
    const snapshot = this.#output.snapshot();
    return this.#exit === undefined ? snapshot : { ...snapshot, exit: this.#exit };
  }

  async kill(): Promise<void> {
    if (this.#releasing !== undefined) return await this.#releasing;
    await this.#end();
  }

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
    const { marker, limits } = this.#options;
    await endTreeGracefully({ identity: this.identity, marker }, limits);
    await settlesWithin(this.#exited, limits.killWaitMs);
  }

  async #follow(child: SpawnedChild<"ignore">): Promise<void> {
    const exit = await exitOf(child);
    await this.#output.untilQuiet();
    this.#reportExit(exit);
  }

  #reportExit(exit: TerminalExit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    this.#options.sink.onExit(exit);
  }
}

function exitOf(child: SpawnedChild<"ignore">): Promise<TerminalExit> {
  return new Promise((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

function limitsOf({ tailBytesMax = Infinity, limits }: TerminalOptions): TerminalLimits {
  const all = { ...terminalLimits, ...limits };
  return { ...all, tailBytesMax: Math.min(tailBytesMax, all.tailBytesMax) };
}
