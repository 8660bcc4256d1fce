// SPDX-License-Identifier: MIT OR Apache-2.0
// One process of an agent that is being probed. Every request has a time limit, and whatever goes wrong is an outcome.
import { performance } from "node:perf_hooks";
import type { AgentClient, AgentSink, OpenSessionParams } from "../../acp-client/agent-client.ts";
import type {
  AgentEvent,
  AgentExit,
  Done,
  OpenedSession,
  Outcome,
  PromptResult,
} from "../../acp-client/agent-events.ts";
import type { AgentIdentity } from "../../acp-client/model.ts";

export interface Measured<T> {
  readonly outcome: Outcome<T>;
  readonly ms: number;
}

type PermissionEvent = Extract<AgentEvent, { type: "permission" }>;

export class ProbedAgent {
  readonly client: AgentClient;
  readonly #startedAt = performance.now();
  /** The first permission that the agent has asked for in the last turn. None is ever allowed. */
  firstAsked: PermissionEvent | undefined;
  #onUpdate: (() => void) | undefined;

  constructor(start: (sink: AgentSink) => AgentClient) {
    this.client = start({ onEvent: (event) => this.#onEvent(event), onBatchEnd: () => {} });
  }

  /** Measures from the start of the process. */
  async initialize(limitMs: number) {
    const { outcome } = await this.#measure<AgentIdentity>("initialize", limitMs, (done) =>
      this.client.initialize(done),
    );
    return { outcome, ms: performance.now() - this.#startedAt };
  }

  open(request: OpenSessionParams, limitMs: number) {
    return this.#measure<OpenedSession>(methods[request.how], limitMs, (done) => this.client.open(request, done));
  }

  prompt(text: string, limitMs: number) {
    const blocks = [{ type: "text", text }];
    this.firstAsked = undefined;
    return this.#measure<PromptResult>("session/prompt", limitMs, (done) => this.client.prompt(blocks, done));
  }

  /** Cancels a turn once it has begun to answer, or after `waitMs`, and measures from there to its end. */
  async cancel(text: string, waitMs: number, limitMs: number) {
    const turn = this.prompt(text, waitMs + limitMs);
    const begun = new Promise<void>((resolve) => (this.#onUpdate = resolve));
    const wasFirst = await Promise.race([turn, begun, delay(waitMs)]);
    const cancelledAt = performance.now();
    this.client.cancel();
    const { outcome } = await turn;
    return { outcome, ms: performance.now() - cancelledAt, tooLate: wasFirst !== undefined };
  }

  /** Ends the process and measures how long that takes. */
  async stop(): Promise<{ readonly exit: AgentExit; readonly ms: number }> {
    const begunAt = performance.now();
    const exit = await this.client.stop();
    return { exit, ms: performance.now() - begunAt };
  }

  async #measure<T>(method: string, limitMs: number, send: (done: Done<T>) => void): Promise<Measured<T>> {
    const begunAt = performance.now();
    const answered = new Promise<Outcome<T>>((resolve) => send(resolve));
    const late = delay(limitMs).then((): Outcome<T> => {
      const message = `no answer to ${method} within ${limitMs} ms`;
      return { ok: false, failure: { code: "AGENT_PROTOCOL", message } };
    });
    const outcome = await Promise.race([answered, late]);
    return { outcome, ms: performance.now() - begunAt };
  }

  #onEvent(event: AgentEvent): void {
    if (event.type === "update" && event.update.kind !== "commands" && event.replay !== true) this.#onUpdate?.();
    if (event.type === "elicitation") this.client.answer(event.request, { outcome: "cancel" });
    if (event.type !== "permission") return;
    this.firstAsked ??= event;
    const no = event.options.find(({ kind }) => kind === "reject_once");
    this.client.answer(
      event.request,
      no === undefined ? { outcome: "cancelled" } : { outcome: "selected", option: no.optionId },
    );
  }
}

const methods = { new: "session/new", load: "session/load", resume: "session/resume" } as const;

function delay(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined).unref());
}
