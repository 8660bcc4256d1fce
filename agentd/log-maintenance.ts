// SPDX-License-Identifier: MIT OR Apache-2.0
// Purges, prunes, redacts and verifies, one after the other: none of them may meet another half done.
import { setImmediate as breathe } from "node:timers/promises";
import { LogError } from "./log/log-error.ts";
import type { Log } from "./log/open.ts";
import { runSteps } from "./log/steps.ts";
import type { KeepingCommand } from "./session/core/input.ts";
import { errorBody, instanceSession, type VerifyReply } from "./vocabulary/index.ts";

export interface MaintenanceReply {
  readonly rc: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export class LogMaintenance {
  readonly #log: Log;
  #last: Promise<unknown> = Promise.resolve();
  #stopping = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** What an agentd that died had begun to remove. */
  async finishPurges(): Promise<void> {
    const { maintenance } = this.#log;
    for (const session of maintenance.unfinishedPurges()) {
      await this.#next(() => runSteps(maintenance.finishPurge(session), this.#pause));
    }
  }

  /**
   * Gives back what an agentd that died had not: free pages tell of a purge or a prune that did not come to its end. After a
   * large one it takes minutes.
   */
  async reclaimSpace(): Promise<void> {
    const { maintenance } = this.#log;
    if (maintenance.space().free > 0) await this.#next(() => runSteps(maintenance.reclaimSpace(), this.#pause));
  }

  /** The answer to a command that is in the log already. */
  async run(session: string, seq: number, command: KeepingCommand): Promise<MaintenanceReply> {
    try {
      return { rc: 0, body: await this.#next(() => this.#do(session, seq, command)) };
    } catch (error) {
      if (error instanceof Aborted) throw error;
      if (!(error instanceof LogError)) throw error;
      const message = `the log cannot be written (${error.message}): what was done till then stays done, and the command can be given again`;
      return { rc: 10, body: errorBody("STORE_FAILED", message, { reason: error.code }) };
    }
  }

  async verify(): Promise<VerifyReply> {
    return await this.#next(() => this.#log.maintenance.verify(this.#pause));
  }

  /** Leaves what is being done where it is; the next agentd goes on with a purge. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#last.catch(() => {});
  }

  async #do(session: string, seq: number, { verb, args }: KeepingCommand): Promise<Record<string, unknown>> {
    const { maintenance } = this.#log;
    switch (verb) {
      case "agent.session.purge": {
        const { entries } = await runSteps(maintenance.purge(session), this.#pause);
        return { entries };
      }
      case "agent.log.prune":
        return await this.#prune(Date.parse(args.before));
      case "agent.log.redact": {
        const { sha256, length } = args;
        const scope = session === instanceSession ? {} : { session };
        const { walTruncated: _, ...counts } = await runSteps(
          maintenance.redact({ sha256, length }, { by: { session, seq }, ...scope }),
          this.#pause,
        );
        return { ...counts };
      }
    }
  }

  async #prune(before: number): Promise<Record<string, unknown>> {
    const { maintenance } = this.#log;
    const sessions: string[] = [];
    let entries = 0;
    try {
      for (const { session } of await runSteps(maintenance.prunable(before), this.#pause)) {
        entries += await runSteps(maintenance.remove(session), this.#pause);
        sessions.push(session);
      }
    } finally {
      // Once, since it moves pages from the file's end: after each session, the same ones would be moved again and again.
      if (!this.#stopping && !this.#log.gone()) await runSteps(maintenance.reclaimSpace(), this.#pause);
    }
    return { sessions, entries };
  }

  readonly #pause = async (): Promise<void> => {
    if (this.#stopping) throw new Aborted();
    const gone = this.#log.gone();
    if (gone) throw gone;
    await breathe();
  };

  #next<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => {});
    return next;
  }
}

/** agentd stops: the command stays unanswered, and the next agentd says that it was interrupted. */
class Aborted extends Error {}

export function isAborted(error: unknown): boolean {
  return error instanceof Aborted;
}
