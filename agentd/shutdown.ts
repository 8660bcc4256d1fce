// SPDX-License-Identifier: MIT OR Apache-2.0
// Stops agentd: closes everything that was opened, in the reverse order. Created before anything is opened.
import type { Logger } from "pino";

export class Shutdown {
  /** Resolves when everything is closed. */
  readonly done: Promise<void>;
  readonly #logger: Pick<Logger, "info" | "error">;
  readonly #closers: (() => void | Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  #resolveDone = (): void => {};

  constructor(logger: Pick<Logger, "info" | "error">) {
    this.#logger = logger;
    this.done = new Promise((resolve) => (this.#resolveDone = resolve));
  }

  /** What is added last is closed first. */
  add(close: () => void | Promise<void>): void {
    this.#closers.push(close);
  }

  get hasBegun(): boolean {
    return this.#running !== undefined;
  }

  /** Idempotent. Never rejects. */
  begin(why: string): Promise<void> {
    return (this.#running ??= this.#run(why));
  }

  /** Closes all of them even if some fail, then throws the failures. */
  async closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).toReversed()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, "not everything could be closed");
  }

  async #run(why: string): Promise<void> {
    this.#logger.info(`stopping: ${why}`);
    try {
      await this.closeAll();
      this.#logger.info("stopped");
    } catch (error) {
      this.#logger.error({ err: error }, "stopped, but not cleanly");
    }
    this.#resolveDone();
  }
}
