// SPDX-License-Identifier: MIT OR Apache-2.0
// What a person at the terminal can do while a session is followed: answer its questions and, attached, prompt it.
import type { Entry, PermissionEntry, SessionPhase } from "../../agentd/vocabulary/entries.ts";
import { answerPrompt, lineMeaning } from "./typed-line.ts";
import type { AgentBus } from "../bus/ask.ts";
import { MixError } from "../process/mix-error.ts";
import { type AskedEntry, OpenQuestions } from "../questions/open-questions.ts";
import { PromptLine } from "./prompt-line.ts";
import type { Invocation } from "../input/verb.ts";
import { truncateToWidth } from "../../display/width.ts";
import { printableLine } from "../../display/printable.ts";

/** The view above the line. */
export interface ViewAbove {
  /** The column at which its last row ends; 0 where the row is over. */
  readonly column: number;
  readonly endRow: () => void;
  /** Shows a question whole. */
  readonly ask: (asked: AskedEntry) => void;
  /** Says in one line what became of a question; `count` which of several it was. */
  readonly resolve: (entry: AskedEntry, asked: AskedEntry | undefined, count: string) => void;
}

export class Attachment {
  readonly #invocation: Invocation;
  readonly #bus: AgentBus;
  readonly #session: string;
  readonly #line: PromptLine;
  readonly #questions = new OpenQuestions();
  /** Questions whose answer was sent and is not in the log yet. */
  readonly #answering = new Set<string>();
  /** The question that stands right above the line. */
  #drawnRequest: string | undefined;
  /** Since when the question above the line is not drawn as it is: other text has come below it, or it has changed. */
  #staleSince: number | undefined;
  #cancelRedraw: () => void = () => undefined;
  #view: ViewAbove | undefined;
  /** Of the session; undefined where it cannot be prompted from here. */
  #phase: SessionPhase | undefined;
  #isOver = false;
  #hasLeft = false;

