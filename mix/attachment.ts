// SPDX-License-Identifier: MIT OR Apache-2.0
// What a person at the terminal can do while a session is followed: answer its questions and, attached, prompt it.
import type { Entry, SessionPhase } from "../agentd/vocabulary/entries.ts";
import { answerPrompt, type AskedEntry, lineMeaning } from "./attachment-line.ts";
import type { AgentBus } from "./bus.ts";
import { MixError } from "./mix-error.ts";
import { PromptLine } from "./prompt-line.ts";
import type { Invocation } from "./verb.ts";

export class Attachment {
  readonly #invocation: Invocation;
  readonly #bus: AgentBus;
  readonly #session: string;
  readonly #takesPrompts: boolean;
  readonly #line: PromptLine;
  readonly #questions = new Map<string, AskedEntry>();
  #phase: SessionPhase = "starting";
  #isOver = false;
  #hasLeft = false;

  /** `takesPrompts` false: questions are answered, and nothing else is taken. */
  constructor(invocation: Invocation, bus: AgentBus, session: string, takesPrompts = true) {
    this.#invocation = invocation;
    this.#bus = bus;
    this.#session = session;
    this.#takesPrompts = takesPrompts;
    this.#line = new PromptLine(invocation.context, {
      line: (line) => this.#typed(line),
      end: () => (takesPrompts ? this.#leave() : undefined),
    });
  }

  /** After an entry was shown: the line opens where a word from a person is wanted. */
  see(entry: Entry): void {
    if (entry.kind === "state") this.#phase = entry.state;
    if (entry.kind === "permission" || entry.kind === "elicitation") noteQuestion(this.#questions, entry);
    this.#open();
  }

  /** Off the screen, so that something can be written. */
  hide(): void {
    this.#line.close();
  }

  /** The person asked to leave the session to itself. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  end(): void {
    this.#isOver = true;
    this.#line.close();
  }

  #open(): void {
    if (this.#isOver) return;
    const question = this.#question();
    if (question !== undefined) this.#line.open(answerPrompt(question), question.request);
    else if (this.#takesPrompts && this.#phase === "idle") this.#line.open("> ", "prompt");
  }

  /** The oldest that nobody answered yet. */
  #question(): AskedEntry | undefined {
    return this.#questions.values().next().value;
  }

  #typed(line: string): void {
    this.#act(line).then(
      () => this.#open(),
      (error: unknown) => {
        if (!(error instanceof MixError)) throw error;
        this.#invocation.output.error(error);
        this.#open();
      },
    );
  }

  async #act(line: string): Promise<void> {
    const meaning = lineMeaning(line, this.#question(), this.#takesPrompts);
    const session = this.#session;
    switch (meaning.kind) {
      case "nothing":
        return;
      case "permission":
        await this.#bus.ask("agent.permission.answer", meaning.answer);
        return;
      case "elicitation":
        await this.#bus.ask("agent.elicitation.answer", meaning.answer);
        return;
      case "prompt":
        await this.#bus.ask("agent.session.prompt", { session, prompt: meaning.text, when_busy: "queue" });
        // The line comes back when the session is idle again.
        this.#phase = "running";
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
        this.#invocation.output.word(meaning.text);
    }
  }

  // Following ends as by Ctrl-C; that it was wanted is told apart afterwards.
  #leave(): void {
    this.#isOver = true;
    this.#hasLeft = true;
    this.#invocation.context.interrupts.raise();
  }
}

function noteQuestion(open: Map<string, AskedEntry>, entry: AskedEntry): void {
  if (entry.phase === "requested") open.set(entry.request, entry);
  else open.delete(entry.request);
}
