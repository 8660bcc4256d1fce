// SPDX-License-Identifier: MIT OR Apache-2.0
// Maps the entries of one session to the updates that an editor is told.
import {
  type Entry,
  type MessageEntry,
  type PermissionEntry,
  type SessionOption,
  type ToolCallEntry,
  type ToolCallFields,
  type TruncatedEntry,
  type TurnEntry,
  isTruncated,
} from "../../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import { blockPieces, metaMember, validBlock } from "./blocks.ts";
import { commandsUpdate, compactionUpdates, noticeUpdates, planUpdate, usageUpdates } from "./facts.ts";
import { HeldAnswer } from "./held-answer.ts";
import { HeldChanges } from "./held-changes.ts";
import { QueuedPrompts } from "./queued-prompts.ts";
import { Terminals } from "./terminals.ts";
import { ToldOptions, ToldTitle } from "./told-facts.ts";
import { type ToolCallView, toolCallMembers } from "./tool-call-members.ts";
import { type ToolCallChange, ToolCalls } from "./tool-calls.ts";
import type { MessageChunk, Meta, SessionUpdate, ToolCallMembers } from "./update.ts";

export interface MapperOptions {
  readonly session: string;
  /** Absolute, as are the additional directories. Locations outside of them are not told. */
  readonly cwd: string;
  readonly additionalDirs: readonly string[];
  readonly booleanOptions: boolean;
  /** Whether the client wants to know what belongs to which tool call: `clientCapabilities._meta.agentd.ids`. */
  readonly showsIds: boolean;
  /** Whether the client offers `session.notices`; absent: no. */
  readonly notices?: boolean;
  /** Whether the client offers `session.compaction`; absent: no. */
  readonly compaction?: boolean;
  /** Returns the editor's id of a terminal that the editor runs; absent: it runs none. */
  editorTerminal?(terminal: string): string | undefined;
}

const chunkTypes = {
  user: "user_message_chunk",
  agent: "agent_message_chunk",
  thought: "agent_thought_chunk",
} as const satisfies Record<MessageEntry["role"], MessageChunk["sessionUpdate"]>;

export class UpdateMapper {
  readonly #options: MapperOptions;
  readonly #view: ToolCallView;
  readonly #calls = new ToolCalls();
  readonly #terminals: Terminals;
  readonly #prompts = new QueuedPrompts();
  readonly #sessionOptions: ToldOptions;
  readonly #title = new ToldTitle();
  readonly #answer = new HeldAnswer();
  readonly #changes = new HeldChanges();
  #isReplaying = false;

  constructor(options: MapperOptions) {
    this.#options = options;
    this.#sessionOptions = new ToldOptions(options.booleanOptions);
    this.#terminals = new Terminals((terminal) => options.editorTerminal?.(terminal));
    this.#view = { ...options, showTerminal: (content) => this.#terminals.show(content) };
  }

  /** Updates for an entry that arrives now. An editor has the prompts of its own turns already. */
  live(entry: Entry | TruncatedEntry, about: { readonly isOwnPrompt: boolean }): readonly SessionUpdate[] {
    const held = this.endReplay();
    const updates = isTruncated(entry) ? truncatedUpdates(entry) : this.#map(entry, about);
    return held.length === 0 ? updates : [...held, ...updates];
  }

