// SPDX-License-Identifier: MIT OR Apache-2.0
// One session as the editor has it: its entries become updates, and its requests commands to agentd, in their order.
import type { ConfigOption } from "../../acp-client/model.ts";
import { type Entry, isTruncated, type SessionOption } from "../../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import type { Clock } from "../../bus-client/index.ts";
import type { Meta, OpenedSession, Prompt, PromptResult } from "../agent-side/agent.ts";
import type { Client } from "../agent-side/client.ts";
import { configOptions } from "../agent-side/replies.ts";
import { clientError } from "../../agent-client/agent-error.ts";
import { codeOf } from "../face-error.ts";
import type { ClientServices } from "../client-services/client-services.ts";
import type { Gateway } from "../gateway.ts";
import type { Leases } from "../leases.ts";
import { SessionQuestions } from "../questions/session-questions.ts";
import { isRecord } from "../../json/record.ts";
import { hasUnknownMode, openedSession, type WantedOption } from "../mapping/options.ts";
import type { SessionUpdate } from "../mapping/update.ts";
import { UpdateMapper } from "../mapping/update-mapper.ts";
import { SessionCommands } from "./session-commands.ts";
import { OptionUpdates } from "./option-updates.ts";
import { PromptTurns } from "./prompt-turns.ts";
import { historyOf } from "./history.ts";
import { SessionFacts } from "./session-facts.ts";
import { SessionFeed } from "./session-feed.ts";

/** What all sessions of a face share. */
export interface FaceSurroundings {
  readonly client: Client;
  readonly gateway: Gateway;
  readonly leases: Leases;
  readonly services: ClientServices;
  readonly clock: Clock;
  readonly keepsRunning: boolean;
  /** Receives words for whoever looks for a fault. Without anything that an agent or a person wrote. */
  readonly diagnose: (text: string) => void;
}

export interface SessionPlace {
  readonly id: string;
  /** The name of its agent. */
  readonly agent: string;
  readonly cwd: string;
  readonly additionalDirs: readonly string[];
  /** Whether it was started here. It is closed if it was never prompted. */
  readonly isNew: boolean;
}

export class FaceSession {
  readonly id: string;
  readonly facts = new SessionFacts();
  readonly commands: SessionCommands;
  readonly #around: FaceSurroundings;
  readonly #place: SessionPlace;
  readonly #feed: SessionFeed;
  readonly #turns: PromptTurns;
  readonly #questions: SessionQuestions;
  readonly #optionUpdates = new OptionUpdates((updates) => this.#writeAll(updates));
  #mapper: UpdateMapper;
  #isReplaying = false;

  constructor(around: FaceSurroundings, place: SessionPlace) {
    this.id = place.id;
    this.#around = around;
    this.#place = place;
    const { gateway, clock } = around;
    this.commands = new SessionCommands({ session: this.id, gateway, clock, facts: this.facts });
    this.#mapper = this.#newMapper();
    this.#feed = this.#makeFeed();
    this.#turns = this.#makeTurns();
    this.#questions = this.#makeQuestions();
  }

  /** Follows it from after `seq`. Updates are held back until `release`. */
  follow(seq: number): void {
    this.#feed.start(seq);
  }

  /** Lets the held updates go, and those that come, after what stands in a snapshot. */
  release(snapshot?: SessionSnapshot): void {
    this.#isReplaying = false;
    if (snapshot !== undefined) {
      this.#writeAll(this.#mapper.current(snapshot));
      this.#questions.adopt(snapshot.requests);
    }
    this.#feed.release();
  }

