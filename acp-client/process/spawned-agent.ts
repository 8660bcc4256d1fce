// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { AgentExit } from "../agent-events.ts";
import type { AgentProcess, AgentProcessOptions } from "./agent-process.ts";
import { AgentStdin } from "./agent-stdin.ts";
import { ExitWatch } from "./exit-watch.ts";
import { isSuccessor, type ProcessTable } from "./process-table.ts";
import { identityOf, type ProcessIdentity } from "./process-identity.ts";
import type { ProcessRow, ProcessStdio } from "./process-source.ts";
import { endTree, findTree, identitiesOf, isAlive, type TreeSeed } from "./process-tree.ts";
import { ReadBudget } from "./read-budget.ts";
import type { SpawnedChild } from "./spawn-child.ts";
import { StderrLines, StderrTail } from "./stderr.ts";
import { runStopLadder, settlesWithin, stopLimits, type StopLimits } from "./stop-ladder.ts";

/** Once the tree is killed, only unrelated processes hold the pipes. Reading ends after this long without data. */
const drainQuietMs = 200;
/** An exiting agent closes its stdin too, so a closed stdin is reported only if it still runs after this time. */
const stdinGoneGraceMs = 2_000;
/** Shared by all agents of this process. */
const sharedReadBudget = new ReadBudget();
/** Bounds the reading of pipes that an unrelated process keeps writing to. */
const drainRoundsMax = 25;

export class SpawnedAgent implements AgentProcess {
  readonly pid: number;
  readonly identity: ProcessIdentity | undefined;
  readonly #table: ProcessTable;
  #seed: TreeSeed;
  readonly #pipes: ProcessStdio | undefined;
  readonly #stdin: AgentStdin;
  readonly #stdout: Readable;
  readonly #stderr: Readable;
  readonly #tail: StderrTail;
  readonly #watch: ExitWatch;
  readonly #exited = deferred();
  readonly #over = deferred();
  readonly #drained: Promise<unknown>;
  readonly #stdoutListeners: ((chunk: Buffer) => void)[] = [];
  readonly #exitListeners: ((exit: AgentExit) => void)[] = [];
  /** Cached, so that checking whether it lives needs no scan. */
  #successor: ProcessRow | undefined;
  #onStdinGone: (() => void) | undefined;
  #stdinGoneTimer: NodeJS.Timeout | undefined;
  #bytesRead = 0;
  #paused = false;
  /** Whether the read budget has paused stdout. */
  #isResting = false;
  #stdoutClosed = false;
  #ending: Promise<AgentExit> | undefined;
  #ended: AgentExit | undefined;

