// SPDX-License-Identifier: MIT OR Apache-2.0
// The log for people: one row for each thing. The chunks of a message are one row, and so are a command and its reply, a
// tool call, a question and its answer. Does no I/O.
import type { Entry, MessageEntry, PermissionEntry, PlanEntry, StateEntry } from "../../agentd/vocabulary/entries.ts";
import { contentToText } from "../../agent-client/view/content.ts";
import { foldToolCall } from "../../agent-client/view/tool-call.ts";
import { printable, printableLine } from "../../display/printable.ts";
import { joined, type Style, type Text } from "../../display/styled.ts";
import { describeContext, describeEntry, type LogText } from "./log-entry.ts";
import {
  describeThing,
  isBeginning,
  isOfThing,
  joinThing,
  type Thing,
  type ThingEntry,
  thingOf,
  toolThing,
} from "./log-thing.ts";
import { RowWriter } from "./log-row-writer.ts";
import type { Screen } from "./tool-calls.ts";
import { formatDuration } from "../../display/units.ts";

export interface LogRowsOptions extends Screen {
  /** Columns of the entries' numbers. */
  readonly seqColumns: number;
  /** The session's directory, if known; paths below it are shown relative to it. */
  readonly directory?: string;
  /** Kinds that were asked for by name. Each of their entries has a row, also where others say the same. */
  readonly kinds?: readonly string[] | undefined;
}

interface Row {
  readonly seq: number;
  readonly at: string;
  /** The kind of its entries; of a message, who said it. */
  readonly name: string;
  /** Of a message: what is not written yet. */
  said: LogText;
  /** A later entry may still change it. */
  isOpen: boolean;
  /** Identifies a message, which grows as long as it is the last row. */
  readonly message: string | undefined;
  /** It may have begun before the first entry that was read. */
  readonly isPartial: boolean;
  /** It arrived after its turn had ended. */
  readonly isLate: boolean;
  isWritten: boolean;
}

export class LogRows {
  readonly #kinds: LogRowsOptions["kinds"];
  readonly #writer: RowWriter;
  #directory: string | undefined;
  /** Rows to write, oldest first. A message stays the first one while it grows. */
  readonly #waiting: Row[] = [];
  /** Units of the texts that wait. */
  #units = 0;
  readonly #things = new Map<string, { readonly thing: Thing; readonly row: Row }>();
  #count = 0;
  #dropped = 0;
  /** What is shown only when it changes. */
  #plan: ReadonlyMap<string, string> = new Map();
  readonly #known = new Map<string, string>();
  /** How full the context is, until a turn's end has said so. */
  #context = "";
  #turnStartedAt: number | undefined;

  constructor(options: LogRowsOptions) {
    this.#kinds = options.kinds;
    this.#directory = options.directory;
    this.#writer = new RowWriter(options);
  }

  add(entry: Entry): void {
    if (entry.kind === "state" && entry.cwd !== undefined) this.#directory = entry.cwd;
    if (entry.kind === "permission" && entry.phase === "requested") this.#learnTitle(entry);
    if (entry.kind === "message") this.#addMessage(entry);
    else if (isOfThing(entry)) this.#addToThing(entry);
    else {
      const said = this.#describe(entry);
      if (said !== undefined) this.#push(entry, { said });
    }
  }

  /** Drops all but the last rows. */
  keepLast(count: number): void {
    for (const row of this.#waiting.splice(0, Math.max(0, this.#waiting.length - count))) {
      this.#units -= row.said.text.length;
      this.#dropped += 1;
      // If its thing ends later, that is a row of its own.
      row.isWritten = true;
    }
  }

