// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs purge, prune, redact and verify one at a time, since none may see another half done.
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { LogError } from "./log/log-error.ts";
import type { Log } from "./log/open.ts";
import { runSteps } from "./log/steps.ts";
import type { PostponedCommand, PostponedReply } from "./session/core/input.ts";
import { errorBody, instanceSession, type VerifyReply } from "./vocabulary/index.ts";

type LogCommand = Exclude<PostponedCommand, { readonly verb: "agent.login" | "agent.probe" }>;

export class LogMaintenance {
  readonly #log: Log;
  readonly #onPurged: (agent: string, agentSession: string) => void;
  #last: Promise<unknown> = Promise.resolve();
  #stopping = false;

  /** `onPurged` learns which session of which agent no session here has any more. */
  constructor(log: Log, onPurged: (agent: string, agentSession: string) => void = () => {}) {
    this.#log = log;
    this.#onPurged = onPurged;
  }

  /** Finishes the purges that an earlier agentd had begun when it died. */
  async finishPurges(): Promise<void> {
    const { maintenance } = this.#log;
    for (const session of maintenance.unfinishedPurges()) {
      await this.#next(() => runSteps(maintenance.finishPurge(session), this.#pause));
    }
  }

  /** Gives free pages, left by a purge or prune that was cut off, back to the disk. Can take minutes. */
  async reclaimSpace(): Promise<void> {
    const { maintenance } = this.#log;
    if (maintenance.space().free > 0) await this.#next(() => runSteps(maintenance.reclaimSpace(), this.#pause));
  }

  /** Runs a command that is already in the log, and returns its reply. Rejects if `stop` interrupts it (`Aborted`). */
  async run(session: string, seq: number, command: LogCommand): Promise<PostponedReply> {
    try {
      return { rc: 0, body: await this.#next(() => this.#do(session, seq, command)) };
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      const message = `the log cannot be written (${error.message}); what was done so far stays done, and the command can be repeated`;
      return { rc: 10, body: errorBody("STORE_FAILED", message, { reason: error.code }) };
    }
  }

  async verify(): Promise<VerifyReply> {
    return await this.#next(() => this.#log.maintenance.verify(this.#pause));
  }

  /** Interrupts the running work at its next step. The next agentd finishes a purge that was cut off. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#last.catch(() => {});
  }

  async #do(session: string, seq: number, { verb, args }: LogCommand): Promise<Record<string, unknown>> {
    const { maintenance } = this.#log;
    switch (verb) {
      case "agent.session.purge": {
        const { entries } = await this.#purging(session, () => runSteps(maintenance.purge(session), this.#pause));
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
        entries += await this.#purging(session, () => runSteps(maintenance.remove(session), this.#pause));
        sessions.push(session);
      }
    } finally {
      // Once at the end: it moves pages from the file's end, and would move the same ones again after each session.
      if (!this.#stopping && !this.#log.gone()) await runSteps(maintenance.reclaimSpace(), this.#pause);
    }
    return { sessions, entries };
  }

  async #purging<T>(session: string, purge: () => Promise<T>): Promise<T> {
    // The purge clears the row.
    const row = this.#log.sessions.row(session);
    const result = await purge();
    if (row?.agent != null && row.agent_session_id !== null) this.#onPurged(row.agent, row.agent_session_id);
    return result;
  }

  readonly #pause = async (): Promise<void> => {
    if (this.#stopping) throw new Aborted();
    const gone = this.#log.gone();
    if (gone) throw gone;
    await yieldToEventLoop();
  };

  #next<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => {});
    return next;
  }
}

/** agentd stops. The command stays unanswered, and the next agentd answers it with AGENT_INTERRUPTED. */
export class Aborted extends Error {}