  /** Without a phase questions are answered, and nothing else is taken. */
  constructor(invocation: Invocation, bus: AgentBus, session: string, phase?: SessionPhase) {
    this.#invocation = invocation;
    this.#bus = bus;
    this.#session = session;
    this.#phase = phase;
    this.#line = new PromptLine(invocation.context, {
      line: (line, target) => this.#onLine(line, target),
      end: () => (this.#phase === undefined ? this.#stopAnswering() : this.#leave()),
      endRow: () => this.#view?.endRow(),
    });
  }

  setView(view: ViewAbove | undefined): void {
    this.#view = view;
  }

  /** Whether this entry is of a question that is asked here: it is shown when it is its turn, and by nobody else. */
  handles(entry: Entry): entry is Entry & AskedEntry {
    if (this.#isOver || (entry.kind !== "permission" && entry.kind !== "elicitation")) return false;
    return entry.phase === "requested" || this.#questions.get(entry.request) !== undefined;
  }

  /** Takes in an entry for which `asks` is true. */
  ask(entry: AskedEntry): void {
    if (entry.phase === "requested") this.#questions.add(entry);
    if (entry.phase === "changed" && entry.kind === "permission") this.#change(entry);
    if (entry.phase === "resolved") this.#resolve(entry);
    this.#open();
  }

  /** Takes in any other entry after it was shown. `wrote`: the view has written something for it. */
  afterShown(entry: Entry, wrote: boolean): void {
    if (entry.kind === "state" && this.#phase !== undefined) this.#phase = entry.state;
    if (entry.kind === "tool_call") this.#questions.follow(entry);
    if (wrote) this.#scheduleRedraw();
    this.#open();
  }

  /** Whether a line stands at the bottom of the view. */
  get isLineOpen(): boolean {
    return this.#line.isOpen;
  }

  /** Takes the line off the screen, so that something can be written. */
  hide(): void {
    this.#line.hide();
  }

  /** Says something while the line is open: the line makes room for it. */
  writeAbove(words: () => void): void {
    this.#line.hide();
    this.#view?.endRow();
    words();
    this.#drawnRequest = undefined;
    this.#open();
  }

  /** The person asked to leave the session to itself. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  end(): void {
    this.#isOver = true;
    this.#cancelRedraw();
    this.#line.close();
  }

  #open(): void {
    if (this.#isOver) return;
    const question = this.#questions.current;
    if (question !== undefined) return this.#openQuestion(question);
    const column = this.#view?.column ?? 0;
    if (this.#phase === undefined || endingPhases.has(this.#phase)) this.#line.close();
    else {
      const prompt = this.#phase === "idle" ? "> " : `${this.#phase} > `;
      this.#line.open({ target: promptTarget, prompt, asks: false }, column);
    }
  }

  /** Draws the whole question, and its line right below. */
  #openQuestion(question: AskedEntry): void {
    const { request } = question;
    if (this.#answering.has(request) || this.#staleSince !== undefined) return this.#line.hide();
    if (this.#drawnRequest !== request) {
      this.#line.hide();
      this.#view?.ask(question);
      this.#drawnRequest = request;
    }
    const columns = this.#invocation.context.stderr.columns || defaultColumns;
    const prompt = answerPrompt(question, this.#questions.countLabel(request), columns);
    this.#line.open({ target: this.#questions.targetOf(request), prompt, asks: true });
  }

  /**
   * What stands above the line is no longer the question as it is. It is drawn anew when nothing has come for a moment,
   * or when it has been off the screen for too long: an agent that talks on, or changes it again and again, fills no
   * screen.
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

  /** The one that is asked is drawn anew, above a line that is empty again; one that waits is not drawn yet. */
  #change(entry: PermissionEntry): void {
    this.#questions.change(entry);
    if (this.#questions.current?.request === entry.request) this.#scheduleRedraw();
  }

  #resolve(entry: AskedEntry): void {
    const { request } = entry;
    this.#line.hide();
    this.#view?.resolve(entry, this.#questions.get(request), this.#questions.countLabel(request));
    this.#questions.remove(request);
    this.#answering.delete(request);
    this.#staleSince = undefined;
    this.#cancelRedraw();
    this.#drawnRequest = undefined;
  }

  #onLine(line: string, target: string | undefined): void {
    // What was entered stays on the screen, below the question.
    this.#drawnRequest = undefined;
    this.#handleLine(line, target).then(
      () => this.#open(),
      (error: unknown) => {
        if (!(error instanceof MixError)) throw error;
        this.writeAbove(() => this.#invocation.output.error(error));
      },
    );
  }

  async #handleLine(line: string, target: string | undefined): Promise<void> {
    if (this.#isOver) return this.#rejectLine(line, "as this ended");
    if (target === undefined) return this.#rejectLine(line, "before this was asked");
    const found = this.#questions.findByTarget(target);
    const asked = found && this.#answering.has(found.request) ? undefined : found;
    // What it was to answer is over: it must not become the answer to what is asked instead, and is no prompt.
    const isLate = target !== promptTarget && asked === undefined;
    if (isLate && !line.trimStart().startsWith(":")) {
      const hasChanged = found === undefined && this.#questions.isOpen(target);
      return this.#rejectLine(line, hasChanged ? "before that question changed" : "when that question was over");
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
        await this.#bus.ask("agent.session.prompt", { session, prompt: meaning.text, when_busy: "queue" });
        return;
      case "cancel":
        await this.#bus.ask("agent.session.cancel", { session });
        return;
      case "close":
        await this.#bus.ask("agent.session.close", { session });
        return;
      case "detach":
        this.#leave();
        return;
      case "words":
        this.writeAbove(() => this.#invocation.output.word(meaning.text));
    }
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
    this.writeAbove(() => this.#invocation.output.word(`typed ${when}, and not taken: ${typed}`));
  }

  #stopAnswering(): void {
    this.#isOver = true;
    this.#cancelRedraw();
    for (const waiting of this.#questions.all()) if (waiting.request !== this.#drawnRequest) this.#view?.ask(waiting);
    this.#invocation.output.word(answersOffMessage);
  }

  // Following ends as by Ctrl-C; that it was wanted is told apart afterwards.
  #leave(): void {
    this.#isOver = true;
    this.#hasLeft = true;
    this.#invocation.context.interrupts.raise();
  }
}

/** No request is called so: their ids have a number at the end. */
const promptTarget = "prompt";
const endingPhases: ReadonlySet<SessionPhase> = new Set(["closing", "closed", "lost", "failed"]);
const rejectedColumnsMax = 60;
/** An agent's text comes in pieces: it is taken to have paused when none has come for so long. */
const redrawDelayMs = 300;
/** A question is not kept from the screen for longer than this by an agent that talks on. */
const redrawDelayMsMax = 2_000;
const defaultColumns = 80;
const answersOffMessage =
  "no answers are taken here any more: mix agent permit, mix agent answer · the view goes on, Ctrl-C leaves it";
