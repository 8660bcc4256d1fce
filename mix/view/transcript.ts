// SPDX-License-Identifier: MIT OR Apache-2.0
// Turns a session's entries into text for people, entry by entry. Does no I/O.
import type { Entry, MessageEntry, PlanEntry, StateEntry, TurnEntry } from "../../agentd/vocabulary/entries.ts";
import type { OutcomeError } from "../process/exit-codes.ts";
import { homePath } from "../process/home-path.ts";
import { formatDuration } from "../../display/units.ts";
import { type AskedEntry, OpenQuestions } from "../../agent-client/view/open-questions.ts";
import { type ClientSideRenderOptions, renderFileEntry, renderTerminalEntry } from "./client-side.ts";
import { contentToText } from "../../agent-client/view/content.ts";
import { renderElicitation, renderElicitationResolution } from "./elicitation.ts";
import { describeError } from "./log-entry.ts";
import { MarkdownStream } from "./markdown.ts";
import { PlainStream } from "./plain-stream.ts";
import { printable, printableLine } from "../../display/printable.ts";
import { describeCitizen, renderPermission, renderPermissionResolution } from "./permission.ts";
import { joined, type Paint, type Style, rich, type Text, wrapped } from "../../display/styled.ts";
import { subjectOf } from "../questions/subject.ts";
import { ToolCalls } from "./tool-calls.ts";

export interface TranscriptOptions {
  readonly style: Style;
  /** The screen's width; 0 means that nothing is wrapped or cut. */
  readonly columns: number;
  /** The home directory, on a terminal: written as `~`. */
  readonly home?: string;
  /** False for a person who has just typed the prompt. */
  readonly showPrompts: boolean;
  /** The session's directory, if known; paths below it are shown relative to it. */
  readonly directory?: string;
  /** The reader's own name on the Bus. */
  readonly self?: string | undefined;
  /** Whether a request is still open; without this function all are. */
  readonly isOpen?: (request: string) => boolean;
  /** Milliseconds since 1970. Without it, a question shows the time that was left when it was asked. */
  readonly now?: () => number;
}

/** Output of one section is written without empty lines between. */
type Section = "status" | "tools" | "plan" | "question" | `message ${string}`;