  /** As `release`, for a request of the editor that shows that it knows the session. */
  isKnown(): void {
    if (!this.#isReplaying) this.#feed.release();
  }

  /** What the replies to session/new, load and resume say of it. */
  opened(): OpenedSession {
    const { options, agentSessionId } = this.facts;
    const opened = this.#openedOptions(options);
    this.#mapper.told(options);
    const agentd = this.#ids({ agent: this.#place.agent, agentSessionId });
    return { ...opened, ...(agentd && { meta: { agentd } }) };
  }

  /** Takes a lease of it, and takes note of its state. */
  async attach(): Promise<void> {
    this.facts.adopt(await this.#around.leases.attach(this.id));
  }

  /** Takes the lease again, which is lost with the connection and with the session's end, and follows it again. */
  reattach(): void {
    this.#revive();
    // Without agentd there is no lease to take: the next connection takes it.
    if (this.facts.isLive) this.attach().catch(() => {});
  }

  /** Writes the history up to the last entry that was shown, or up to `last`. */
  async replay(running: number | undefined, last = this.#feed.shown): Promise<void> {
    this.#mapper = this.#newMapper();
    for await (const entry of historyOf(this.#around.gateway, this.id, last)) {
      const isRunningTurn = running !== undefined && "turn" in entry && entry.turn === running;
      for (const update of this.#mapper.replay(entry, { isRunningTurn })) await this.#write(update);
      if (!isTruncated(entry)) this.#questions.applyPast(entry);
    }
    for (const update of this.#mapper.endReplay()) await this.#write(update);
  }

  /** Holds updates back, so that a replay can be written. */
  async hold(): Promise<void> {
    this.#isReplaying = true;
    await this.#feed.hold();
  }

  prompt(prompt: Prompt, signal: AbortSignal): Promise<PromptResult> {
    this.#revive();
    return this.#turns.prompt(prompt, signal);
  }

  /** Resolves to all options, as the editor is to see them. */
  async setOption(wanted: WantedOption): Promise<readonly ConfigOption[]> {
    this.#revive();
    return this.#optionUpdates.during(async () => {
      const { options = [] } = this.#openedOptions(await this.commands.setOption(wanted));
      // The other ways to set an option have a reply without options.
      if ("configId" in wanted) this.#optionUpdates.replied(configOptions(options));
      return options;
    });
  }

  /** Its lease ends with it. */
  async close(): Promise<void> {
    this.#leave();
    await this.#around.services.release(this.id);
    this.#around.leases.endedWith(this.id);
    await this.commands.close();
  }

  /** The editor is gone: cancels its turn unless it is to go on, and lets go of the session. */
  async end(): Promise<void> {
    await this.#turns.end({ keepsRunning: this.#around.keepsRunning });
    if (this.#place.isNew && !this.facts.hasPrompts) return this.close();
    const { leases, services } = this.#around;
    this.#leave();
    await Promise.all([services.release(this.id), leases.detach(this.id)]);
  }

  #leave(): void {
    this.#questions.withdrawAll();
    this.#feed.stop();
  }

  #makeFeed(): SessionFeed {
    const { gateway, clock, diagnose } = this.#around;
    return new SessionFeed({
      gateway,
      clock,
      session: this.id,
      note: (entry) => {
        const wasEnded = this.facts.isEnded;
        this.facts.apply(entry);
        if (wasEnded) this.reattach();
      },
      show: (entry) => this.#show(entry),
      lost: (error) => {
        diagnose(`session ${this.id} cannot be followed further: ${codeOf(error)}`);
        this.#turns.fail(error);
      },
      unreachable: () => this.#turns.fail(clientError("UNREACHABLE", "agentd is away")),
    });
  }

  #makeQuestions(): SessionQuestions {
    const { client, gateway, clock, diagnose } = this.#around;
    return new SessionQuestions({
      client,
      ask: (verb, args) => gateway.ask(verb, args),
      session: this.id,
      write: (updates) => this.#writeAll(updates),
      toolCall: (fields) => this.#mapper.toolCall(fields),
      diagnose,
      clock,
      newCommandId: gateway.newCommandId,
    });
  }

  #makeTurns(): PromptTurns {
    const { gateway, clock } = this.#around;
    return new PromptTurns({
      clock,
      newCommandId: gateway.newCommandId,
      send: (prompt, about) => this.commands.prompt(prompt, about),
      sendCancel: (turn) => this.commands.cancel(turn),
      isRunning: (turn) => this.commands.isRunning(turn),
      onCancel: () => this.#questions.withdrawAll(),
      closeOpenCalls: (turn) => this.#mapper.closeOpenCalls(turn),
      write: (updates) => this.#writeAll(updates),
      idsOf: (turn) => this.#ids({ turnId: turn }),
    });
  }

  async #show(entry: Entry): Promise<void> {
    if (entry.kind === "options" && hasUnknownMode(entry.options))
      this.#around.diagnose(`session ${this.id}: unsupported runtime config change`);
    const isOwnPrompt = this.#turns.isOwn(entry);
    const updates = this.#optionUpdates.take(entry, this.#mapper.live(entry, { isOwnPrompt }));
    for (const update of updates) await this.#write(update);
    this.#questions.apply(entry);
    this.#turns.ended(entry);
  }

  /** Writes at once. */
  #writeAll(updates: readonly SessionUpdate[]): void {
    for (const update of updates) void this.#write(update);
  }

  /** Resolves when the editor reads fast enough for more. */
  #write(update: SessionUpdate): Promise<void> {
    return this.#around.client.update(this.id, update);
  }

  /** Follows the session again if that had to be given up. */
  #revive(): void {
    this.#feed.start();
  }

  #openedOptions(options: readonly SessionOption[]): OpenedSession {
    return openedSession(options, { booleanOptions: this.#around.client.capabilities.booleanOptions });
  }

  #newMapper(): UpdateMapper {
    const { id, cwd, additionalDirs } = this.#place;
    const { client, services } = this.#around;
    const { booleanOptions, notices, compaction } = client.capabilities;
    return new UpdateMapper({
      session: id,
      cwd,
      additionalDirs,
      booleanOptions,
      notices,
      compaction,
      showsIds: this.#showsIds,
      editorTerminal: (terminal) => services.editorTerminal(id, terminal),
    });
  }

  get #showsIds(): boolean {
    const about = this.#around.client.capabilities.meta["agentd"];
    return isRecord(about) && about["ids"] === true;
  }

  /** Members of `_meta.agentd`, for a client that asked for ids. */
  #ids(ids: Meta): Meta | undefined {
    return this.#showsIds ? { sessionId: this.id, ...ids } : undefined;
  }
}
