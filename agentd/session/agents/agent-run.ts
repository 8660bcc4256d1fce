// SPDX-License-Identifier: MIT OR Apache-2.0
// The agent of one run of a session: sends it what was committed, and posts what comes back. It decides nothing.
import type { AgentClient, AgentSink } from "../../../acp-client/agent-client.ts";
import type { ClientSide } from "../../../acp-client/client-side.ts";
import type { AgentInfo, AgentUpdate } from "../../../acp-client/model.ts";
import type { BuiltInQuirks } from "../../catalogue/agents/definition.ts";
import type { Failpoint } from "../../failpoint.ts";
import type { EvidenceCollector } from "../../people/policy-evidence.ts";
import type { Effect, SessionEvent, SessionInput } from "../core/input.ts";
import type { ChosenOption, SessionState } from "../core/state.ts";
import type { PostInput } from "../mailbox/mailbox.ts";
import { TranscriptDigest, describeTranscriptDifference } from "../transcript.ts";
import { type ChildIdentity, childOf, type ClientRequests, type ClientRequestHooks } from "./client-requests.ts";
import { openAgentSession, type OpeningOptions } from "./opening.ts";
import { UpdateBatch } from "./update-batch.ts";

export interface Launch extends OpeningOptions {
  readonly start: (sink: AgentSink, clientSide: ClientSide) => AgentClient;
  /** Serves the agent's file and terminal requests; absent when it may make none. */
  readonly openClientRequests?: (hooks: ClientRequestHooks) => ClientRequests;
  readonly quirksOf: (info: AgentInfo | null | undefined) => BuiltInQuirks;
  /**
   * From the log: the options that people had set in earlier runs, which a restored agent session gets again; of a session
   * that never came up, those of its start.
   */
  readonly chosenOptions: readonly ChosenOption[];
  /** Collects the evidence for the session's policy; absent when it has none. */
  readonly evidence?: EvidenceCollector;
  /** Why the MCP server for the Bus is missing from `mcpServers`, if it should be there. */
  readonly busToolsProblem?: string;
  /** Removes the agent's temporary files once its processes have ended. */
  readonly cleanUp?: () => Promise<void>;
}

export interface LoggedConversation {
  /** Returns the conversation before a turn, for an agent that does not know it. */
  before(session: string, turn: number): string | undefined;
  digest(session: string, seq: number): Promise<TranscriptDigest>;
}

export interface AgentRunOptions {
  readonly post: PostInput;
  readonly conversation: LoggedConversation;
  readonly chunkMergeBytesMax: number;
  readonly newKey: () => number;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  readonly failpoint: Failpoint;
  /** Records that a child started or is gone, so that the next agentd finds orphans. */
  readonly record: (session: string, process: ChildIdentity, isAlive: boolean) => void;
}

type EffectOf<T extends Effect["type"]> = Extract<Effect, { readonly type: T }>;

export class AgentRun {
  readonly runSeq: number;
  readonly client: AgentClient;
  readonly clientRequests: ClientRequests | undefined;
  readonly #options: AgentRunOptions;
  readonly #state: SessionState;
  readonly #launch: Launch;
  readonly #batch: UpdateBatch;
  readonly #process: ChildIdentity | undefined;
  readonly #replay = new TranscriptDigest();
  /** Set once the agent has answered initialize. */
  #knownQuirks: BuiltInQuirks | undefined;