export class Transcript {
  readonly #options: TranscriptOptions;
  readonly #tools: ToolCalls;
  #section: Section | undefined;
  /** The message that is being written. */
  #stream: MarkdownStream | PlainStream | undefined;
  #isStreamEnded = true;
  #plan = new Map<string, string>();
  #optionValues: ReadonlyMap<string, string | boolean> | undefined;
  #startedTurn: { readonly turn: number; readonly at: number } | undefined;
  /** Whether a turn runs or is queued; undefined while no turn has been seen. */
  #isBusy: boolean | undefined;
  #shownStderrTail: string | undefined;
  #shownError: string | undefined;
  #openQuestions = new OpenQuestions();
  /** The prompts of queued turns. They are shown when their turn starts, or ends without a start. */
  readonly #queuedPrompts = new Map<number, MessageEntry[]>();

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.#tools = new ToolCalls(options);
    this.#tools.directory = options.directory;
  }

  /** The screen column of the next character. */
  get column(): number {
    return this.#stream?.column ?? 0;
  }

  /** Returns the text for an entry. `showsError` false omits the error of a turn or session that ends. */
  show(entry: Entry, showsError = true): Text {
    const due = this.showHeld(Date.parse(entry.at) - headlineMs);
    return rich`${due}${this.#show(entry, showsError)}`;
  }

  #show(entry: Entry, showsError: boolean): Text {
    const { style } = this.#options;
    switch (entry.kind) {
      case "message": {
        const queued = entry.role === "user" ? this.#queuedPrompts.get(entry.turn ?? 0) : undefined;
        queued?.push(entry);
        return queued === undefined ? this.#renderMessage(entry) : "";
      }
      case "tool_call":
        this.#openQuestions = this.#openQuestions.apply(entry);
        return this.#renderTools(this.#tools.update(entry, Date.parse(entry.at), this.#section === "tools"));
      case "plan":
        return this.#renderSection("plan", this.#renderPlan(entry));
      case "permission":
      case "elicitation":
        if (entry.phase === "requested") return this.ask(entry);
        if (entry.phase === "changed") return this.#renderChangedQuestion(entry);
        return entry.phase === "resolved" ? this.resolve(entry, this.#openQuestions.get(entry.request), "") : "";
      case "turn": {
        const neverBegan = entry.phase === "ended" && this.#queuedPrompts.has(entry.turn);
        const prompt = this.#renderQueuedPrompt(entry);
        const lines = this.#renderTurn(entry, neverBegan, showsError ? this.#errorOnce(entry.error) : "");
        return rich`${prompt}${this.#renderSection("status", lines)}`;
      }
      case "state":
        if (entry.cwd !== undefined) this.#tools.directory = entry.cwd;
        return this.#renderSection("status", this.#renderState(entry, showsError ? this.#errorOnce(entry.error) : ""));
      case "options":
        return this.#renderSection("status", this.#renderOptionChanges(entry.options));
      case "notice":
        return this.#renderStatus(style.warn(`! ${joinTitle(entry.title, entry.description)}`));
      case "compaction":
        return this.#renderStatus(style.faint(`… the agent is compacting its context${parenthesize(entry.status)}`));
      case "diagnostic":
        if (entry.what === "model-silent") return this.#renderStatus(style.warn(`… ${printableLine(entry.message)}`));
        return this.#renderStatus(style.faint(`· ${printableLine(`${entry.what}: ${entry.message}`)}`));
      case "file":
        return this.#renderSection("tools", renderFileEntry(entry, this.#clientSideOptions()));
      case "terminal":
        return this.#renderSection("tools", renderTerminalEntry(entry, this.#clientSideOptions()));
      case "command":
        // It found nothing to cancel.
        if (entry.verb !== "agent.session.cancel" || this.#isBusy === false) return "";
        return this.#renderStatus(style.warn(`■ cancel requested${describeActor(entry.by, this.#options.self)}`));
      case "reply":
      case "commands":
      case "info":
      case "usage":
      case "extension":
        return "";
    }
  }

  /** Returns the text of a question, even if it was shown before. */
  ask(asked: AskedEntry): Text {
    const { style, isOpen, now } = this.#options;
    this.#openQuestions = this.#openQuestions.apply(asked);
    const open = isOpen?.(asked.request) ?? true;
    if (asked.kind === "permission") this.#tools.learnTitle(asked);
    const held = this.showHeld();
    const question = { ...asked, ...(now === undefined ? {} : { now: new Date(now()).toISOString() }) };
    if (question.kind === "elicitation")
      return rich`${held}${this.#renderSection("question", renderElicitation(question, style, open))}`;
    const isBelowDiff =
      this.#section === "tools" && question.tool_call !== undefined && this.#tools.hasJustShown(question.tool_call);
    if (question.tool_call !== undefined && question.agent_session === undefined)
      this.#tools.noteShown(question.tool_call);
    const { directory } = this.#tools;
    const options = { ...this.#options, directory, isOpen: open, isBelowDiff };
    return rich`${held}${this.#renderSection("question", renderPermission(question, options))}`;
  }

  /** Returns the line that tells how a question ended. `count` is its number, such as ` (1 of 2)`. */
  resolve(entry: AskedEntry, asked: AskedEntry | undefined, count: string): Text {
    const { style, columns, self } = this.#options;
    this.#openQuestions = this.#openQuestions.apply(entry);
    const room = Math.max(subjectColumnsMin, (columns || subjectColumnsUncut) - subjectRestColumns);
    const about = asked && `${subjectOf(asked, room)}${count}`;
    if (entry.kind === "elicitation")
      return this.#renderSection("question", [renderElicitationResolution(entry, style, about, self)]);
    const resolved = asked?.kind === "permission" && about !== undefined ? { asked, about } : undefined;
    return this.#renderSection("question", [renderPermissionResolution(entry, style, resolved, self)]);
  }

  /** Whether this error was shown, with the end of its turn. */
  hasShown(error: OutcomeError | undefined): boolean {
    return error !== undefined && describeError(error) === this.#shownError;
  }

  /** Returns what is held back of a message, to be shown while nothing comes. Later text replaces it. */
  flush(): Text {
    return this.#isStreamEnded ? "" : (this.#stream?.flush() ?? "");
  }

  /** When the oldest tool call began whose headline is held back, in milliseconds. */
  get heldSince(): number | undefined {
    return this.#tools.heldSince;
  }

  /** Returns the headlines that are held back of tool calls that began at `until` or before, by default all. */
  showHeld(until?: number): Text {
    return this.#renderTools(this.#tools.takeHeld(until, this.#section === "tools"));
  }

  /** Returns everything that is held back, and ends the last row. */
  end(): Text {
    return rich`${this.showHeld()}${this.endRow()}`;
  }

  /** Ends the last row. The message may go on in the next one. */
  endRow(): Text {
    if (this.#isStreamEnded) return "";
    this.#isStreamEnded = true;
    return this.#stream?.end() ?? "";
  }

  #clientSideOptions(): ClientSideRenderOptions {
    return { ...this.#options, directory: this.#tools.directory };
  }

  #renderMessage(entry: MessageEntry): Text {
    if (entry.role === "user" && !this.#options.showPrompts) return "";
    const parent = entry.parent_tool_call_id;
    const section: Section = `message ${entry.role} ${entry.message_id} ${parent ?? ""}`;
    const held = this.showHeld();
    let before: Text = "";
    if (this.#section !== section || this.#stream === undefined) {
      before = this.#openSection(section);
      this.#stream = this.#openStream(entry.role, parent !== undefined);
    }
    this.#isStreamEnded = false;
    return rich`${held}${before}${this.#stream.write(contentToText(entry.content))}`;
  }

  #renderQueuedPrompt({ turn, phase }: TurnEntry): Text {
    if (phase === "queued") {
      if (!this.#queuedPrompts.has(turn)) this.#queuedPrompts.set(turn, []);
      return "";
    }
    const messages = this.#queuedPrompts.get(turn) ?? [];
    this.#queuedPrompts.delete(turn);
    return joined(messages.map((message) => this.#renderMessage(message)));
  }

  #openStream(role: MessageEntry["role"], isOfSubAgent: boolean): MarkdownStream | PlainStream {
    const { columns, style } = this.#options;
    const [mark, paint] = isOfSubAgent ? (["  ↳ ", style.faint] as const) : messageLooks(role, style);
    const indent = " ".repeat(mark.length);
    if (columns === 0) return new PlainStream(mark === "" ? "" : paint(mark), indent, paint);
    const looks = mark === "" ? {} : { first: { text: mark, paint }, further: indent, paint };
    return new MarkdownStream({ style, columns, isLiteral: role === "user", ...looks });
  }

  #renderSection(section: Section, lines: readonly Text[]): Text {
    return lines.length === 0 ? "" : rich`${this.showHeld()}${this.#renderRows(section, lines)}`;
  }

  /** Headlines of other tool calls stay held back. */
  #renderTools(lines: readonly Text[]): Text {
    return lines.length === 0 ? "" : this.#renderRows("tools", lines);
  }

  #renderRows(section: Section, lines: readonly Text[]): Text {
    const rows = lines.map((line) => wrapped(line, this.#options.columns, 2));
    return rich`${this.#openSection(section)}${joined(rows, "\n")}\n`;
  }

  #renderStatus(line: Text): Text {
    return this.#renderSection("status", [line]);
  }

  #openSection(section: Section): Text {
    const ended = this.endRow();
    const apart = this.#section !== undefined && this.#section !== section;
    // A single empty line separates sections, even if the text before ended with one.
    const isEmptyBefore = this.#stream instanceof PlainStream && this.#stream.endsWithEmptyLine;
    this.#section = section;
    this.#stream = undefined;
    this.#isStreamEnded = true;
    return rich`${ended}${apart && !isEmptyBefore ? "\n" : ""}`;
  }

  /** Renders the whole plan at first in each turn, then only the steps that changed. */
  #renderPlan({ entries }: PlanEntry): Text[] {
    const { style } = this.#options;
    const known = this.#plan;
    const changed = entries.filter(({ content, status }) => known.get(content) !== status);
    this.#plan = new Map(entries.map(({ content, status }) => [content, status]));
    const lines = changed.map(({ content, status }) => {
      const line = `  ${planMarks[status] ?? "☐"} ${printableLine(content)}`;
      return status === "completed" ? style.faint(line) : line;
    });
    return known.size === 0 && lines.length > 0 ? [style.strong("plan"), ...lines] : lines;
  }

  #renderTurn(entry: TurnEntry & { readonly at: string }, neverBegan: boolean, errorText: string): Text[] {
    const { style } = this.#options;
    const { at } = entry;
    if (entry.phase === "started") {
      this.#startedTurn = { turn: entry.turn, at: Date.parse(at) };
      this.#plan = new Map();
    }
    // The turn that has taken a steered prompt in goes on.
    this.#isBusy = entry.phase !== "ended" || entry.stop_reason === "steered" || this.#queuedPrompts.size > 0;
    if (entry.phase === "queued" && (entry.steering === "promptRequired" || entry.steering === "failed"))
      return [style.faint(`· turn ${entry.turn} waits: no running turn has taken it in`)];
    if (entry.phase !== "ended") return [];
    if (entry.stop_reason === "steered") {
      const where =
        entry.into === undefined ? "the agent has begun a turn of its own with it" : `into turn ${entry.into}`;
      return [style.faint(`↳ turn ${entry.turn}: ${where}`)];
    }
    const started = this.#startedTurn?.turn === entry.turn ? this.#startedTurn.at : undefined;
    const took = started === undefined ? "" : ` in ${formatDuration(Date.parse(at) - started)}`;
    if (entry.stop_reason === "end_turn") return [style.good(`✔ turn ${entry.turn} done${took}`)];
    const how = `${printableLine(entry.stop_reason ?? "ended")}${entry.forced === true ? " (forced)" : ""}`;
    const when = neverBegan ? " before it began" : took;
    return [style.warn(`■ turn ${entry.turn} ${how}${when}${errorText}`), ...this.#renderStderr(entry.error)];
  }

  #renderState(entry: StateEntry, errorText: string): Text[] {
    const { style, home = "" } = this.#options;
    const { directory } = this.#tools;
    const info = entry.agent_info;
    const place = directory === undefined ? "" : ` in ${printableLine(homePath(directory, { home }))}`;
    const up =
      info === undefined || info === null
        ? []
        : [style.faint(`● ${printableLine(info.title ?? info.name)} ${printableLine(info.version)} is ready${place}`)];
    switch (entry.state) {
      case "failed":
      case "lost":
        return [
          style.error(`✘ session ${entry.state}${parenthesize(entry.reason)}${errorText}`),
          ...this.#renderStderr(entry.error),
        ];
      case "closed":
        return [
          style.faint(`● session closed${entry.reason === "asked" ? "" : parenthesize(entry.reason)}${errorText}`),
        ];
      case "running":
        if (entry.reason !== "draining") return up;
        return [style.faint("… waiting for the agent to end the cancelled turn")];
      case "starting":
        if (entry.reason === undefined) return up;
        return [style.warn(`… the agent was stopped and its session is being resumed${parenthesize(entry.reason)}`)];
      case "idle":
      case "waiting":
        return up;
      case "closing":
        return entry.error === undefined
          ? up
          : [style.faint(`… ${printableLine(entry.reason ?? "failed")}: ending the session`)];
    }
  }

  /** A turn's end and the session's end after it carry the same error. */
  #errorOnce(error: StateEntry["error"]): string {
    if (error === undefined || this.hasShown(error)) return "";
    this.#shownError = describeError(error);
    return `: ${printableLine(this.#shownError)}`;
  }

  /** Renders the end of the agent's stderr once: a turn's end and the state after it carry the same text. */
  #renderStderr(error: StateEntry["error"]): Text[] {
    const tail = error?.["stderr_tail"];
    if (typeof tail !== "string" || tail.trim() === "" || tail === this.#shownStderrTail) return [];
    this.#shownStderrTail = tail;
    return printable(tail)
      .trimEnd()
      .split("\n")
      .slice(-stderrLinesMax)
      .map((line) => this.#options.style.faint(`  ${line}`));
  }

  /** Shows the whole question again, so that nobody answers its former version. */
  #renderChangedQuestion(entry: AskedEntry): Text {
    this.#openQuestions = this.#openQuestions.apply(entry);
    const asked = this.#openQuestions.get(entry.request);
    return asked === undefined ? "" : this.ask(asked);
  }

  #renderOptionChanges(
    options: readonly { readonly option: string; readonly name: string; readonly value: string | boolean }[],
  ): Text[] {
    const known = this.#optionValues;
    this.#optionValues = new Map(options.map(({ option, value }) => [option, value]));
    if (known === undefined) return [];
    return options
      .filter(({ option, value }) => known.has(option) && known.get(option) !== value)
      .map(({ name, value }) => this.#options.style.faint(`○ ${printableLine(name)}: ${printableLine(String(value))}`));
  }
}

/** Returns the mark before a thought or a prompt, and its paint. Further lines are indented by the mark's width. */
function messageLooks(role: MessageEntry["role"], style: Style): readonly [string, Paint] {
  if (role === "thought") return ["✻ ", style.faint];
  return role === "user" ? ["> ", style.strong] : ["", (text) => joined([text])];
}

const planMarks: Readonly<Record<string, string>> = { pending: "☐", in_progress: "▸", completed: "✔", cancelled: "✘" };

/** A tool call is shown after so long, whether or not the agent has sent its true title. */
export const headlineMs = 1_000;

const stderrLinesMax = 10;
/** Columns in a resolution's line: the least for its subject, and those for the rest of the line. */
const subjectColumnsMin = 20;
const subjectRestColumns = 40;
const subjectColumnsUncut = 10_000;

function joinTitle(title: string, description: string | null | undefined): string {
  return printableLine(description === undefined || description === null ? title : `${title}: ${description}`);
}

function parenthesize(text: string | undefined): string {
  return text === undefined ? "" : ` (${printableLine(text)})`;
}

function describeActor(name: string | null, self: string | undefined): string {
  return name === null ? "" : ` by ${describeCitizen(name, self)}`;
}
