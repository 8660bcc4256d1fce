// SPDX-License-Identifier: MIT OR Apache-2.0
// Lets a person at the terminal answer the questions of a followed session and, with `mix agent attach`, prompt it.
import type { CommandsEntry, Entry, SessionPhase } from "../../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import { answerPrompt, colonCommands, lineMeaning } from "./typed-line.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import { type AskedEntry, isAsked, OpenQuestions } from "../../agent-client/view/open-questions.ts";
import { earlierPrompts } from "./earlier-prompts.ts";
import { type Completion, completion } from "./line-completion.ts";
import { PromptLine } from "./prompt-line.ts";
import { PromptStatus } from "./prompt-status.ts";
import { promptBytesMax } from "../input/read-input.ts";
import { usageError } from "../process/mix-error.ts";
import type { Invocation } from "../input/verb.ts";
import { truncateToWidth } from "../../display/width.ts";
import { printableLine } from "../../display/printable.ts";

/** The view of the session, above the prompt line. */
export interface ViewAbove {
  /** The column in which the last row ends, or 0 after a line feed. */
  readonly column: number;
  readonly endRow: () => void;
  /** Shows the whole question. */
  readonly ask: (asked: AskedEntry) => void;
  /** Shows in one line how a question was resolved. `count` says which of several it was: ` (1 of 2)`. */
  readonly resolve: (entry: AskedEntry, asked: AskedEntry | undefined, count: string) => void;
}

export class Attachment {
  readonly #invocation: Invocation;
  readonly #bus: AgentBus;
  readonly #session: string;
  readonly #line: PromptLine;
  #questions = new OpenQuestions();
  /** Questions whose answer was sent but is not in the log yet. */
  readonly #answering = new Set<string>();
  /** The question that is drawn right above the line. */
  #drawnRequest: string | undefined;
  /** Since when the drawn question is out of date: other text was written below it, or it has changed. */
  #staleSince: number | undefined;
  #cancelRedraw: () => void = () => undefined;
  #cancelTick: () => void = () => undefined;
  #lastWroteAt = Number.NEGATIVE_INFINITY;
  #view: ViewAbove | undefined;
  /** Undefined where the session cannot be prompted from here. */
  #status: PromptStatus | undefined;
  /** The agent's own commands. */
  #commands: CommandsEntry["commands"] = [];
  /** Until all entries up to this snapshot are shown, nothing is asked and no line is drawn. */
  #behind: SessionSnapshot | undefined;
  #isOver = false;
  #hasLeft = false;
  /** Writes the turns that came before: all, or the last ones. */
  writeHistory: ((turns: number | undefined) => Promise<void>) | undefined;
  #historyWritten: Promise<void> | undefined;

