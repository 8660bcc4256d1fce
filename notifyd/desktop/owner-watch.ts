// SPDX-License-Identifier: MIT OR Apache-2.0
// Watches which process serves notifications on the session's D-Bus, by a helper program that is told of each change.
import type { PresenterHost } from "../presenter.ts";
import { firstLine, type Helper, startHelper } from "./helper.ts";
import { endWithUs, readOwners, sessionBusCommand } from "./session-bus.ts";

export interface OwnerWatchOptions extends Pick<PresenterHost, "clock" | "limits" | "logger"> {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The unique name of the owner, or null if there is none. Also called with the first owner, and after each restart. */
  readonly onOwner: (owner: string | null) => void;
}

export class OwnerWatch {
  readonly #options: OwnerWatchOptions;
  #helper: Helper | undefined;
  #cancelRestart: (() => void) | undefined;
  #starts: number[] = [];
  #closed = false;

  constructor(options: OwnerWatchOptions) {
    this.#options = options;
    this.#start();
  }

  /** False before the helper program is started for the first time, and once it is not started again. */
  get isOn(): boolean {
    return this.#helper !== undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRestart?.();
    this.#helper?.end(this.#options.limits.killAfterMs);
    await this.#helper?.ended;
  }

  #start(): void {
    const { environment, limits, clock, onOwner } = this.#options;
    const { PATH: path, DBUS_SESSION_BUS_ADDRESS: address } = environment;
    const command = address ? sessionBusCommand("watchOwner", path) : undefined;
    // Without these nothing is shown, and the probe reports why.
    if (command === undefined) return;
    this.#starts.push(clock.now());
    const [file = "", ...args] = [...endWithUs(path), command.file, ...command.args];
    this.#helper = startHelper(file, args, {
      // The words of gdbus are translated otherwise.
      environment: { ...environment, LC_ALL: "C" },
      outputBytesMax: limits.outputBytesMax,
      onLine: (line) => {
        for (const owner of readOwners(line)) if (!this.#closed) onOwner(owner);
      },
    });
    void this.#helper.ended.then(({ code, stderr }) => {
      if (!this.#closed) this.#restart(firstLine(stderr) || `it ended with ${code ?? "a signal"}`);
    });
  }

  #restart(why: string): void {
    const { limits, clock, logger } = this.#options;
    const { watchStartsMax, watchStartsMs, watchRestartMs } = limits;
    this.#starts = this.#starts.filter((at) => Math.abs(clock.now() - at) < watchStartsMs);
    if (this.#starts.length < watchStartsMax) {
      this.#cancelRestart = clock.after(watchRestartMs, () => this.#start());
      return;
    }
    this.#helper = undefined;
    logger.info(`the notification service is no longer watched: ${why}`);
  }
}
