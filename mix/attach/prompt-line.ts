// SPDX-License-Identifier: MIT OR Apache-2.0
// A line editor at the bottom of a live view. It can be erased and redrawn whenever something is written above it. Keys
// are read all the time.
import type { Key } from "node:readline";
import { styleOf } from "../process/colour.ts";
import type { Context } from "../process/context.ts";
import { promptBytesMax } from "../input/read-input.ts";
import { type Draft, draftOf, emptyDraft, insert, moveDown, moveUp } from "./draft.ts";
import type { Completion } from "./line-completion.ts";
import { frameOf } from "./line-frame.ts";
import { LineHistory } from "./line-history.ts";
import { keyMeaning } from "./line-keys.ts";
import { LineScreen } from "./line-screen.ts";
import { type Paste, withoutControls } from "./paste-splitter.ts";
import { type InputContext, TerminalInput } from "./terminal-input.ts";

export interface PromptLineEvents {
  /**
   * A text was entered. Lines that came in one read come as one text. `target` is undefined for a line typed before the
   * first target.
   */
  readonly line: (text: string, target: string | undefined) => void;
  /** Ctrl-D was pressed. Ctrl-C is raised as an interrupt instead. */
  readonly end: () => void;
  /** The entered line is about to stay on the screen: the view must end its last row. */
  readonly endRow: () => void;
  /** Whether the view shows the entered text, so that it need not stay on the screen. */
  readonly isShownByView?: (text: string, target: string) => boolean;
  /** A paste was refused because the text would be longer than agentd accepts. `length` is in UTF-16 units. */
  readonly pasteTooLong?: (length: number) => void;
  /** Completes the text before the cursor. */
  readonly complete?: (before: string, target: string) => Completion | undefined;
}

/** What a line is typed for: the prompt, or one question in one revision. */
export interface LineTarget {
  readonly target: string;
  /** The text before the line. */
  readonly prompt: string;
  /** The line answers a question. Whoever is in the middle of typing must not answer it by accident. */
  readonly asks: boolean;
  /** Rows above the prompt. */
  readonly notes?: readonly string[];
  /** Text is being written above, and an empty line would come and go with each piece of it. */
  readonly isBusy?: boolean;
}

export type LineContext = InputContext & Pick<Context, "words" | "env" | "stdout" | "interrupts">;

export class PromptLine {
  readonly #context: LineContext;
  readonly #on: PromptLineEvents;
  readonly #screen: LineScreen;
  readonly history = new LineHistory();
  #input: TerminalInput | undefined;
  /** The target of the keys that arrive now. */
  #current: LineTarget | undefined;
  /** The target to switch to once all earlier keys are read. */
  #wanted: LineTarget | undefined;
  #cancelSwitch: () => void = () => undefined;
  #draft = emptyDraft;
  /** Unfinished lines, for targets that may come back. */
  readonly #drafts = new Map<string, Draft>();
  #candidates: readonly string[] = [];
  /** What Ctrl-U and its like removed last. */
  #cut = "";
  /** Lines of one read, such as a paste in a terminal that does not mark pastes. */
  #entered: string[] = [];
  #isDrawDue = false;
  /** The column in which the text above ends. */
  #column = 0;
  #isHidden = true;
  #stopWatchingSize: () => void = () => undefined;

  /** Keys that were pressed before the first `open` are for the target `initial`. */
  constructor(context: LineContext, on: PromptLineEvents, initial?: LineTarget) {
    this.#context = context;
    this.#on = on;
    this.#screen = new LineScreen(context.stderr, context.env);
    this.#current = initial;
  }

  get isOpen(): boolean {
    return this.#input !== undefined;
  }

  /** When the last key was pressed. */
  get lastInputAt(): number {
    return this.#input?.lastInputAt ?? Number.NEGATIVE_INFINITY;
  }