  /** Without a snapshot a person can answer questions and do nothing else. With it, lines typed so far are prompts. */
  constructor(invocation: Invocation, bus: AgentBus, session: string, snapshot?: SessionSnapshot) {
    this.#invocation = invocation;
    this.#bus = bus;
    this.#session = session;
    this.#behind = snapshot;
    if (snapshot !== undefined) {
      this.#status = new PromptStatus(snapshot.state);
      this.#commands = snapshot.commands;
    }
    this.#line = new PromptLine(
      invocation.context,
      {
        line: (line, target) => this.#onLine(line, target),
        end: () => (this.#status === undefined ? this.#stopAnswering() : this.#leave()),
        endRow: () => this.#view?.endRow(),
        // A prompt is in the log, and shown from there when its turn starts.
        isShownByView: (text, target) => target === promptTarget && !text.trimStart().startsWith(":"),
        complete: (before, target) => this.#complete(before, target),
        pasteTooLong: (length) => this.writeAbove(() => this.#invocation.output.word(pasteTooLongMessage(length))),
      },
      snapshot && { target: promptTarget, prompt: "> ", asks: false },
    );
  }

  setView(view: ViewAbove | undefined): void {
    this.#view = view;
  }

  /** Whether the entry belongs to a question that is asked here. The view must not show it: `ask` does, in its turn. */
  handles(entry: Entry): entry is Entry & AskedEntry {
    if (this.#isOver || !isAsked(entry)) return false;
    return entry.phase === "requested" || this.#questions.get(entry.request) !== undefined;
  }

  /** Processes an entry for which `handles` is true. */
  ask(entry: Entry & AskedEntry): void {
    this.#noteProgress(entry);
    if (entry.phase === "resolved") this.#resolve(entry);
    this.#questions = this.#questions.apply(entry);
    // A question that still waits for its turn is not drawn yet.
    if (entry.phase === "changed" && this.#questions.current?.request === entry.request) this.#scheduleRedraw();
    this.#open();
  }

  /**
   * Processes any other entry, after the view has shown it. Without an entry, the view has shown what it held back.
   * `wrote` says whether the view wrote anything.
   */
  afterShown(entry: Entry | undefined, wrote: boolean): void {
    if (entry !== undefined) {
      this.#noteProgress(entry);
      this.#status = this.#status?.apply(entry);
      if (entry.kind === "commands") this.#commands = entry.commands;
      if (entry.kind === "tool_call") this.#questions = this.#questions.apply(entry);
    }
    if (wrote) {
      this.#lastWroteAt = this.#invocation.context.now();
      this.#scheduleRedraw();
    }
    this.#open();
  }

  /** While earlier turns are being written, nothing else may be. */
  get historyWritten(): Promise<void> | undefined {
    return this.#historyWritten;
  }

  #noteProgress({ log, seq }: Entry): void {
    const behind = this.#behind;
    // The numbers of another log have nothing to do with those of the snapshot.
    if (behind === undefined || (log === behind.log && seq < behind.last_seq)) return;
    this.#behind = undefined;
    void this.#readEarlierPrompts(behind);
  }

  async #readEarlierPrompts(snapshot: SessionSnapshot): Promise<void> {
    for await (const text of earlierPrompts(this.#bus, snapshot)) {
      if (this.#isOver || !this.#line.history.addOlder(text)) return;
    }
  }

  get isLineOpen(): boolean {
    return this.#line.isOpen;
  }

  /** Erases the line, so that the view can write. */
  hide(): void {
    this.#line.hide();
  }

  /** Writes above the line while it is open. */
  writeAbove(words: () => void): void {
    this.#line.hide();
    this.#view?.endRow();
    words();
    this.#drawnRequest = undefined;
    this.#open();
  }

  /** Whether the person detached by command or by Ctrl-D. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  end(): void {
    this.#isOver = true;
    this.#cancelRedraw();
    this.#cancelTick();
    this.#line.close();
  }

  #open(): void {
    this.#cancelTick();
    if (this.#isOver || this.#behind !== undefined || this.#historyWritten !== undefined) return;
    const question = this.#questions.current;
    if (question !== undefined) return this.#openQuestion(question);
    if (this.#status === undefined || endingPhases.has(this.#status.phase)) this.#line.close();
    else this.#openPrompt(this.#status);
  }

  #openPrompt(status: PromptStatus): void {
    const { now, after } = this.#invocation.context;
    const busyMs = status.phase === "running" ? Math.max(0, this.#lastWroteAt + quietMs - now()) : 0;
    const [prompt, notes] = [status.prompt(now()), status.notes()];
    const target = { target: promptTarget, prompt, asks: false, notes, isBusy: busyMs > 0 };
    this.#line.open(target, this.#view?.column ?? 0);
    const waitMs = busyMs > 0 ? busyMs : status.changesIn(now());
    if (waitMs !== undefined) this.#cancelTick = after(waitMs, () => this.#tick(busyMs > 0));
  }

  /** Shows the time that has passed, except to a person who is typing. */
  #tick(wasBusy: boolean): void {
    const { now, after } = this.#invocation.context;
    const typingMs = this.#line.lastInputAt + typingPauseMs - now();
    if (typingMs > 0 && !wasBusy) this.#cancelTick = after(typingMs, () => this.#tick(false));
    else this.#open();
  }

  /** Draws the whole question with its line right below. */
  #openQuestion(question: AskedEntry): void {
    const { request } = question;
    if (this.#answering.has(request) || this.#staleSince !== undefined) return this.#line.hide();
    if (this.#drawnRequest !== request) {
      this.#line.hide();
      this.#view?.ask(question);
      this.#drawnRequest = request;
    }
    const { columns } = this.#invocation.context.stderr;
    const prompt = answerPrompt(question, this.#questions.countLabel(request), columns);
    this.#line.open({ target: this.#questions.targetOf(request), prompt, asks: true });
  }

  /**
   * Redraws an outdated question once nothing was written for `redrawDelayMs`, but no later than `redrawDelayMsMax`. An
   * agent that writes on, or changes the question again and again, cannot fill the screen with copies of it.
   */
  #scheduleRedraw(): void {
    if (this.#drawnRequest === undefined && this.#staleSince === undefined) return;
    const { now, after } = this.#invocation.context;
    this.#drawnRequest = undefined;
    this.#staleSince ??= now();
    this.#cancelRedraw();
    const waitMs = Math.min(redrawDelayMs, this.#staleSince + redrawDelayMsMax - now());
    this.#cancelRedraw = after(Math.max(0, waitMs), () => {
      this.#staleSince = undefined;
      this.#open();
    });
  }

  #resolve(entry: AskedEntry): void {
    const { request } = entry;
    this.#line.hide();
    this.#view?.resolve(entry, this.#questions.get(request), this.#questions.countLabel(request));
    this.#answering.delete(request);
    this.#staleSince = undefined;
    this.#cancelRedraw();
    this.#drawnRequest = undefined;
  }

  #onLine(line: string, target: string | undefined): void {
    // The entered line stays on the screen below the question, so the question must be drawn again.
    this.#drawnRequest = undefined;
    this.#handleLine(line, target).then(
      () => this.#open(),
      (error: unknown) => {
        if (!(error instanceof AgentError)) throw error;
        this.writeAbove(() => this.#invocation.output.error(error));
      },
    );
  }

