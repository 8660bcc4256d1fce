// SPDX-License-Identifier: MIT OR Apache-2.0
// Acts: starts and ends agents, sends what a commit has allowed, and posts what comes back. Nothing here decides.
import type { AgentClient, AgentSink } from "../../../acp-client/agent-client.ts";
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { ClientSide } from "../../../acp-client/client-side.ts";
import type { AgentUpdate, ContentBlock, McpServer } from "../../../acp-client/model.ts";
import type { Clock } from "../../../bus-client/index.ts";
import type { MaintenanceReply } from "../../log-maintenance.ts";
import type { EvidenceCollector } from "../../people/policy-evidence.ts";
import type { Failpoint } from "../../failpoint.ts";
import type { ClientSideEffect } from "../core/client-side/client-side-input.ts";
import { undone } from "../core/client-side/decide-client-side.ts";
import type { Effect, KeepingCommand, PeopleEffect, SessionInput } from "../core/input.ts";
import type { ChosenOption, SessionState } from "../core/state.ts";
import { Telling, tellingsDiffer } from "../transcript.ts";
import { Burst } from "./burst.ts";
import { type ChildIdentity, childOf, type ClientRequests, type ClientRequestHooks } from "./client-requests.ts";
import { openAgentSession } from "./opening.ts";
import { SessionTimers } from "./session-timers.ts";

/** How an agent is started for a session; what cannot be started says why as the launch's failure. */
export interface Launch {
  readonly start: (sink: AgentSink, clientSide: ClientSide) => AgentClient;
  /** What it may ask of us with files and terminals; nothing where absent. */
  readonly openClientRequests?: (hooks: ClientRequestHooks) => ClientRequests;
  readonly mcpServers: readonly McpServer[];
  /** Options that people had set in the session's earlier lives, by the log: an agent that comes back is given them again. */
  readonly chosen: readonly ChosenOption[];
  /** Why the server that leads the agent to the Bus is not among them, though it should be. */
  readonly busToolsGone?: string;
}

export type PlannedLaunch =
  | { readonly ok: true; readonly launch: Launch }
  | { readonly ok: false; readonly failure: AgentFailure };

export interface AgentsOptions {
  /** `life`: of the session, to which the input belongs. */
  readonly post: (session: string, input: SessionInput, life?: number) => void;
  readonly plan: (state: SessionState) => PlannedLaunch;
  readonly clock: Clock;
  /** When what is being done now has been done, replies and all. */
  readonly soon: () => Promise<void>;
  readonly chunkMergeBytesMax: number;
  /** What was said before a turn, for an agent that does not know it. */
  readonly transcript: (session: string, beforeTurn: number) => string | undefined;
  /** What the log has of the conversation up to `seq`. */
  readonly loggedTelling: (session: string, seq: number) => Promise<Telling>;
  /** Where the session has a policy: what finds out what that judges by. */
  readonly evidenceFor: (state: SessionState) => EvidenceCollector | undefined;
  readonly keep: (session: string, seq: number, command: KeepingCommand) => Promise<MaintenanceReply>;
  /** What concerns people is another's: it comes back as an input. */
  readonly people: (session: string, effect: PeopleEffect) => void;
  /** Whether the session's agent has come to the Bus by its MCP server. */
  readonly busToolsSeen: (session: string) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
  readonly failpoint: Failpoint;
  /** A child came up or is gone: for the record by which the next agentd finds it. */
  readonly record: (session: string, process: ChildIdentity, lives: boolean) => void;
}

/** The log cannot be written, or too many inputs wait for it. */
export type RestReason = "store" | "pressure";

interface Running {
  readonly life: number;
  readonly client: AgentClient;
  readonly burst: Burst;
  readonly clientRequests: ClientRequests | undefined;
  readonly process: ChildIdentity | undefined;
}

/** Effects that start an agent or send it something. */
const reachesAgent: ReadonlySet<Effect["type"]> = new Set([
  "launch",
  "prompt",
  "cancel",
  "set_option",
  "answer_permission",
  "answer_elicitation",
  "client_side",
  "stop_agent",
]);

export class Agents {
  readonly #options: AgentsOptions;
  readonly #running = new Map<string, Running>();
  /** Agents on their way out: a new one of the same session starts when the old one is gone. */
  readonly #ending = new Map<string, Promise<void>>();
  /** Launches that wait, by the `lifeSeq` of their life. */
  readonly #awaited = new Map<string, number>();
  readonly #timers: SessionTimers;
  readonly #reasonsToRest = new Set<RestReason>();
  #lastKey = 0;

  constructor(options: AgentsOptions) {
    this.#options = options;
    this.#timers = new SessionTimers(options.clock);
  }

