// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs the effects of committed decisions: hands each to what carries it out, and posts what comes back.
import { afterByWallClock, type Clock } from "../../bus-client/index.ts";
import type { BusToolsWatch } from "../bus-tools.ts";
import type { Failpoint } from "../failpoint.ts";
import type { LogMaintenance } from "../log-maintenance.ts";
import type { Logins } from "../logins.ts";
import type { Notifier } from "../people/notifier.ts";
import type { Probes } from "../probe/probes.ts";
import type { Agents } from "./agents/agents.ts";
import type { ClientRequests } from "./agents/client-requests.ts";
import type { ClientSideEffect } from "./core/client-side/client-side-input.ts";
import { compensate } from "./core/client-side/decide-client-side.ts";
import type { Effect, PostponedReply, Timer } from "./core/input.ts";
import type { PostInput } from "./mailbox/mailbox.ts";

export interface EffectRunnerOptions {
  readonly post: PostInput;
  readonly agents: Agents;
  readonly people: Pick<Notifier, "act">;
  readonly maintenance: Pick<LogMaintenance, "run">;
  readonly probes: Pick<Probes, "run">;
  readonly logins: Pick<Logins, "run">;
  readonly busTools: Pick<BusToolsWatch, "hasRegistered">;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  readonly failpoint: Failpoint;
}

/** Effects that start an agent or send it something. */
const reachesAgent: ReadonlySet<Effect["type"]> = new Set([
  "launch",
  "prompt",
  "steer",
  "cancel",
  "set_option",
  "answer_request",
  "client_side",
  "stop_agent",
]);

export class EffectRunner {
  readonly #options: EffectRunnerOptions;
  readonly #timers: SessionTimers;

  constructor(options: EffectRunnerOptions) {
    this.#options = options;
    this.#timers = new SessionTimers(options.clock);
  }

  readonly act = (session: string, effects: readonly Effect[]): void => {
    const { failpoint } = this.#options;
    for (const effect of effects) {
      if (!reachesAgent.has(effect.type)) this.#act(session, effect);
      else {
        failpoint("frame_to_agent.before");
        this.#act(session, effect);
        failpoint("frame_to_agent.after");
      }
    }
  };

  /** Stops agents, also queued launches, while nothing can be logged. The input is logged once that works again. */
  readonly endUnlogged = (session?: string): void => {
    const { agents, post } = this.#options;
    for (const each of session === undefined ? agents.sessions() : [session]) {
      post(each, { type: "ended_unlogged" });
      this.#stop(each);
    }
  };

  clearTimers(): void {
    this.#timers.clear();
  }

  #act(session: string, effect: Effect): void {
    const { post, agents, people, onError } = this.#options;
    const run = agents.get(session);
    switch (effect.type) {
      case "launch":
        return agents.launch(effect.state);
      case "stop_agent":
        return this.#stop(session);
      case "prompt":
        return run?.prompt(effect);
      case "steer":
        return run?.steer(effect);
      case "cancel":
        return run?.client.cancel();
      case "set_option":
        return run?.setOption(effect);
      case "answer_request":
        return run?.answer(effect);
      case "client_side":
        return this.#actOnClientRequests(session, run?.clientRequests, effect.effect);
      case "ask_people":
      case "withdraw_ask":
        return people.act(session, effect);
      case "arm": {
        const { timer, key } = effect;
        return this.#timers.arm(session, timer, key, effect.afterMs, () =>
          post(session, { type: "timer", timer, key }),
        );
      }
      case "disarm":
        return this.#timers.disarm(session, effect.timer, effect.key);
      case "check_bus_tools":
        if (run) this.#checkBusTools(session, run.runSeq);
        return;
      case "run_command": {
        const { seq } = effect;
        this.#runCommand(session, effect).then(
          (reply) => post(session, { type: "command_done", seq, ...reply }),
          onError,
        );
      }
    }
  }

  #runCommand(session: string, { seq, command }: Extract<Effect, { type: "run_command" }>): Promise<PostponedReply> {
    const { logins, probes, maintenance } = this.#options;
    switch (command.verb) {
      case "agent.login":
        return logins.run(command.args);
      case "agent.probe":
        return probes.run(command);
      case "agent.session.purge":
      case "agent.log.prune":
      case "agent.log.redact":
        return maintenance.run(session, seq, command);
    }
  }

  #stop(session: string): void {
    this.#timers.disarmAll(session);
    this.#options.agents.stop(session);
  }

  /** Compensates an effect whose agent is gone, because the log has announced it. */
  #actOnClientRequests(session: string, clientRequests: ClientRequests | undefined, effect: ClientSideEffect): void {
    if (clientRequests) return clientRequests.act(effect);
    const input = compensate(effect);
    if (input) this.#options.post(session, { type: "client_side", input });
  }

  #checkBusTools(session: string, runSeq: number): void {
    const { busTools, post, onError } = this.#options;
    busTools.hasRegistered(session).then((seen) => {
      if (!seen) post(session, { type: "bus_tools_missing" }, runSeq);
    }, onError);
  }
}

/**
 * Requests expire at a time of day that people were told, even if the machine slept. The other timers measure the
 * agent's working or idle time, which stops while the machine sleeps.
 */
const wallClockTimer: Timer = "request";
/** How often the clock is compared with the expiry of requests, because timers stop while the machine sleeps. */
const clockCheckMs = 2_000;

/** The timers of all sessions, by session, kind and key. */
export class SessionTimers {
  readonly #clock: Clock;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces a timer with the same key. */
  arm(session: string, timer: Timer, key: string, afterMs: number, run: () => void): void {
    const name = timerName(session, timer, key);
    this.#cancels.get(name)?.();
    const expire = (): void => {
      this.#cancels.delete(name);
      run();
    };
    const cancel =
      timer === wallClockTimer
        ? afterByWallClock(this.#clock, afterMs, clockCheckMs, expire)
        : this.#clock.after(afterMs, expire);
    this.#cancels.set(name, cancel);
  }

  disarm(session: string, timer: Timer, key: string): void {
    const name = timerName(session, timer, key);
    this.#cancels.get(name)?.();
    this.#cancels.delete(name);
  }

  disarmAll(session: string): void {
    const prefix = `${session}/`;
    for (const [name, cancel] of this.#cancels) {
      if (!name.startsWith(prefix)) continue;
      cancel();
      this.#cancels.delete(name);
    }
  }

  clear(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}

function timerName(session: string, timer: Timer, key: string): string {
  return `${session}/${timer}/${key}`;
}