  /** Shows the line. Text that was typed for another target is kept for that one. */
  open(wanted: LineTarget, column = 0): void {
    this.#input ??= this.#listen();
    const isNew = this.#wanted?.target !== wanted.target;
    this.#wanted = wanted;
    this.#column = column;
    this.#isHidden = false;
    if (this.#current?.target === wanted.target) this.#current = wanted;
    else if (isNew) this.#switchTarget(this.#input, wanted.target);
    this.#draw();
  }

  /** Erases the line until `open` is called again. */
  hide(): void {
    this.#screen.erase();
    this.#isHidden = true;
  }

  /** Puts an entered text back, unless another one was begun. */
  restore(text: string, target: string): void {
    if (this.#current?.target !== target) {
      if (!this.#drafts.has(target)) this.#drafts.set(target, draftOf(text));
    } else if (this.#draft.text === "") this.#draft = draftOf(text);
  }

  /** Stops reading keys and gives the terminal back. */
  close(): void {
    const input = this.#input;
    if (input === undefined) return;
    this.hide();
    this.#cancelSwitch();
    this.#stopWatchingSize();
    this.#input = undefined;
    this.#current = undefined;
    this.#wanted = undefined;
    this.#draft = emptyDraft;
    this.#candidates = [];
    this.#entered = [];
    input.close();
  }

  // Reads keys that were pressed before the new target was shown first: they belong to the previous one. So do the keys
  // of a person who keeps typing without having seen the question, and a paste that has begun.
  #switchTarget(input: TerminalInput, target: string): void {
    afterUnreadKeys(() => {
      const next = this.#wanted;
      if (this.#input !== input || next?.target !== target || this.#current?.target === target) return;
      const waitMs = next.asks ? input.lastInputAt + pauseMs - this.#context.now() : 0;
      if (waitMs > 0 || input.isPasting) {
        this.#cancelSwitch();
        this.#cancelSwitch = this.#context.after(Math.max(pasteWaitMs, waitMs), () =>
          this.#switchTarget(input, target),
        );
        return;
      }
      this.#screen.erase();
      const [before, left] = [this.#current?.target, this.#draft];
      this.#current = next;
      this.#candidates = [];
      this.#draft = this.#drafts.get(target) ?? emptyDraft;
      this.#drafts.delete(target);
      if (left.text !== "" && before !== undefined) this.#drafts.set(before, left);
      if (left.text !== "" && before === undefined) this.#on.line(left.text, undefined);
      this.#draw();
    });
  }

  #listen(): TerminalInput {
    this.#stopWatchingSize = this.#context.stderr.onResize(() => {
      this.#screen.resized();
      this.#draw();
    });
    return new TerminalInput(this.#context, promptBytesMax, {
      key: (key, typed) => this.#onKey(key, typed),
      paste: (paste) => this.#onPaste(paste),
      end: () => this.#end(),
      leaving: () => this.#screen.erase(),
      resumed: () => {
        this.#screen.forget();
        this.#column = 0;
        this.#draw();
      },
    });
  }

  #onKey(key: Key, typed: string | undefined): void {
    const meaning = keyMeaning(this.#draft, key, typed);
    this.#candidates = [];
    this.#drawSoon();
    switch (meaning.kind) {
      case "edit":
        this.#draft = meaning.draft;
        if (meaning.cut !== undefined && meaning.cut !== "") this.#cut = meaning.cut;
        return;
      case "paste-cut":
        this.#draft = insert(this.#draft, this.#cut);
        return;
      case "up":
        this.#draft = moveUp(this.#draft) ?? this.#older() ?? this.#draft;
        return;
      case "down":
        this.#draft = moveDown(this.#draft) ?? this.history.newer() ?? this.#draft;
        return;
      case "older":
        this.#draft = this.#older() ?? this.#draft;
        return;
      case "newer":
        this.#draft = this.history.newer() ?? this.#draft;
        return;
      case "enter":
        return this.#take();
      case "new-line":
        if (this.#current?.asks === false) this.#draft = insert(this.#draft, "\n");
        return;
      case "complete":
        return this.#complete();
      case "interrupt":
        this.close();
        this.#context.interrupts.raise();
        return;
      case "end":
        return this.#end();
      case "suspend":
        return this.#context.jobControl.suspend();
      case "redraw":
        return this.#screen.erase();
      case "nothing":
    }
  }

  #end(): void {
    this.close();
    this.#on.end();
  }

  /** Earlier prompts are no answers. */
  #older(): Draft | undefined {
    return this.#current?.asks === false ? this.history.older(this.#draft) : undefined;
  }

  #onPaste({ text, length }: Paste): void {
    const isTooLong = text === undefined || this.#draft.text.length + length > promptBytesMax;
    if (isTooLong) this.#on.pasteTooLong?.(length);
    else this.#draft = insert(this.#draft, withoutControls(text));
    this.#candidates = [];
    this.#draw();
  }

  #complete(): void {
    const { text, cursor } = this.#draft;
    const target = this.#current?.target;
    const completion = target === undefined ? undefined : this.#on.complete?.(text.slice(0, cursor), target);
    if (completion === undefined) return;
    this.#draft = insert(this.#draft, completion.added);
    this.#candidates = completion.candidates;
  }

  #take(): void {
    const { text } = this.#draft;
    this.#draft = emptyDraft;
    this.#entered.push(text);
    if (this.#entered.length > 1) return;
    const [input, current, entered] = [this.#input, this.#current, this.#entered];
    // The lines of one paste arrive within this tick. They are one text, not one prompt each.
    setImmediate(() => {
      if (this.#entered === entered) this.#entered = [];
      const isOpen = this.#input === input;
      if (isOpen && current?.asks === false && this.#isContinued(entered, current)) {
        this.#draft = draftOf(`${text.slice(0, -1)}\n`);
        return this.#draw();
      }
      // Enter on an empty line is no part of an answer.
      const lines = current?.asks === true ? entered.filter((line) => line !== "") : entered;
      this.#submit(lines.join("\n"), current, isOpen && current !== undefined && this.#isShown(current));
    });
  }

  /** Whether the one line that was entered ends with a backslash, which stands for a new line. */
  #isContinued([first = "", ...others]: readonly string[], { target }: LineTarget): boolean {
    const isAlone = others.length === 0 && this.#draft.text === "" && this.#current?.target === target;
    return isAlone && first.endsWith("\\");
  }

  #submit(text: string, target: LineTarget | undefined, isOnScreen: boolean): void {
    if (target?.asks === false) this.history.add(text);
    if (target !== undefined && isOnScreen) {
      this.hide();
      if (this.#on.isShownByView?.(text, target.target) !== true) this.#leaveOnScreen(target, text);
    }
    // Report it even if the line was closed meanwhile: entered text must not vanish silently.
    this.#on.line(text, target?.target);
  }

  #leaveOnScreen({ prompt }: LineTarget, text: string): void {
    this.#on.endRow();
    void this.#context.stderr.text(`${prompt}${text.replaceAll("\n", "\n  ")}\n`);
  }

  /** An outdated question's line is not shown below the next question. A prompt's line is, until the person pauses. */
  #isShown({ target, asks }: LineTarget): boolean {
    return this.#wanted?.target === target || !asks;
  }

  /** Draws once for all keys of one read. */
  #drawSoon(): void {
    if (this.#isDrawDue) return;
    this.#isDrawDue = true;
    queueMicrotask(() => {
      this.#isDrawDue = false;
      this.#draw();
    });
  }

  #draw(): void {
    const now = this.#current;
    if (this.#input === undefined || now === undefined || !this.#isShown(now)) return;
    if (this.#isHidden || this.#entered.length > 0) return;
    const draft = this.#draft;
    if (draft.text === "" && now.isBusy === true) return this.#screen.erase();
    const { prompt, notes = [] } = now;
    const style = styleOf(this.#context);
    const frame = frameOf({ prompt, draft, notes, candidates: this.#candidates }, this.#screen.size, style);
    this.#screen.draw(frame, this.#column);
  }
}

/** A person who has not pressed a key for this long is taken to have seen the screen. */
const pauseMs = 700;
/** How often it is looked whether a paste has ended. */
const pasteWaitMs = 50;

// The terminal buffers what is typed: a line may have been entered before the question that it seems to answer.
/** Runs `run` once everything that was typed before this call has been read. stdin must be flowing. */
function afterUnreadKeys(run: () => void): void {
  // The event loop polls the terminal before it runs immediates. Keys that were there when the first one ran, or came
  // just too late for its poll, have been read when the second one runs.
  setImmediate(() => setImmediate(run));
}