  async #handleLine(line: string, target: string | undefined): Promise<void> {
    if (this.#isOver) return this.#rejectLine(line, "after this ended");
    if (target === undefined) return this.#rejectLine(line, "before this question");
    const found = this.#questions.findByTarget(target);
    const asked = found && this.#answering.has(found.request) ? undefined : found;
    // The question is gone: the line must not answer the next one, and it is not a prompt either.
    const isLate = target !== promptTarget && asked === undefined;
    if (isLate && !line.trimStart().startsWith(":")) {
      const hasChanged = found === undefined && this.#questions.isOpen(target);
      return this.#rejectLine(line, hasChanged ? "before that question changed" : "after that question closed");
    }
    const meaning = lineMeaning(line, asked);
    const session = this.#session;
    switch (meaning.kind) {
      case "nothing":
        return;
      case "permission":
        return this.#answer(meaning.answer.request, this.#bus.ask("agent.permission.answer", meaning.answer));
      case "elicitation":
        return this.#answer(meaning.answer.request, this.#bus.ask("agent.elicitation.answer", meaning.answer));
      case "prompt":
        return this.#prompt(meaning.text);
      case "cancel":
        await this.#bus.ask("agent.session.cancel", { session });
        return;
      case "close":
        await this.#bus.ask("agent.session.close", { session });
        return;
      case "detach":
        this.#leave();
        return;
      case "history":
        return this.#showHistory(meaning.turns);
      case "words":
        this.writeAbove(() => meaning.text.split("\n").forEach((words) => this.#invocation.output.word(words)));
    }
  }

  async #showHistory(turns: number | undefined): Promise<void> {
    this.#line.hide();
    this.#view?.endRow();
    this.#historyWritten = this.writeHistory?.(turns);
    try {
      await this.#historyWritten;
    } finally {
      this.#historyWritten = undefined;
    }
  }

  /** A prompt that is not taken goes back into the line. */
  async #prompt(text: string): Promise<void> {
    const bytes = Buffer.byteLength(JSON.stringify(text));
    try {
      if (bytes > promptBytesMax) throw usageError(`the prompt has ${bytes} bytes as JSON; ${promptLimitMessage}`);
      await this.#bus.ask("agent.session.prompt", { session: this.#session, prompt: text, when_busy: "queue" });
    } catch (error) {
      this.#line.restore(text, promptTarget);
      throw error;
    }
  }

  #complete(before: string, target: string): Completion | undefined {
    const question = this.#questions.findByTarget(target);
    return completion(before, {
      "/": target === promptTarget ? this.#commands : [],
      ":": colonCommands(question),
    });
  }

  async #answer(request: string, asked: Promise<unknown>): Promise<void> {
    this.#answering.add(request);
    try {
      await asked;
    } catch (error) {
      this.#answering.delete(request);
      throw error;
    }
  }

  #rejectLine(line: string, when: string): void {
    if (line.trim() === "") return;
    const typed = truncateToWidth(printableLine(line.trim()), rejectedColumnsMax);
    this.writeAbove(() => this.#invocation.output.word(`ignored (typed ${when}): ${typed}`));
  }

  #stopAnswering(): void {
    this.#isOver = true;
    this.#cancelRedraw();
    for (const waiting of this.#questions.all()) if (waiting.request !== this.#drawnRequest) this.#view?.ask(waiting);
    this.#invocation.output.word(answersOffMessage);
  }

  // Ends the follow as Ctrl-C does. `hasLeft` then tells the caller that the person meant to detach.
  #leave(): void {
    this.#isOver = true;
    this.#hasLeft = true;
    this.#invocation.context.interrupts.raise();
  }
}

/** No request id equals it: they all end in a number. */
const promptTarget = "prompt";
const endingPhases: ReadonlySet<SessionPhase> = new Set(["closing", "closed", "lost", "failed"]);
const rejectedColumnsMax = 60;
/** After this long without output, an empty line is drawn, even below a part of a row. */
const quietMs = 400;
/** The line does not change under the hands of a person who pressed a key this recently. */
const typingPauseMs = 1_000;
const promptLimitMessage = `at most ${promptBytesMax} are possible: put it into a file, and name that file in the prompt`;

function pasteTooLongMessage(length: number): string {
  return `nothing was pasted: the text would be too long with the ${length} characters of the paste; ${promptLimitMessage}`;
}

/** Without output for this long the agent is taken to have paused. */
const redrawDelayMs = 300;
/** An agent that keeps writing delays a question by this at most. */
const redrawDelayMsMax = 2_000;
const answersOffMessage =
  "no more answers here: use mix agent permit or mix agent answer · the view continues, Ctrl-C leaves it";