  /** Whether rows were dropped, and each one left was read from its beginning. */
  get hasTail(): boolean {
    return this.#dropped > 0 && !this.#waiting.some(({ isPartial }) => isPartial);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /**
   * Returns the rows that no later entry changes. With `all` the others too, as they are now: the end of such a thing will
   * be another row. Only a write that has begun is waited for, as its end follows at once; `isLast` takes it as well.
   */
  take(all = false, isLast = false): Text {
    const texts: Text[] = [];
    const isFull = (): boolean => this.#waiting.length > waitingMax || this.#units > unitsMax;
    for (let [row] = this.#waiting; row !== undefined; [row] = this.#waiting) {
      const isDue = all && (isLast || row.name !== "file");
      if (row.isOpen && !isDue && !isFull()) break;
      texts.push(this.#write(row));
      if (row.message !== undefined && this.#waiting.length === 1) break;
      texts.push(this.#writer.end());
      this.#waiting.shift();
    }
    return joined(texts);
  }

  /** Returns the word that is held back for wrapping. */
  takeWord(): Text {
    return this.#writer.flush();
  }

  /** Returns what is left, and ends the last row. */
  end(): Text {
    const rest = this.take(true, true);
    this.#waiting.length = 0;
    return joined([rest, this.#writer.end()]);
  }

  #addMessage(entry: Entry & MessageEntry): void {
    const { role, message_id, append, content } = entry;
    const message = `${role} ${message_id}`;
    const text = printable(contentToText(content));
    const last = this.#waiting.at(-1);
    if (append !== true || last?.message !== message) {
      const isPartial = append === true && this.#count === 0;
      this.#push(entry, { said: { ...messageTones[role], text }, message, name: role, isPartial });
      return;
    }
    last.said = { ...last.said, text: last.said.text + text };
    this.#units += text.length;
  }

  #addToThing(entry: ThingEntry): void {
    const key = thingOf(entry);
    const known = this.#things.get(key);
    const thing = joinThing(known?.thing, entry);
    const isNew = thing.began === entry;
    const said = describeThing(thing, this.#directory);
    const isOpen = thing.ended === undefined;
    let row = isNew ? undefined : known?.row;
    if (row === undefined) row = this.#push(entry, { said, isOpen, isPartial: !isBeginning(entry) });
    else if (!row.isWritten) this.#change(row, said, isOpen);
    else if (!isOpen && printableLine(said.text) !== row.said.text) row = this.#push(entry, { said });
    this.#things.delete(key);
    this.#things.set(key, { thing, row });
    const [oldest] = this.#things.keys();
    if (this.#things.size > thingsMax && oldest !== undefined) this.#things.delete(oldest);
  }

  /** A permission request may be the first to tell the true title of its tool call. */
  #learnTitle(asked: Entry & PermissionEntry): void {
    const id = asked.agent_session === undefined ? asked.tool_call?.tool_call_id : undefined;
    const known = id === undefined ? undefined : this.#things.get(toolThing(id));
    if (known?.thing.call === undefined || known.row.isWritten) return;
    const { title, tool_kind } = foldToolCall(known.thing.call, asked);
    const thing = { ...known.thing, call: { ...known.thing.call, title, tool_kind } };
    this.#things.set(toolThing(thing.call.tool_call_id), { ...known, thing });
    this.#change(known.row, describeThing(thing, this.#directory), known.row.isOpen);
  }

  #change(row: Row, said: LogText, isOpen: boolean): void {
    this.#units -= row.said.text.length;
    row.said = { ...said, text: printableLine(said.text) };
    row.isOpen = isOpen;
    this.#units += row.said.text.length;
  }

  #push(
    entry: Entry,
    { said, name = entry.kind, isOpen = false, isPartial = false, message }: Partial<Row> & Pick<Row, "said">,
  ): Row {
    const { seq, at } = entry;
    const text = message !== undefined || entry.kind === "plan" ? said.text : printableLine(said.text);
    const state = { isOpen, isPartial, isLate: entry.late === true, isWritten: false };
    const row: Row = { seq, at, name, message, said: { ...said, text }, ...state };
    this.#waiting.push(row);
    this.#units += text.length;
    this.#count += 1;
    return row;
  }

  #write(row: Row): Text {
    const { text, tone, label } = row.said;
    const head = row.isWritten ? "" : this.#writer.begin(row, row.name, label);
    const late = row.isLate && !row.isWritten ? "(late) " : "";
    row.isWritten = true;
    this.#units -= text.length;
    if (row.message !== undefined) row.said = { ...row.said, text: "" };
    return joined([head, this.#writer.text(`${late}${text}`, tone)]);
  }

  /** Returns undefined where the entry says nothing new, or nothing that other rows do not say. */
  #describe(entry: Exclude<Entry, ThingEntry | MessageEntry>): LogText | undefined {
    const isWanted = this.#kinds?.includes(entry.kind) === true;
    switch (entry.kind) {
      case "plan":
        return this.#describePlan(entry);
      case "options": {
        const options = entry.options.filter(({ option, value }) => this.#learn(`option ${option}`, String(value)));
        return options.length === 0 ? undefined : describeEntry({ ...entry, options });
      }
      case "commands":
        return this.#learn("commands", JSON.stringify(entry.commands)) ? describeEntry(entry) : undefined;
      case "info": {
        const isNew = entry.title !== undefined && this.#learn("title", entry.title ?? "");
        return isNew || isWanted ? describeEntry(entry) : undefined;
      }
      case "usage":
        this.#context = describeContext(entry);
        return isWanted ? describeEntry(entry) : undefined;
      case "state":
        return isWanted || saysMore(entry) ? describeEntry(entry) : undefined;
      case "turn": {
        const said = describeEntry(entry);
        if (entry.phase === "started") this.#turnStartedAt = Date.parse(entry.at);
        if (entry.phase !== "ended") return said;
        const started = this.#turnStartedAt;
        const took = started === undefined ? "" : ` after ${formatDuration(Date.parse(entry.at) - started)}`;
        const context = this.#context === "" ? "" : ` · context ${this.#context}`;
        [this.#turnStartedAt, this.#context] = [undefined, ""];
        return { ...said, text: `${said.text}${took}${context}` };
      }
      case "notice":
      case "extension":
      case "diagnostic":
      default:
        return describeEntry(entry);
    }
  }

  /** The whole plan at first, then only the steps that changed. */
  #describePlan({ entries }: PlanEntry): LogText | undefined {
    const known = this.#plan;
    this.#plan = new Map(entries.map(({ content, status }) => [content, status]));
    const steps = entries.filter(({ content, status }) => known.get(content) !== status);
    const lines = steps.map(({ content, status }) => printableLine(`${status}: ${content}`));
    return lines.length === 0 ? undefined : { text: lines.join("\n"), label: "faint" };
  }

  /** Whether the value is a new one. */
  #learn(name: string, value: string): boolean {
    const isNew = this.#known.get(name) !== value;
    this.#known.set(name, value);
    return isNew;
  }
}

/** Rows behind an open one are written without its end from here on, so that little has to be kept. */
const waitingMax = 500;
const unitsMax = 1024 * 1024;
const thingsMax = 1_000;

const messageTones: Readonly<Record<MessageEntry["role"], Omit<LogText, "text">>> = {
  user: { label: "strong", tone: "strong" },
  agent: {},
  thought: { label: "faint", tone: "faint" } satisfies { label: keyof Style; tone: keyof Style },
};

/** Turns and questions say that a session is running, idle or waiting. */
function saysMore({ state, reason, error, resumed, agent, agent_info: info }: StateEntry): boolean {
  const isPlain = state === "starting" || state === "running" || state === "idle" || state === "waiting";
  return !isPlain || [reason, error, resumed, agent, info].some((member) => member !== undefined && member !== null);
}