  act(session: string, effects: readonly Effect[]): void {
    const { failpoint } = this.#options;
    for (const effect of effects) {
      if (!reachesAgent.has(effect.type)) this.#act(session, effect);
      else {
        failpoint("frame_to_agent.before");
        this.#act(session, effect);
        failpoint("frame_to_agent.after");
      }
    }
  }

  /**
   * Back-pressure on every agent: while one reason or more holds, nothing is read from them.
   */
  rest(reason: RestReason, holds: boolean): void {
    const rested = this.#reasonsToRest.size > 0;
    if (holds) this.#reasonsToRest.add(reason);
    else this.#reasonsToRest.delete(reason);
    const rests = this.#reasonsToRest.size > 0;
    if (rests === rested) return;
    for (const { client } of this.#running.values()) {
      if (rests) client.pause();
      else client.resume();
    }
  }

  /**
   * Ends agents while nothing can be logged, those too that have not been started yet; that it was done is an input, to be
   * logged when that works again.
   */
  endUnlogged(session?: string): void {
    const all = new Set([...this.#running.keys(), ...this.#awaited.keys()]);
    for (const each of session === undefined ? all : [session]) {
      this.#options.post(each, { type: "ended_unlogged" });
      this.#stop(each);
    }
  }

  /** Resolves when every agent that is on its way out is gone. */
  async ended(): Promise<void> {
    while (this.#ending.size > 0) await Promise.all(this.#ending.values());
  }

  clearTimers(): void {
    this.#timers.clear();
  }

  #act(session: string, effect: Effect): void {
    const { post } = this.#options;
    const running = this.#running.get(session);
    switch (effect.type) {
      case "launch":
        this.#launchSoon(session, effect.state);
        return;
      case "prompt":
        running?.client.prompt(this.#promptBlocks(session, effect), (outcome) => {
          running.burst.add({ type: "prompt_done", turn: effect.turn, outcome });
        });
        break;
      case "cancel":
        running?.client.cancel();
        return;
      case "set_option": {
        const { seq, option, value } = effect;
        running?.client.setOption(option, value, (outcome) => {
          running.burst.add({ type: "option_set", seq, option, outcome });
        });
        break;
      }
      case "answer_permission":
        if (!running) return;
        running.client.answerPermission(effect.key, effect.outcome);
        post(session, { type: "answer_sent", request: effect.request }, running.life);
        return;
      case "answer_elicitation":
        if (!running) return;
        running.client.answerElicitation(effect.key, effect.answer);
        post(session, { type: "answer_sent", request: effect.request }, running.life);
        return;
      case "client_side":
        this.#actOnClientRequests(session, running?.clientRequests, effect.effect);
        return;
      case "ask_people":
      case "withdraw_ask":
        this.#options.people(session, effect);
        return;
      case "arm":
        this.#arm(session, effect);
        return;
      case "disarm":
        this.#timers.disarm(session, effect.timer, effect.key);
        return;
      case "check_bus_tools":
        if (running) this.#checkBusTools(session, running.life);
        return;
      case "keep":
        this.#keep(session, effect.seq, effect.command);
        return;
      case "stop_agent":
        this.#stop(session);
        return;
    }
    // What the client refuses by itself it answers within the call, outside of any read.
    if (running) this.#post(session, running.burst, running.life);
  }

  #promptBlocks(
    session: string,
    { blocks, turn, transcript }: Extract<Effect, { type: "prompt" }>,
  ): readonly ContentBlock[] {
    const text = transcript ? this.#options.transcript(session, turn) : undefined;
    return text === undefined ? blocks : [{ type: "text", text }, ...blocks];
  }

