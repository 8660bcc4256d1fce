// SPDX-License-Identifier: MIT OR Apache-2.0
// A session's entries as people read them: what is to be written next for each entry. No input or output of its own.
import type {
  ElicitationEntry,
  Entry,
  MessageEntry,
  PermissionEntry,
  PlanEntry,
  StateEntry,
  TurnEntry,
} from "../../agentd/vocabulary/entries.ts";
import { tookOf } from "../duration.ts";
import { CallFold } from "./call-fold.ts";
import { type ClientSideView, fileLines, terminalLines } from "./client-side.ts";
import { contentText } from "./content.ts";
import { elicitationLines, elicitationResolution } from "./elicitation.ts";
import { printable, printableLine } from "./printable.ts";
import { questionLines, resolutionLine } from "./question.ts";
import type { Style } from "./style.ts";
import { ToolCalls } from "./tool-calls.ts";
import { WordWrap } from "./word-wrap.ts";

export interface TranscriptOptions {
  readonly style: Style;
  /** Of the screen; 0: nothing is wrapped or cut. */
  readonly columns: number;
  /** Whoever typed the prompt need not read it again. */
  readonly showPrompts: boolean;
  /** The session's, where it is known: paths below it are shown without it. */
  readonly directory?: string;
  /** Whether a question that was asked still is; without it each one is. */
  readonly isOpen?: (request: string) => boolean;
  /** Milliseconds since 1970, for how much is left of a question's time; without it, as it was asked. */
  readonly now?: () => number;
}

/** What stands together without an empty line between. */
type Section = "words" | "tools" | "plan" | "question" | `message ${string}`;