  /**
   * Updates for an entry of the past. Of turns that have ended: prompts, answers and tool calls, but neither thoughts nor
   * an answer that a failure cut off. Of the running turn everything. What the replies and `current` tell is left out.
   */
  replay(
    entry: Entry | TruncatedEntry,
    { isRunningTurn }: { readonly isRunningTurn: boolean },
  ): readonly SessionUpdate[] {
    this.#isReplaying = true;
    if (isTruncated(entry)) return [...this.#answer.release(), ...truncatedUpdates(entry)];
    if (entry.kind === "options") this.told(entry.options);
    else if (entry.kind === "info") this.#title.updates(entry);
    else if (entry.kind === "message") return this.#replayMessage(entry, isRunningTurn);
    else if (alwaysReplayed.has(entry.kind) || (isRunningTurn && replayedWhileRunning.has(entry.kind))) {
      if (entry.kind === "turn" && isFailed(entry)) this.#answer.drop();
      return [...this.#answer.release(), ...this.#map(entry, replayed)];
    }
    return [];
  }

  /** Returns what replay still holds. To be called after the last entry of the past; the first live entry does it, too. */
  endReplay(): readonly SessionUpdate[] {
    if (!this.#isReplaying) return [];
    this.#isReplaying = false;
    return [...this.#answer.release(), ...this.#changes.release()];
  }

  /** Closes the tool calls of a turn that are open. The end of a turn does it, too. */
  closeOpenCalls(turn: number): readonly SessionUpdate[] {
    const open = this.#calls.open(turn);
    return open.flatMap((id) => this.#callUpdates({ kind: "tool_call", tool_call_id: id, status: "failed" }, false));
  }

  /** The editor was told these options in a reply, so that an entry of the same options is no news. */
  told(options: readonly SessionOption[]): void {
    this.#sessionOptions.told(options);
  }

  /** What the editor has to be told after session/new, load or resume was answered: commands, title and usage. */
  current(snapshot: Pick<SessionSnapshot, "name" | "title" | "commands" | "usage">): readonly SessionUpdate[] {
    const { name, title, commands, usage } = snapshot;
    return [
      ...(commands.length === 0 ? [] : [commandsUpdate({ commands })]),
      ...this.#title.begin(name, title),
      ...(usage === null ? [] : usageUpdates(usage)),
    ];
  }

  /** The tool call of a permission request. */
  toolCall(fields: ToolCallFields): ToolCallMembers {
    return toolCallMembers(fields, this.#view);
  }

  #map(entry: Entry, { isOwnPrompt, mayWait = false }: Mapping): readonly SessionUpdate[] {
    switch (entry.kind) {
      case "message":
        return this.#messageUpdates(entry, isOwnPrompt);
      case "tool_call":
        return this.#callUpdates(entry, mayWait);
      case "permission":
        return this.#announce(entry);
      case "turn":
        return this.#turnUpdates(entry);
      case "plan":
        return [planUpdate(entry)];
      case "commands":
        return [commandsUpdate(entry)];
      case "options":
        return this.#sessionOptions.updates(entry);
      case "info":
        return this.#title.updates(entry);
      case "usage":
        return usageUpdates(entry);
      case "notice":
        return this.#options.notices === true ? noticeUpdates(entry) : [];
      case "compaction":
        return this.#options.compaction === true ? compactionUpdates(entry) : [];
      case "terminal":
        if (!this.#terminals.apply(entry)) return [];
        return this.#calls.showing(entry.terminal).flatMap((change) => this.#tellOrHold(change, mayWait));
      // Of these an editor is told in other ways, or not at all: questions are requests, and a failure is in the reply.
      case "command":
      case "reply":
      case "state":
      case "elicitation":
      case "file":
      case "extension":
      case "diagnostic":
        return [];
      default:
        // A kind of a newer agentd. The type makes the compiler report a kind of the vocabulary that is missing above.
        entry satisfies never;
        return [];
    }
  }

  #messageUpdates(entry: Entry & MessageEntry, isOwnPrompt: boolean): readonly SessionUpdate[] {
    const { role, turn, append, parent_tool_call_id: parent } = entry;
    // agentd logs a prompt without `append`; with it, the agent wrote the user's message.
    const isPrompt = role === "user" && append !== true && turn !== undefined;
    if (isPrompt && isOwnPrompt) return [];
    const block = validBlock(entry.content);
    if (block === undefined) return [];
    const chunks = blockPieces(block).map((content): SessionUpdate => ({
      sessionUpdate: chunkTypes[role],
      // In the log each block of a prompt is a message of its own.
      messageId: isPrompt ? `t${turn}-u1` : entry.message_id,
      content,
      ...this.#meta(entry, parent),
    }));
    return isPrompt ? this.#prompts.add(turn, chunks) : chunks;
  }

  #replayMessage(entry: Entry & MessageEntry, isRunningTurn: boolean): readonly SessionUpdate[] {
    const updates = entry.role === "thought" && !isRunningTurn ? [] : this.#map(entry, replayed);
    const mayBeCutOff = entry.role === "agent" && entry.turn !== undefined && entry.late !== true && !isRunningTurn;
    return mayBeCutOff ? this.#answer.add(updates) : [...this.#answer.release(), ...updates];
  }

  #turnUpdates(entry: TurnEntry): readonly SessionUpdate[] {
    const prompts = this.#prompts.apply(entry);
    return entry.phase === "ended"
      ? [...prompts, ...this.#changes.release(), ...this.closeOpenCalls(entry.turn)]
      : prompts;
  }

  #callUpdates(entry: ToolCallEntry & { readonly turn?: number }, mayWait: boolean): readonly SessionUpdate[] {
    return this.#tellOrHold(this.#calls.apply(entry), mayWait);
  }

  #tellOrHold({ isNew, isOpen, fields }: ToolCallChange, mayWait: boolean): readonly SessionUpdate[] {
    const members = { ...this.toolCall(fields), ...this.#meta(fields, fields.parent_tool_call_id) };
    if (isNew) {
      const { title = members.name || "Tool call", status = "pending" } = members;
      return [{ sessionUpdate: "tool_call", ...members, title, status }];
    }
    return mayWait && isOpen ? this.#changes.add(members) : this.#changes.tell(members);
  }

  /** Tells of the tool call that a permission is about, since some editors show only permissions of calls they know. */
  #announce(entry: Entry & PermissionEntry): readonly SessionUpdate[] {
    const { phase, tool_call: call, turn, agent_session: foreign } = entry;
    // The ids of a sub-agent's calls may be those of other calls here.
    if (phase !== "requested" || foreign !== undefined || !call || this.#calls.has(call.tool_call_id)) return [];
    return this.#callUpdates({ kind: "tool_call", ...call, ...(turn === undefined ? {} : { turn }) }, false);
  }

  #meta(value: object, parent: string | null | undefined): { readonly _meta?: Meta } {
    const meta = metaMember(value);
    if (!this.#options.showsIds || !parent) return meta;
    return { _meta: { ...meta._meta, agentd: { parentToolCallId: parent } } };
  }
}

interface Mapping {
  readonly isOwnPrompt: boolean;
  /** Whether changes of open tool calls may wait for later ones. */
  readonly mayWait?: boolean;
}

const replayed: Mapping = { isOwnPrompt: false, mayWait: true };

const alwaysReplayed: ReadonlySet<Entry["kind"]> = new Set(["turn", "tool_call", "terminal"]);
const replayedWhileRunning: ReadonlySet<Entry["kind"]> = new Set(["plan", "notice", "compaction", "permission"]);

function isFailed({ phase, stop_reason: reason }: TurnEntry): boolean {
  return phase === "ended" && (reason === "failed" || reason === "interrupted");
}

/** An entry of over 1 MiB that was not read whole: only that it is there. */
function truncatedUpdates({ seq, kind, bytes }: TruncatedEntry): readonly SessionUpdate[] {
  if (kind !== "message" && kind !== "tool_call" && kind !== "plan") return [];
  return [{ sessionUpdate: "session_info_update", _meta: { agentd: { truncated: { seq, kind, bytes } } } }];
}