  /** Where the agent is gone, what was to be done for it is told to be undone: its intention is in the log. */
  #actOnClientRequests(session: string, clientRequests: ClientRequests | undefined, effect: ClientSideEffect): void {
    if (clientRequests) return clientRequests.act(effect);
    const input = undone(effect);
    if (input) this.#options.post(session, { type: "client_side", input });
  }

  #arm(session: string, { timer, key, afterMs }: Extract<Effect, { type: "arm" }>): void {
    const { post } = this.#options;
    this.#timers.arm(session, timer, key, afterMs, () => post(session, { type: "timer", timer, key }));
  }

  #checkBusTools(session: string, life: number): void {
    const { busToolsSeen, post, onError } = this.#options;
    busToolsSeen(session).then((seen) => {
      if (!seen) post(session, { type: "bus_tools_missing" }, life);
    }, onError);
  }

  #keep(session: string, seq: number, command: KeepingCommand): void {
    const { keep, post, onError } = this.#options;
    keep(session, seq, command).then(({ rc, body }) => post(session, { type: "kept", seq, rc, body }), onError);
  }

  /** When the agent of the life before is gone, and the reply to the command has left: a spawn takes its while. */
  #launchSoon(session: string, state: SessionState): void {
    const { lifeSeq } = state;
    this.#awaited.set(session, lifeSeq);
    const previous = this.#ending.get(session) ?? Promise.resolve();
    void previous
      .then(() => this.#options.soon())
      .then(() => {
        if (this.#awaited.get(session) !== lifeSeq) return;
        this.#awaited.delete(session);
        this.#launch(session, state);
      });
  }

  #launch(session: string, state: SessionState): void {
    const { plan, post, record, chunkMergeBytesMax, failpoint } = this.#options;
    const { lifeSeq: life } = state;
    const planned = plan(state);
    if (!planned.ok) {
      post(session, { type: "open_failed", failure: planned.failure }, life);
      return;
    }
    const { launch } = planned;
    const burst = new Burst(chunkMergeBytesMax);
    const replay = new Telling();
    const evidence = this.#options.evidenceFor(state);
    const clientRequests = launch.openClientRequests?.(this.#clientRequestHooks(session, burst, life));
    const sink: AgentSink = {
      onEvent(event) {
        if (event.type === "update" && event.replay === true) noteReplay(replay, event.update);
        else burst.event(event, evidence?.onEvent(event));
      },
      onBatchEnd: () => this.#post(session, burst, life),
    };
    const client = launch.start(sink, clientRequests?.clientSide ?? {});
    failpoint("agent.spawned");
    const process = client.processIdentity && childOf(client.processIdentity);
    this.#running.set(session, { life, client, burst, clientRequests, process });
    if (this.#reasonsToRest.size > 0) client.pause();
    if (process) {
      record(session, process, true);
      post(session, { type: "spawned", process }, life);
    }
    if (launch.busToolsGone !== undefined) {
      post(session, { type: "bus_tools_missing", message: launch.busToolsGone }, life);
    }
    openAgentSession(client, state, launch.mcpServers, (input) => {
      const isBack = input.type === "came_up" && input.resumed !== undefined;
      burst.add(isBack ? { ...input, chosen: launch.chosen } : input);
      if (isBack && input.resumed === "load") this.#compareReplay(session, state, replay);
    });
    this.#post(session, burst, life);
  }

  #clientRequestHooks(session: string, burst: Burst, life: number): ClientRequestHooks {
    const { post, record } = this.#options;
    return {
      newKey: () => (this.#lastKey += 1),
      ask: (input) => burst.add({ type: "client_side", input }),
      fault: (fault, message) => burst.event({ type: "fault", fault, message, count: 1 }),
      flush: () => this.#post(session, burst, life),
      tell: (input) => post(session, { type: "client_side", input }),
      record: (process, lives) => record(session, process, lives),
    };
  }

  /** The replay itself is neither stored nor published: the log has been there. */
  #compareReplay(session: string, { seq, lifeSeq }: SessionState, replay: Telling): void {
    void this.#options.loggedTelling(session, seq).then((logged) => {
      const message = tellingsDiffer(replay, logged);
      if (message !== undefined) this.#options.post(session, { type: "replay_differs", message }, lifeSeq);
    }, this.#options.onError);
  }

  /** Ends the agent and its whole tree, then says so. */
  #stop(session: string): void {
    const { post, record } = this.#options;
    this.#timers.disarmAll(session);
    this.#awaited.delete(session);
    const running = this.#running.get(session);
    if (!running) {
      // An agent of the life before may still be on its way out: this life has ended when that one is gone.
      const before = this.#ending.get(session);
      if (before === undefined) post(session, { type: "stopped" });
      else void before.then(() => post(session, { type: "stopped" }));
      return;
    }
    this.#running.delete(session);
    const ended = Promise.all([running.client.stop(), running.clientRequests?.end()]).then(() => {
      if (running.process) record(session, running.process, false);
      this.#ending.delete(session);
      post(session, { type: "stopped" }, running.life);
    });
    this.#ending.set(session, ended);
  }

  #post(session: string, burst: Burst, life: number): void {
    const inputs = burst.take();
    if (inputs.length === 0) return;
    const { post, failpoint } = this.#options;
    failpoint("frame_from_agent.before");
    for (const input of inputs) post(session, input, life);
    failpoint("frame_from_agent.after");
  }
}

function noteReplay(replay: Telling, update: AgentUpdate): void {
  if (update.kind === "message") replay.add(update.role, update.content["text"]);
}
