// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs the effects that reach agents: starts and stops processes, sends what was committed, and posts what comes back.
// It decides nothing.
import type { AgentClient, AgentSink } from "../../../acp-client/agent-client.ts";
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { ClientSide } from "../../../acp-client/client-side.ts";
import type { AgentUpdate, ContentBlock, McpServer } from "../../../acp-client/model.ts";
import type { Clock } from "../../../bus-client/index.ts";
import type { MaintenanceReply } from "../../log-maintenance.ts";
import type { EvidenceCollector } from "../../people/policy-evidence.ts";
import type { Failpoint } from "../../failpoint.ts";
import type { ClientSideEffect } from "../core/client-side/client-side-input.ts";
import { compensate } from "../core/client-side/decide-client-side.ts";
import type { Effect, MaintenanceCommand, PeopleEffect, SessionInput } from "../core/input.ts";
import type { ChosenOption, SessionState } from "../core/state.ts";
import { TranscriptDigest, describeTranscriptDifference } from "../transcript.ts";
import { UpdateBatch } from "./update-batch.ts";
import { type ChildIdentity, childOf, type ClientRequests, type ClientRequestHooks } from "./client-requests.ts";
import { openAgentSession } from "./opening.ts";
import { SessionTimers } from "./session-timers.ts";

/** Everything needed to start the agent of one session. */
export interface Launch {
  readonly start: (sink: AgentSink, clientSide: ClientSide) => AgentClient;
  /** Serves the agent's file and terminal requests; absent when it may make none. */
  readonly openClientRequests?: (hooks: ClientRequestHooks) => ClientRequests;
  readonly mcpServers: readonly McpServer[];
  /** Options that people had set in earlier runs, from the log. A restored agent session gets them again. */
  readonly chosenOptions: readonly ChosenOption[];
  /** Why the MCP server for the Bus is missing from `mcpServers`, if it should be there. */
  readonly busToolsProblem?: string;
}

export type PlannedLaunch =
  | { readonly ok: true; readonly launch: Launch }
  | { readonly ok: false; readonly failure: AgentFailure };

export interface AgentsOptions {
  /** `runSeq`: the run that the input belongs to. */
  readonly post: (session: string, input: SessionInput, runSeq?: number) => void;
  readonly plan: (state: SessionState) => PlannedLaunch;
  readonly clock: Clock;
  /** Resolves after the current batch, replies included. */
  readonly soon: () => Promise<void>;
  readonly chunkMergeBytesMax: number;
  /** Returns the conversation before a turn, for an agent that does not know it. */
  readonly transcript: (session: string, beforeTurn: number) => string | undefined;
  /** Digests the logged conversation up to `seq`. */
  readonly digestLog: (session: string, seq: number) => Promise<TranscriptDigest>;
  /** Collects the evidence for the session's policy; undefined when it has none. */
  readonly evidenceFor: (state: SessionState) => EvidenceCollector | undefined;
  readonly maintain: (session: string, seq: number, command: MaintenanceCommand) => Promise<MaintenanceReply>;
  /** Passes on what concerns `notify`; its answers come back as inputs. */
  readonly people: (session: string, effect: PeopleEffect) => void;
  /** Returns whether the session's agent has started its MCP server for the Bus. */
  readonly busToolsSeen: (session: string) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
  readonly failpoint: Failpoint;
  /** Records that a child started or is gone, so that the next agentd finds orphans. */
  readonly record: (session: string, process: ChildIdentity, isAlive: boolean) => void;
}

/** Why agents are not read: the log cannot be written, or too many inputs wait. */
export type PauseReason = "store" | "pressure";

interface Running {
  readonly runSeq: number;
  readonly client: AgentClient;
  readonly batch: UpdateBatch;
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
  /** Agents that are being stopped. The next agent of the session starts when they are gone. */
  readonly #ending = new Map<string, Promise<void>>();
  /** `runSeq` of each launch that has not started yet. */
  readonly #queuedLaunches = new Map<string, number>();
  readonly #timers: SessionTimers;
  readonly #pauseReasons = new Set<PauseReason>();
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

