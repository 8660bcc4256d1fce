// SPDX-License-Identifier: MIT OR Apache-2.0
import { identityOf } from "../../../acp-client/process/process-identity.ts";
import type { ProcessIdentity } from "../../../acp-client/process/process-identity.ts";
import type { SpawnedChild } from "../../../acp-client/process/spawn-child.ts";
import { happensWithin } from "../../../acp-client/process/stop-ladder.ts";
import { endTreePolitely } from "./end-tree-politely.ts";
import { TerminalOutput } from "./terminal-output.ts";
import type { Terminal, TerminalExit, TerminalLimits, TerminalSink, TerminalSnapshot } from "./terminal.ts";

export interface SpawnedTerminalOptions {
  readonly marker: { readonly name: string; readonly value: string };
  readonly sink: TerminalSink;
  readonly limits: TerminalLimits;
}

export class SpawnedTerminal implements Terminal {
  readonly identity: ProcessIdentity | undefined;
  readonly #options: SpawnedTerminalOptions;
  readonly #output: TerminalOutput;
  readonly #over: Promise<void>;
  #exit: TerminalExit | undefined;
  #killing: Promise<void> | undefined;
  #releasing: Promise<void> | undefined;

  constructor(child: SpawnedChild<"ignore">, options: SpawnedTerminalOptions) {
    this.identity = identityOf(child.pid);
    this.#options = options;
    this.#output = new TerminalOutput(child.stdout, child.stderr, options.limits.tailBytesMax);
    this.#over = this.#follow(child);
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
    this.#releasing ??= this.#letGo();
    return this.#releasing;
  }

  async #letGo(): Promise<void> {
    await this.#end();
    this.#tell({ exitCode: null, signal: null });
    this.#output.close();
  }

  /** Who asks while it is being ended waits for the same end. */
  async #end(): Promise<void> {
    this.#killing ??= this.#endTree();
    await this.#killing;
    this.#killing = undefined;
  }

  async #endTree(): Promise<void> {
    const { marker, limits } = this.#options;
    await endTreePolitely({ identity: this.identity, marker }, limits);
    await happensWithin(this.#over, limits.killWaitMs);
  }

  async #follow(child: SpawnedChild<"ignore">): Promise<void> {
    const exit = await exitOf(child);
    await this.#output.untilQuiet();
    this.#tell(exit);
  }

  #tell(exit: TerminalExit): void {
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
