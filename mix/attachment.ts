// SPDX-License-Identifier: MIT OR Apache-2.0
// What a person at the terminal can do while a session is followed: answer its questions and, attached, prompt it.
import type { Entry, PermissionEntry, SessionPhase } from "../agentd/vocabulary/entries.ts";
import { answerPrompt, type AskedEntry, lineMeaning } from "./attachment-line.ts";
import type { AgentBus } from "./bus.ts";
import { MixError } from "./mix-error.ts";
import { OpenQuestions } from "./open-questions.ts";
import { PromptLine } from "./prompt-line.ts";
import type { Invocation } from "./verb.ts";
import { fitted } from "../display/width.ts";
import { printableLine } from "../display/printable.ts";

/** What the line stands under. */
export interface TextAbove {
  /** Where its last row ends; 0: at its beginning. */
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
  /** Questions of which the answer is under way. */
  readonly #answering = new Set<string>();
  /** The question that stands right above the line. */
  #drawn: string | undefined;
  /** Since when something else stands between a question and its line. */
  #coveredAt: number | undefined;
  #callOffDrawing: () => void = () => undefined;
  #above: TextAbove | undefined;
  /** Of a session that can be prompted from here. */
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
      line: (line, topic) => this.#typed(line, topic),
      end: () => (this.#phase === undefined ? this.#takeNoMore() : this.#leave()),
      endRow: () => this.#above?.endRow(),
    });
  }

  standUnder(above: TextAbove | undefined): void {
    this.#above = above;
  }

  /** Whether this entry is of a question that is asked here: it is shown when it is its turn, and by nobody else. */
  asks(entry: Entry): entry is Entry & AskedEntry {
    if (this.#isOver || (entry.kind !== "permission" && entry.kind !== "elicitation")) return false;
    return entry.phase === "requested" || this.#questions.get(entry.request) !== undefined;
  }

  /** An entry for which `asks` is true. */
  ask(entry: AskedEntry): void {
    if (entry.phase === "requested") this.#questions.add(entry);
    if (entry.phase === "changed" && entry.kind === "permission") this.#change(entry);
    if (entry.phase === "resolved") this.#resolve(entry);
    this.#open();
  }

  /** After any other entry: the line opens where a word from a person is wanted. `wrote`: something stands above it now. */
  see(entry: Entry, wrote: boolean): void {
    if (entry.kind === "state" && this.#phase !== undefined) this.#phase = entry.state;
    if (entry.kind === "tool_call") this.#questions.follow(entry);
    if (wrote) this.#cover();
    this.#open();
  }

  /** Whether a line stands at the bottom of the view. */
  get takesLines(): boolean {
    return this.#line.isOpen;
  }

  /** Off the screen, so that something can be written. */
  hide(): void {
    this.#line.hide();
  }

  /** Something that is said meanwhile: the line makes room for it. */
  say(words: () => void): void {
    this.#line.hide();
    this.#above?.endRow();
    words();
    this.#drawn = undefined;
    this.#open();
  }

  /** The person asked to leave the session to itself. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  end(): void {
    this.#isOver = true;
    this.#callOffDrawing();
    this.#line.close();
  }

  #open(): void {
    if (this.#isOver) return;
    const question = this.#questions.current;
    if (question !== undefined) return this.#openQuestion(question);
    const column = this.#above?.column ?? 0;
    if (this.#phase === undefined || over.has(this.#phase)) this.#line.close();
    else {
      const prompt = this.#phase === "idle" ? "> " : `${this.#phase} > `;
      this.#line.open({ topic: promptTopic, prompt, asks: false }, column);
    }
  }

  /** Its line never stands but right below all of it. */
  #openQuestion(question: AskedEntry): void {
    const { request } = question;
    if (this.#answering.has(request) || this.#coveredAt !== undefined) return this.#line.hide();
    if (this.#drawn !== request) {
      this.#line.hide();
      this.#above?.ask(question);
      this.#drawn = request;
    }
    const columns = this.#invocation.context.stderr.columns || columnsUnknown;
    const prompt = answerPrompt(question, this.#questions.countWords(request), columns);
    this.#line.open({ topic: this.#questions.topicOf(request), prompt, asks: true });
  }

  /** The question is drawn anew when nothing has been written for a moment, or too much for too long. */
  #cover(): void {
    if (this.#drawn === undefined && this.#coveredAt === undefined) return;
    const { now, after } = this.#invocation.context;
    this.#drawn = undefined;
    this.#coveredAt ??= now();
    this.#callOffDrawing();
    const waitMs = Math.min(quietMs, this.#coveredAt + coveredMsMax - now());
    this.#callOffDrawing = after(Math.max(0, waitMs), () => {
      this.#coveredAt = undefined;
      this.#open();
    });
  }

  /** One that stands above the line is drawn anew, with a line that is empty again. */
  #change(entry: PermissionEntry): void {
    this.#questions.change(entry);
    if (this.#drawn === entry.request) this.#drawn = undefined;
  }

  #resolve(entry: AskedEntry): void {
    const { request } = entry;
    this.#line.hide();
    this.#above?.resolve(entry, this.#questions.get(request), this.#questions.countWords(request));
    this.#questions.remove(request);
    this.#answering.delete(request);
    this.#coveredAt = undefined;
    this.#callOffDrawing();
    this.#drawn = undefined;
  }

  #typed(line: string, topic: string | undefined): void {
    // What was entered stays on the screen, below the question.
    this.#drawn = undefined;
    this.#act(line, topic).then(
      () => this.#open(),
      (error: unknown) => {
        if (!(error instanceof MixError)) throw error;
        this.say(() => this.#invocation.output.error(error));
      },
    );
  }

  async #act(line: string, topic: string | undefined): Promise<void> {
    if (this.#isOver) return this.#passOver(line, "as this ended");
    if (topic === undefined) return this.#passOver(line, "before this was asked");
    const found = this.#questions.withTopic(topic);
    const asked = found && this.#answering.has(found.request) ? undefined : found;
    // What it was to answer is over: it must not become the answer to what is asked instead, and is no prompt.
    const isLate = topic !== promptTopic && asked === undefined;
    if (isLate && !line.trimStart().startsWith(":"))
      return this.#passOver(line, "when that question was over or had changed");
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
        this.say(() => this.#invocation.output.word(meaning.text));
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

  #passOver(line: string, when: string): void {
    if (line.trim() === "") return;
    const typed = fitted(printableLine(line.trim()), passedOverColumnsMax);
    this.say(() => this.#invocation.output.word(`typed ${when}, and not taken: ${typed}`));
  }

  #takeNoMore(): void {
    this.#isOver = true;
    this.#callOffDrawing();
    for (const waiting of this.#questions.all()) if (waiting.request !== this.#drawn) this.#above?.ask(waiting);
    this.#invocation.output.word(endedWords);
  }

  // Following ends as by Ctrl-C; that it was wanted is told apart afterwards.
  #leave(): void {
    this.#isOver = true;
    this.#hasLeft = true;
    this.#invocation.context.interrupts.raise();
  }
}

/** No request is called so: their ids have a number at the end. */
const promptTopic = "prompt";
const over: ReadonlySet<SessionPhase> = new Set(["closing", "closed", "lost", "failed"]);
const passedOverColumnsMax = 60;
/** Text of an agent comes in pieces: so long after the last one it is taken to pause. */
const quietMs = 300;
/** A question is not kept from the screen for longer than this by an agent that talks on. */
const coveredMsMax = 2_000;
const columnsUnknown = 80;
const endedWords =
  "no answers are taken here any more: mix agent permit, mix agent answer · the view goes on, Ctrl-C leaves it";