  /** Starts the agent's process. `state`: as the run began. */
  constructor(state: SessionState, launch: Launch, options: AgentRunOptions) {
    this.runSeq = state.runSeq;
    this.#options = options;
    this.#state = state;
    this.#launch = launch;
    this.#batch = new UpdateBatch(options.chunkMergeBytesMax);
    this.clientRequests = launch.openClientRequests?.(this.#clientRequestHooks());
    const sink: AgentSink = {
      onEvent: (event) => {
        if (event.type === "replayed") this.#compareReplay();
        else if (event.type === "update" && event.replay === true) addReplayed(this.#replay, event.update);
        else this.#batch.event(this.#withToolName(event), launch.evidence?.onEvent(event));
      },
      onBatchEnd: () => this.#postBatch(),
    };
    this.client = launch.start(sink, this.clientRequests?.clientSide ?? {});
    options.failpoint("agent.spawned");
    this.#process = this.client.processIdentity && childOf(this.client.processIdentity);
  }

  /** Records the process, and opens or restores the agent's session. */
  open(): void {
    const { busToolsProblem, chosenOptions } = this.#launch;
    if (this.#process) {
      this.#options.record(this.#state.id, this.#process, true);
      this.#post({ type: "spawned", process: this.#process });
    }
    if (busToolsProblem !== undefined) this.#post({ type: "bus_tools_missing", message: busToolsProblem });
    openAgentSession(this.client, this.#state, { ...this.#launch, now: this.#options.now }, (input) => {
      this.#batch.add(input.type === "opened" ? { ...input, chosen: chosenOptions } : input);
    });
    this.#postBatch();
  }

  prompt({ blocks, turn, transcript }: EffectOf<"prompt">): void {
    const text = transcript ? this.#options.conversation.before(this.#state.id, turn) : undefined;
    const all = text === undefined ? blocks : [{ type: "text", text }, ...blocks];
    this.client.prompt(all, (outcome) => this.#batch.add({ type: "prompt_done", turn, outcome }));
    // The client may refuse synchronously, outside any read of the pipe.
    this.#postBatch();
  }

  steer({ blocks, turn }: EffectOf<"steer">): void {
    this.client.steer(blocks, (outcome) => this.#batch.add({ type: "steered", turn, outcome }));
    this.#postBatch();
  }

  setOption({ seq, option, value }: EffectOf<"set_option">): void {
    this.client.setOption(option, value, (outcome) => this.#batch.add({ type: "option_set", seq, option, outcome }));
    this.#postBatch();
  }

  answer(effect: EffectOf<"answer_request">): void {
    this.client.answer(effect.key, effect.answer);
    this.#post({ type: "answer_sent", request: effect.request });
  }

  async stop(): Promise<void> {
    await Promise.all([this.client.stop(), this.clientRequests?.end()]);
    if (this.#process) this.#options.record(this.#state.id, this.#process, false);
    await this.#launch.cleanUp?.();
  }

  #clientRequestHooks(): ClientRequestHooks {
    const { post, record, newKey } = this.#options;
    const session = this.#state.id;
    return {
      newKey,
      quirks: () => this.#quirks,
      ask: (input) => this.#batch.add({ type: "client_side", input }),
      fault: (fault, message) => this.#batch.event({ type: "fault", fault, message, count: 1 }),
      flush: () => this.#postBatch(),
      tell: (input) => post(session, { type: "client_side", input }),
      record: (process, isAlive) => record(session, process, isAlive),
    };
  }

  /** Compares the replay with the log, but neither stores nor publishes it. */
  #compareReplay(): void {
    const { conversation, onError } = this.#options;
    const { id, seq } = this.#state;
    void conversation.digest(id, seq).then((logged) => {
      const message = describeTranscriptDifference(this.#replay, logged);
      if (message !== undefined) this.#post({ type: "replay_differs", message });
    }, onError);
  }

  #postBatch(): void {
    const inputs = this.#batch.take();
    if (inputs.length === 0) return;
    const { failpoint } = this.#options;
    failpoint("frame_from_agent.before");
    for (const input of inputs) this.#post(this.#withSigns(input));
    failpoint("frame_from_agent.after");
  }

  get #quirks(): BuiltInQuirks {
    const { identity } = this.client;
    const quirks = this.#knownQuirks ?? this.#launch.quirksOf(identity?.info);
    if (identity !== undefined) this.#knownQuirks = quirks;
    return quirks;
  }

  #withToolName(event: SessionEvent): SessionEvent {
    const { toolNameOf } = this.#quirks;
    if (toolNameOf === undefined || event.type !== "permission" || event.toolCall.name) return event;
    const name = toolNameOf(event.toolCall.toolCallId);
    return name === undefined ? event : { ...event, toolCall: { ...event.toolCall, name } };
  }

  #withSigns(input: SessionInput): SessionInput {
    if (input.type !== "agent" || input.event.type !== "update") return input;
    const signs = this.#quirks.readSigns?.(input.event.update);
    return signs === undefined ? input : { ...input, signs };
  }

  #post(input: SessionInput): void {
    this.#options.post(this.#state.id, input, this.runSeq);
  }
}

function addReplayed(replay: TranscriptDigest, update: AgentUpdate): void {
  if (update.kind === "message") replay.add(update.role, update.content["text"]);
}
