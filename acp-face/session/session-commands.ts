// SPDX-License-Identifier: MIT OR Apache-2.0
// What an editor asks of one session, as commands to agentd. Those that act go out in the order of the calls.
import type { SessionOption } from "../../agentd/vocabulary/entries.ts";
import type { PromptReply } from "../../agentd/vocabulary/replies.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import type { Clock } from "../../bus-client/index.ts";
import type { Prompt } from "../agent-side/agent.ts";
import { isRefusal } from "../face-error.ts";
import type { Gateway } from "../gateway.ts";
import { optionFor, type WantedOption } from "../mapping/options.ts";
import { CommandQueue } from "./command-queue.ts";
import type { SessionFacts } from "./session-facts.ts";

export interface SessionCommandsOptions {
  readonly session: string;
  readonly gateway: Pick<Gateway, "ask" | "newCommandId">;
  readonly clock: Clock;
  readonly facts: SessionFacts;
}

/** How long an agent may take to come up or to end before a request that waits for it is answered. */
const readyMsMax = 15_000;

export class SessionCommands {
  readonly #options: SessionCommandsOptions;
  readonly #queue = new CommandQueue();

  constructor(options: SessionCommandsOptions) {
    this.#options = options;
  }

  /** Resolves when the agent is up, or after 15 s. Rejects if it has failed, also while what is left of it is ended. */
  async ready(): Promise<void> {
    const { facts } = this.#options;
    await this.#until(() => facts.state !== "starting");
    if (!facts.isLive) throw failureOf(facts);
  }

  /** Starts a session again that has ended or is closing. */
  async resume(): Promise<void> {
    const { facts, gateway } = this.#options;
    await this.#until(() => facts.isEnded);
    try {
      await gateway.ask("agent.session.resume", this.#command());
    } catch (error) {
      // Another face may have resumed it meanwhile.
      if (!isRefusal(error, "SESSION_STATE")) throw error;
    }
    // What follows is about the new run.
    await this.#until(() => !facts.isEnded);
  }

  /** Resolves to undefined, without sending it, if `isWanted` is false when its turn has come. */
  prompt(
    { blocks, meta }: Prompt,
    { commandId, isWanted }: { readonly commandId: string; readonly isWanted: () => boolean },
  ): Promise<PromptReply | undefined> {
    return this.#queue.run(async () => {
      if (!isWanted()) return undefined;
      const model = textIn(meta["model"]);
      if (model !== undefined) await this.#setOptionNow({ model });
      const request = {
        session: this.#options.session,
        prompt: [...blocks],
        command_id: commandId,
        // Nothing of an editor can loosen what is asked.
        ...(meta["permission_mode"] === "ask" && { always_ask: true }),
      };
      return this.#whileLive(() => this.#options.gateway.ask("agent.session.prompt", request));
    });
  }

  async cancel(turn: number): Promise<void> {
    await this.#options.gateway.ask("agent.session.cancel", { ...this.#command(), turn });
  }

  /** Whether agentd still has the turn. */
  async isRunning(turn: number): Promise<boolean> {
    const { gateway, session } = this.#options;
    const { running, queued } = await gateway.ask("agent.session.get", { session });
    return running?.turn === turn || queued.some((waiting) => waiting.turn === turn);
  }

  /** Resolves to all options. */
  setOption(wanted: WantedOption): Promise<readonly SessionOption[]> {
    return this.#queue.run(() => this.#setOptionNow(wanted));
  }

  /** Succeeds for a session that has ended. */
  async close(): Promise<void> {
    try {
      await this.#queue.run(() => this.#options.gateway.ask("agent.session.close", this.#command()));
    } catch (error) {
      if (!isRefusal(error, "SESSION_STATE", "SESSION_UNKNOWN")) throw error;
    }
  }

  async #setOptionNow(wanted: WantedOption): Promise<readonly SessionOption[]> {
    const { facts, gateway } = this.#options;
    const request = { ...this.#command(), ...optionFor(facts.options, wanted) };
    const { options, left_out: leftOut } = await this.#whileLive(() =>
      gateway.ask("agent.session.set_config", request),
    );
    if (leftOut === undefined) facts.options = options;
    return facts.options;
  }

  /** Runs the command: in a session that starts when it is up, and in one that has ended after it was resumed. */
  async #whileLive<T>(command: () => Promise<T>): Promise<T> {
    const { facts } = this.#options;
    try {
      return await command();
    } catch (error) {
      if (!(error instanceof AgentError) || error.code !== "SESSION_STATE") throw error;
      // The refusal can be ahead of the entries.
      if (error.details["state"] !== "starting") await this.#until(() => !facts.isLive);
      if (!facts.isLive) await this.resume();
      await this.ready();
      return command();
    }
  }

  #until(holds: () => boolean): Promise<void> {
    const { facts, clock } = this.#options;
    return facts.until(holds, { after: (ms, run) => clock.after(ms, run), ms: readyMsMax });
  }

  #command() {
    const { session, gateway } = this.#options;
    return { session, command_id: gateway.newCommandId() };
  }
}

function failureOf({ state, error }: SessionFacts): AgentError {
  const message = error?.message ?? `the session is ${state}`;
  return new AgentError(error?.error_code ?? `SESSION_${state.toUpperCase()}`, message);
}

function textIn(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}