  /** Applies back-pressure to every agent: nothing is read from them while any reason holds. */
  setPaused(reason: PauseReason, holds: boolean): void {
    const rested = this.#pauseReasons.size > 0;
    if (holds) this.#pauseReasons.add(reason);
    else this.#pauseReasons.delete(reason);
    const rests = this.#pauseReasons.size > 0;
    if (rests === rested) return;
    for (const { client } of this.#running.values()) {
      if (rests) client.pause();
      else client.resume();
    }
  }

  /**
   * Stops agents while nothing can be logged, including those not started yet. Posts an input that is logged once the
   * log works again.
   */
  endUnlogged(session?: string): void {
    const all = new Set([...this.#running.keys(), ...this.#queuedLaunches.keys()]);
    for (const each of session === undefined ? all : [session]) {
      this.#options.post(each, { type: "ended_unlogged" });
      this.#stop(each);
    }
  }

  /** Resolves when every agent that is being stopped is gone. */
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
        this.#queueLaunch(session, effect.state);
        return;
      case "prompt":
        running?.client.prompt(this.#promptBlocks(session, effect), (outcome) => {
          running.batch.add({ type: "prompt_done", turn: effect.turn, outcome });
        });
        break;
      case "cancel":
        running?.client.cancel();
        return;
      case "set_option": {
        const { seq, option, value } = effect;
        running?.client.setOption(option, value, (outcome) => {
          running.batch.add({ type: "option_set", seq, option, outcome });
        });
        break;
      }
      case "answer_permission":
        if (!running) return;
        running.client.answerPermission(effect.key, effect.outcome);
        post(session, { type: "answer_sent", request: effect.request }, running.runSeq);
        return;
      case "answer_elicitation":
        if (!running) return;
        running.client.answerElicitation(effect.key, effect.answer);
        post(session, { type: "answer_sent", request: effect.request }, running.runSeq);
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
        if (running) this.#checkBusTools(session, running.runSeq);
        return;
      case "maintain":
        this.#maintain(session, effect.seq, effect.command);
        return;
      case "stop_agent":
        this.#stop(session);
        return;
    }
    // The client may refuse synchronously, outside any read of the pipe.
    if (running) this.#post(session, running.batch, running.runSeq);
  }

  #promptBlocks(
    session: string,
    { blocks, turn, transcript }: Extract<Effect, { type: "prompt" }>,
  ): readonly ContentBlock[] {
    const text = transcript ? this.#options.transcript(session, turn) : undefined;
    return text === undefined ? blocks : [{ type: "text", text }, ...blocks];
  }

  /** Compensates an effect whose agent is gone, because the log has announced it. */
  #actOnClientRequests(session: string, clientRequests: ClientRequests | undefined, effect: ClientSideEffect): void {
    if (clientRequests) return clientRequests.act(effect);
    const input = compensate(effect);
    if (input) this.#options.post(session, { type: "client_side", input });
  }

  #arm(session: string, { timer, key, afterMs }: Extract<Effect, { type: "arm" }>): void {
    const { post } = this.#options;
    this.#timers.arm(session, timer, key, afterMs, () => post(session, { type: "timer", timer, key }));
  }

  #checkBusTools(session: string, runSeq: number): void {
    const { busToolsSeen, post, onError } = this.#options;
    busToolsSeen(session).then((seen) => {
      if (!seen) post(session, { type: "bus_tools_missing" }, runSeq);
    }, onError);
  }

  #maintain(session: string, seq: number, command: MaintenanceCommand): void {
    const { maintain, post, onError } = this.#options;
    maintain(session, seq, command).then(
      ({ rc, body }) => post(session, { type: "maintenance_done", seq, rc, body }),
      onError,
    );
  }

  /** Launches after the previous agent is gone and the command's reply was sent, since a spawn blocks. */
  #queueLaunch(session: string, state: SessionState): void {
    const { runSeq } = state;
    this.#queuedLaunches.set(session, runSeq);
    const previous = this.#ending.get(session) ?? Promise.resolve();
    void previous
      .then(() => this.#options.soon())
      .then(() => {
        if (this.#queuedLaunches.get(session) !== runSeq) return;
        this.#queuedLaunches.delete(session);
        this.#launch(session, state);
      });
  }

  #launch(session: string, state: SessionState): void {
    const { plan, post, record, chunkMergeBytesMax, failpoint } = this.#options;
    const { runSeq } = state;
    const planned = plan(state);
    if (!planned.ok) {
      post(session, { type: "open_failed", failure: planned.failure }, runSeq);
      return;
    }
    const { launch } = planned;
    const batch = new UpdateBatch(chunkMergeBytesMax);
    const replay = new TranscriptDigest();
    const evidence = this.#options.evidenceFor(state);
    const clientRequests = launch.openClientRequests?.(this.#clientRequestHooks(session, batch, runSeq));
    const sink: AgentSink = {
      onEvent(event) {
        if (event.type === "update" && event.replay === true) addReplayed(replay, event.update);
        else batch.event(event, evidence?.onEvent(event));
      },
      onBatchEnd: () => this.#post(session, batch, runSeq),
    };
    const client = launch.start(sink, clientRequests?.clientSide ?? {});
    failpoint("agent.spawned");
    const process = client.processIdentity && childOf(client.processIdentity);
    this.#running.set(session, { runSeq, client, batch, clientRequests, process });
    if (this.#pauseReasons.size > 0) client.pause();
    if (process) {
      record(session, process, true);
      post(session, { type: "spawned", process }, runSeq);
    }
    if (launch.busToolsProblem !== undefined) {
      post(session, { type: "bus_tools_missing", message: launch.busToolsProblem }, runSeq);
    }
    openAgentSession(client, state, launch.mcpServers, (input) => {
      const isBack = input.type === "opened" && input.resumed !== undefined;
      batch.add(isBack ? { ...input, chosen: launch.chosenOptions } : input);
      if (isBack && input.resumed === "load") this.#compareReplay(session, state, replay);
    });
    this.#post(session, batch, runSeq);
  }

  #clientRequestHooks(session: string, batch: UpdateBatch, runSeq: number): ClientRequestHooks {
    const { post, record } = this.#options;
    return {
      newKey: () => (this.#lastKey += 1),
      ask: (input) => batch.add({ type: "client_side", input }),
      fault: (fault, message) => batch.event({ type: "fault", fault, message, count: 1 }),
      flush: () => this.#post(session, batch, runSeq),
      tell: (input) => post(session, { type: "client_side", input }),
      record: (process, isAlive) => record(session, process, isAlive),
    };
  }

  /** Compares the replay with the log, but neither stores nor publishes it. */
  #compareReplay(session: string, { seq, runSeq }: SessionState, replay: TranscriptDigest): void {
    void this.#options.digestLog(session, seq).then((logged) => {
      const message = describeTranscriptDifference(replay, logged);
      if (message !== undefined) this.#options.post(session, { type: "replay_differs", message }, runSeq);
    }, this.#options.onError);
  }

  /** Stops the agent and its process tree, then posts `stopped`. */
  #stop(session: string): void {
    const { post, record } = this.#options;
    this.#timers.disarmAll(session);
    this.#queuedLaunches.delete(session);
    const running = this.#running.get(session);
    if (!running) {
      // The agent of an earlier run may still be stopping; this run has ended when that one is gone.
      const before = this.#ending.get(session);
      if (before === undefined) post(session, { type: "stopped" });
      else void before.then(() => post(session, { type: "stopped" }));
      return;
    }
    this.#running.delete(session);
    const ended = Promise.all([running.client.stop(), running.clientRequests?.end()]).then(() => {
      if (running.process) record(session, running.process, false);
      this.#ending.delete(session);
      post(session, { type: "stopped" }, running.runSeq);
    });
    this.#ending.set(session, ended);
  }

  #post(session: string, batch: UpdateBatch, runSeq: number): void {
    const inputs = batch.take();
    if (inputs.length === 0) return;
    const { post, failpoint } = this.#options;
    failpoint("frame_from_agent.before");
    for (const input of inputs) post(session, input, runSeq);
    failpoint("frame_from_agent.after");
  }
}

function addReplayed(replay: TranscriptDigest, update: AgentUpdate): void {
  if (update.kind === "message") replay.add(update.role, update.content["text"]);
}