export class Transcript {
  readonly #options: TranscriptOptions;
  readonly #tools: ToolCalls;
  #section: Section | undefined;
  #stream: { readonly wrap: WordWrap; readonly role: MessageEntry["role"] } | undefined;
  /** The last two characters that were written. */
  #tail = "\n\n";
  #plan = new Map<string, string>();
  #optionValues: ReadonlyMap<string, string | boolean> | undefined;
  #turnStartedAt: number | undefined;
  /** Open permissions, with their tool calls as they are by now. */
  readonly #asked = new Map<string, { readonly entry: PermissionEntry; readonly call: CallFold }>();
  /** That was shown last. */
  #stderrTail: string | undefined;

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.#tools = new ToolCalls(options);
    this.#tools.directory = options.directory;
  }

  /** Whether the next character would stand at the beginning of a line. */
  get atLineStart(): boolean {
    return this.#tail.endsWith("\n");
  }

  /** The column of the screen at which the next character would stand. */
  get column(): number {
    if (this.#options.columns === 0 || this.#stream === undefined) return 0;
    return this.#stream.wrap.column + markColumnsOf(this.#stream.role);
  }

  /** `saysWhy` false: the error of a turn or a session that ends here is told elsewhere. */
  show(entry: Entry, saysWhy = true): string {
    const written = this.#shown(entry, saysWhy);
    this.#tail = (this.#tail + written).slice(-2);
    return written;
  }

  /** What is still held back; the last line is ended. */
  end(): string {
    const written = this.#endStream();
    this.#tail = (this.#tail + written).slice(-2);
    return written;
  }

  #shown(entry: Entry, saysWhy: boolean): string {
    switch (entry.kind) {
      case "message":
        return this.#message(entry);
      case "tool_call":
        for (const { entry: asked, call } of this.#asked.values()) {
          if (asked.agent_session === undefined && call.fields.tool_call_id === entry.tool_call_id) call.see(entry);
        }
        return this.#lines("tools", this.#tools.update(entry));
      case "plan":
        return this.#lines("plan", this.#planLines(entry));
      case "permission":
      case "elicitation":
        return this.#lines("question", this.#questionLines(entry));
      case "turn":
        return this.#lines("words", this.#turnLines(entry, saysWhy ? errorWords(entry.error) : ""));
      case "state":
        if (entry.cwd !== undefined) this.#tools.directory = entry.cwd;
        return this.#lines("words", this.#stateLines(entry, saysWhy ? errorWords(entry.error) : ""));
      case "options":
        return this.#lines("words", this.#optionLines(entry.options));
      case "notice":
        return this.#lines("words", [this.#options.style.yellow(`! ${sentence(entry.title, entry.description)}`)]);
      case "compaction":
        return this.#lines("words", [
          this.#options.style.dim(`… the agent compacts its context${suffix(entry.status)}`),
        ]);
      case "diagnostic":
        return this.#lines("words", [this.#options.style.dim(`· ${printableLine(`${entry.what}: ${entry.message}`)}`)]);
      case "file":
        return this.#lines("tools", fileLines(entry, this.#clientSideView()));
      case "terminal":
        return this.#lines("tools", terminalLines(entry, this.#clientSideView()));
      case "command":
        if (entry.verb !== "agent.session.cancel") return "";
        return this.#lines("words", [this.#options.style.yellow(`■ cancel asked${by(entry.by)}`)]);
      case "reply":
      case "commands":
      case "info":
      case "usage":
      case "extension":
        return "";
    }
  }

  #clientSideView(): ClientSideView {
    return { ...this.#options, directory: this.#tools.directory };
  }

  #message(entry: MessageEntry): string {
    if (entry.role === "user" && !this.#options.showPrompts) return "";
    const section: Section = `message ${entry.role} ${entry.message_id}`;
    let written = "";
    if (this.#section !== section || this.#stream === undefined) {
      written = this.#open(section);
      const { columns, style } = this.#options;
      const room = columns === 0 ? 0 : columns - markColumnsOf(entry.role);
      this.#stream = { wrap: new WordWrap(room), role: entry.role };
      if (entry.role === "thought") written += style.dim("✻ ");
      if (entry.role === "user") written += style.bold("> ");
    }
    return written + this.#styled(this.#stream.role, this.#stream.wrap.write(printable(contentText(entry.content))));
  }

  // A thought's and a prompt's further lines stand under their first one, behind its mark.
  #styled(role: MessageEntry["role"], text: string): string {
    if (role === "agent" || text === "") return text;
    const indented = text.replaceAll("\n", "\n  ");
    return role === "thought" ? this.#options.style.dim(indented) : this.#options.style.bold(indented);
  }

  #lines(section: Section, lines: readonly string[]): string {
    if (lines.length === 0) return "";
    return `${this.#open(section)}${lines.join("\n")}\n`;
  }

  #open(section: Section): string {
    const ended = this.#endStream();
    const apart = this.#section !== undefined && this.#section !== section;
    this.#section = section;
    // One empty line between sections, also where a text brought its own.
    return `${ended}${apart && !(this.#tail + ended).endsWith("\n\n") ? "\n" : ""}`;
  }

  #endStream(): string {
    if (this.#stream === undefined) return "";
    const rest = this.#styled(this.#stream.role, this.#stream.wrap.flush());
    this.#stream = undefined;
    return rest === "" && this.atLineStart ? "" : `${rest}\n`;
  }

  /** The whole plan at first, then the steps that changed. */
  #planLines({ entries }: PlanEntry): string[] {
    const { style } = this.#options;
    const known = this.#plan;
    const changed = entries.filter(({ content, status }) => known.get(content) !== status);
    this.#plan = new Map(entries.map(({ content, status }) => [content, status]));
    const lines = changed.map(({ content, status }) => {
      const line = `  ${planMarks[status] ?? "☐"} ${printableLine(content)}`;
      return status === "completed" ? style.dim(line) : line;
    });
    return known.size === 0 && lines.length > 0 ? [style.bold("plan"), ...lines] : lines;
  }

  #turnLines(entry: TurnEntry & { readonly at: string }, why: string): string[] {
    const { style } = this.#options;
    const { at } = entry;
    if (entry.phase === "started") this.#turnStartedAt = Date.parse(at);
    if (entry.phase === "started") return [];
    // Whoever sent it was told by the reply.
    if (entry.phase === "queued") return this.#options.showPrompts ? [style.dim(`turn ${entry.turn} is queued`)] : [];
    const started = this.#turnStartedAt;
    const took = started === undefined ? "" : ` in ${tookOf(Date.parse(at) - started)}`;
    this.#turnStartedAt = undefined;
    if (entry.stop_reason === "end_turn") return [style.green(`✔ turn ${entry.turn} done${took}`)];
    const how = `${printableLine(entry.stop_reason ?? "ended")}${entry.forced === true ? " (forced)" : ""}`;
    return [style.yellow(`■ turn ${entry.turn} ${how}${took}${why}`), ...this.#stderrLines(entry.error)];
  }

  #stateLines(entry: StateEntry, why: string): string[] {
    const { style } = this.#options;
    const { directory } = this.#tools;
    const info = entry.agent_info;
    const place = directory === undefined ? "" : ` in ${printableLine(directory)}`;
    const up =
      info === undefined || info === null
        ? []
        : [style.dim(`● ${printableLine(info.title ?? info.name)} ${printableLine(info.version)} is ready${place}`)];
    switch (entry.state) {
      case "failed":
      case "lost":
        return [style.red(`✘ session ${entry.state}${suffix(entry.reason)}${why}`), ...this.#stderrLines(entry.error)];
      case "closed":
        return [style.dim(`● session closed${entry.reason === "asked" ? "" : suffix(entry.reason)}${why}`)];
      case "running":
        if (entry.reason !== "draining") return up;
        return [style.dim("… waiting for the agent to let go of the cancelled turn")];
      case "starting":
      case "idle":
      case "waiting":
      case "closing":
        return up;
    }
  }

  /** What the agent said last; the state that follows a turn's end has the same words. */
  #stderrLines(error: StateEntry["error"]): string[] {
    const tail = error?.["stderr_tail"];
    if (typeof tail !== "string" || tail.trim() === "" || tail === this.#stderrTail) return [];
    this.#stderrTail = tail;
    return printable(tail)
      .trimEnd()
      .split("\n")
      .slice(-stderrLinesMax)
      .map((line) => this.#options.style.dim(`  ${line}`));
  }

  #questionLines(entry: PermissionEntry | ElicitationEntry): string[] {
    const { style, isOpen, now } = this.#options;
    if (entry.phase === "changed") return this.#changedLines(entry);
    if (entry.phase === "requested") {
      const open = isOpen?.(entry.request) ?? true;
      if (entry.kind === "permission" && entry.tool_call !== undefined && open) {
        this.#asked.set(entry.request, { entry, call: new CallFold(entry.tool_call) });
      }
      const asked = now === undefined ? {} : { now: new Date(now()).toISOString() };
      if (entry.kind === "elicitation") return elicitationLines({ ...entry, ...asked }, style, open);
      const isBelowDiff =
        this.#section === "tools" && entry.tool_call !== undefined && this.#tools.hasJustShown(entry.tool_call);
      return questionLines({ ...entry, ...asked }, { ...this.#options, isOpen: open, isBelowDiff });
    }
    if (entry.phase !== "resolved") return [];
    this.#asked.delete(entry.request);
    return [entry.kind === "permission" ? resolutionLine(entry, style) : elicitationResolution(entry, style)];
  }

  /** The whole question again, as it is now: whoever has read it before would answer something else. */
  #changedLines({ request, changed = [] }: PermissionEntry): string[] {
    const asked = this.#asked.get(request);
    if (asked === undefined) return [];
    const { fields } = asked.call;
    const missing = (asked.entry.left_out ?? []).filter((name) => !Object.hasOwn(fields, name));
    const now = { ...asked.entry, tool_call: fields, changed, left_out: missing };
    return questionLines(now, { ...this.#options, isOpen: this.#options.isOpen?.(request) ?? true });
  }

  #optionLines(
    options: readonly { readonly option: string; readonly name: string; readonly value: string | boolean }[],
  ): string[] {
    const known = this.#optionValues;
    this.#optionValues = new Map(options.map(({ option, value }) => [option, value]));
    if (known === undefined) return [];
    return options
      .filter(({ option, value }) => known.has(option) && known.get(option) !== value)
      .map(({ name, value }) => this.#options.style.dim(`○ ${printableLine(name)}: ${printableLine(String(value))}`));
  }
}

/** Of a thought and a prompt each line stands behind a mark. */
function markColumnsOf(role: MessageEntry["role"]): number {
  return role === "agent" ? 0 : 2;
}

const planMarks: Readonly<Record<string, string>> = { pending: "☐", in_progress: "▸", completed: "✔", cancelled: "✘" };

function errorWords(error: StateEntry["error"]): string {
  return error === undefined ? "" : `: ${printableLine(`${error.error_code}: ${error.message}`)}`;
}

const stderrLinesMax = 10;

function sentence(title: string, description: string | null | undefined): string {
  return printableLine(description === undefined || description === null ? title : `${title}: ${description}`);
}

function suffix(text: string | undefined): string {
  return text === undefined ? "" : ` (${printableLine(text)})`;
}

function by(name: string | null): string {
  return name === null ? "" : ` by ${printableLine(name)}`;
}