  constructor(child: SpawnedChild, options: AgentProcessOptions, table: ProcessTable) {
    this.#table = table;
    this.pid = child.pid;
    this.identity = identityOf(child.pid, table);
    this.#pipes = table.stdio(child.pid);
    this.#seed = { identity: this.identity, marker: options.marker };
    this.#stdin = new AgentStdin(detachStdin(child), () => this.#stdinIsGone());
    this.#stdout = child.stdout;
    this.#stderr = child.stderr;
    this.#watch = new ExitWatch({
      hasSuccessor: () => this.#hasSuccessor(),
      onOver: () => this.#onOver(),
      onStdoutClosed: () => this.#onStdoutClosed(),
    });
    const { redact = (text) => text, stderrBytesMax = 64 * 1024, onStderr } = options;
    this.#tail = new StderrTail({ bytesMax: stderrBytesMax, redact });
    const lines = onStderr && new StderrLines((line) => onStderr(redact(line)));
    this.#drained = Promise.all([this.#readStdout(), this.#readStderr(lines)]);
    this.#awaitExit(child);
  }

  onStdout(listener: (chunk: Buffer) => void): void {
    this.#stdoutListeners.push(listener);
    if (!this.#paused) this.#stdout.resume();
  }

  onExit(listener: (exit: AgentExit) => void): void {
    const ended = this.#ended;
    if (ended === undefined) this.#exitListeners.push(listener);
    else queueMicrotask(() => listener(ended));
  }

  write(line: string, written?: () => void): boolean {
    return this.#stdin.write(line, written);
  }

  get writableBytes(): number {
    return this.#stdin.writableBytes;
  }

  closeStdin(): void {
    this.#stdin.close();
  }

  onStdinGone(listener: () => void): void {
    this.#onStdinGone = listener;
  }

  pause(): void {
    this.#paused = true;
    this.#stdout.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#stdoutListeners.length > 0 && !this.#isResting) this.#stdout.resume();
  }

  stderrTail(): string {
    return this.#tail.text();
  }

  async rememberTree(): Promise<void> {
    const members = findTree(this.#seed, await this.#table.scan(this.#seed.marker));
    this.#seed = { ...this.#seed, known: identitiesOf(members, this.#table) };
  }

  stop(limits: Partial<StopLimits> = {}): Promise<AgentExit> {
    this.#ending ??= this.#end({ ...stopLimits, ...limits });
    return this.#ending;
  }

  async #end(limits: StopLimits): Promise<AgentExit> {
    clearTimeout(this.#stdinGoneTimer);
    const agent = { seed: this.#seed, closeStdin: () => this.closeStdin(), over: this.#over.promise };
    const { killed } = await (this.#watch.isOver
      ? endTree(this.#seed, limits, this.#table)
      : runStopLadder(agent, limits, this.#table));
    await settlesWithin(this.#exited.promise, limits.killWaitMs);
    this.#watch.close();
    await this.#drain();
    this.#stdin.destroy();
    this.#stdout.destroy();
    this.#stderr.destroy();
    const exit = this.#watch.exit ?? { code: null, signal: null };
    const ended = this.#stdoutClosed ? { ...exit, stdoutClosed: true as const } : exit;
    this.#ended = ended;
    for (const listener of this.#exitListeners) listener(ended);
    return killed === 0 ? ended : { ...ended, killed };
  }

  async #drain(): Promise<void> {
    this.#stdout.resume();
    for (let round = 0; round < drainRoundsMax; round += 1) {
      const before = this.#bytesRead;
      if (await settlesWithin(this.#drained, drainQuietMs)) return;
      await setImmediate(); // if the event loop was blocked, the timer fires before the pipes are read
      if (this.#bytesRead === before) return;
    }
  }

  async #readStdout(): Promise<void> {
    // Paused at once, since execa drains a pipe that nobody reads, and the first output would be lost.
    this.#stdout.pause();
    const reader = sharedReadBudget.reader(() => {
      this.#isResting = false;
      if (!this.#paused || this.#ending !== undefined) this.#stdout.resume();
    });
    this.#stdout.on("data", (chunk: Buffer) => {
      this.#bytesRead += chunk.length;
      for (const listener of this.#stdoutListeners) listener(chunk);
      if (reader.spend(chunk.length)) return;
      this.#isResting = true;
      this.#stdout.pause();
    });
    await whenClosed(this.#stdout);
    if (this.#ended === undefined) this.#watch.stdoutEnded();
  }

  async #readStderr(lines: StderrLines | undefined): Promise<void> {
    this.#stderr.on("data", (chunk: Buffer) => {
      this.#bytesRead += chunk.length;
      this.#tail.push(chunk);
      lines?.push(chunk);
    });
    await whenClosed(this.#stderr);
    lines?.end();
  }

  #awaitExit(child: SpawnedChild): void {
    child.once("exit", (code, signal) => {
      this.#exited.resolve();
      if (this.#ended !== undefined) return; // it did not exit in time, and the exit was already reported
      this.#watch.processExited({ code, signal });
      void this.#keepPaused();
    });
  }

  /** Pauses stdout again: Node resumes the pipes of an exited child, but a successor may still fill them. */
  async #keepPaused(): Promise<void> {
    await setImmediate();
    if (this.#paused && this.#ending === undefined) this.#stdout.pause();
  }

  #onOver(): void {
    this.#over.resolve();
    // Ends what the agent left behind, even if the caller does not call `stop`.
    void this.stop();
  }

  #stdinIsGone(): void {
    if (this.#ending !== undefined) return;
    this.#stdinGoneTimer = setTimeout(() => this.#onStdinGone?.(), stdinGoneGraceMs);
  }

  #onStdoutClosed(): void {
    this.#stdoutClosed = this.#ending === undefined;
    void this.stop({ stdinGraceMs: 0 });
  }

  async #hasSuccessor(): Promise<boolean> {
    const isStill = (row: ProcessRow): boolean =>
      isAlive(row, this.#table) && isSuccessor(row, this.#pipes, this.#table);
    if (this.#successor === undefined || !isStill(this.#successor))
      this.#successor = findTree(this.#seed, await this.#table.scan(this.#seed.marker)).find(isStill);
    return this.#successor !== undefined;
  }
}

/** Detaches stdin from the child: Node closes it when the child exits, but a successor still reads from it. */
function detachStdin(child: SpawnedChild): SpawnedChild["stdin"] {
  const stdin = child.stdin;
  (child as { stdin: unknown }).stdin = null;
  return stdin;
}

/** Resolves when the pipe has ended or failed. The error is ignored, since the exit follows. */
function whenClosed(pipe: Readable): Promise<void> {
  return new Promise((resolve) => {
    pipe.once("end", resolve);
    pipe.once("close", resolve);
    pipe.on("error", () => resolve());
  });
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
