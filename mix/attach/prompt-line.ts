// SPDX-License-Identifier: MIT OR Apache-2.0
// One line that a person types at the bottom of a live view. It takes one row, so that it can be taken off and put back
// whenever something is written above it; keys are read all the while.
import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import { movement, rich } from "../../display/styled.ts";
import type { Context } from "../process/context.ts";
import { displayWidth } from "../../display/width.ts";
import { lineWindow } from "./line-window.ts";

export interface PromptLineEvents {
  /**
   * What was entered, and for which target; a paste of lines comes as one text. No target: it was typed before the
   * first.
   */
  readonly line: (text: string, target: string | undefined) => void;
  /** Ctrl-D. Ctrl-C is raised as the interrupt it is. */
  readonly end: () => void;
  /** Something will stand below the text above for good: its row has to be over. */
  readonly endRow: () => void;
}

/** What a line is for, and what stands before it. */
export interface LineTarget {
  readonly target: string;
  readonly prompt: string;
  /** What is entered answers a question: nobody may be made to answer it by being in the middle of typing. */
  readonly asks: boolean;
}

type LineContext = Pick<Context, "stdin" | "stderr" | "interrupts" | "now" | "after">;

export class PromptLine {
  readonly #context: LineContext;
  readonly #on: PromptLineEvents;
  #lines: Interface | undefined;
  /** What the keys that come now are for. */
  #current: LineTarget | undefined;
  /** What they are to be for. */
  #wanted: LineTarget | undefined;
  #lastKeyAt = Number.NEGATIVE_INFINITY;
  #cancelSwitch: () => void = () => undefined;
  /** What was typed and not entered, for topics that may come back. */
  readonly #drafts = new Map<string, string>();
  /** Lines that came with one read. */
  #entered: string[] = [];
  /** Where the text above ends in its row. */
  #column = 0;
  #isHidden = true;
  /** The column above at which it was drawn; undefined while it is off the screen. */
  #drawnAt: number | undefined;

  constructor(context: LineContext, on: PromptLineEvents) {
    this.#context = context;
    this.#on = on;
  }

  get isOpen(): boolean {
    return this.#lines !== undefined;
  }

  /**
   * Shows the line, or shows it again. What was typed for another target is no answer to this one: it is kept for its
   * own.
   */
  open(wanted: LineTarget, column = 0): void {
    this.#lines ??= this.#listen();
    const isNew = this.#wanted?.target !== wanted.target;
    this.#wanted = wanted;
    this.#column = column;
    this.#isHidden = false;
    if (this.#current?.target === wanted.target) this.#current = wanted;
    else if (isNew) this.#switchTarget(this.#lines, wanted.target);
    this.#draw();
  }

  /** Off the screen, until it is opened again. */
  hide(): void {
    this.#erase();
    this.#isHidden = true;
  }

  /** Gives the terminal back; keys are not read any more. */
  close(): void {
    const lines = this.#lines;
    if (lines === undefined) return;
    this.#reset();
    lines.close();
  }

  // Keys that were pressed before the target was shown are read first, and are for the target before. So are those of a
  // person who types on without having seen the question.
  #switchTarget(lines: Interface, target: string): void {
    afterUnreadKeys(() => {
      const next = this.#wanted;
      if (this.#lines !== lines || next?.target !== target || this.#current?.target === target) return;
      const waitMs = next.asks ? this.#lastKeyAt + pauseMs - this.#context.now() : 0;
      if (waitMs > 0) {
        this.#cancelSwitch();
        this.#cancelSwitch = this.#context.after(waitMs, () => this.#switchTarget(lines, target));
        return;
      }
      this.#erase();
      const [before, left] = [this.#current?.target, lines.line];
      this.#current = next;
      replaceText(lines, this.#drafts.get(target) ?? "");
      this.#drafts.delete(target);
      if (left !== "" && before !== undefined) this.#drafts.set(before, left);
      if (left !== "" && before === undefined) this.#on.line(left, undefined);
      this.#draw();
    });
  }

  #listen(): Interface {
    const { stdin, interrupts } = this.#context;
    // It has no output: the row is drawn here, in the order of what else is written.
    const lines = createInterface({ input: stdin, terminal: true, historySize: historyMax });
    let isDue = false;
    // Once for all keys of one read, when they are taken.
    const onKey = (): void => {
      this.#lastKeyAt = this.#context.now();
      if (isDue) return;
      isDue = true;
      queueMicrotask(() => {
        isDue = false;
        this.#draw();
      });
    };
    stdin.on("keypress", onKey);
    lines.on("line", (line) => this.#take(lines, line));
    lines.on("SIGINT", () => {
      this.close();
      interrupts.raise();
    });
    lines.on("SIGCONT", () => {
      lines.resume();
      this.#draw();
    });
    lines.on("close", () => {
      stdin.off("keypress", onKey);
      if (this.#lines !== lines) return;
      this.#reset();
      this.#on.end();
    });
    return lines;
  }

  #take(lines: Interface, line: string): void {
    this.#entered.push(line);
    if (this.#entered.length > 1) return;
    const [current, entered] = [this.#current, this.#entered];
    // Lines of one paste come within this tick: they are one text, and not as many prompts.
    setImmediate(() => {
      if (this.#entered === entered) this.#entered = [];
      const text = entered.join("\n");
      if (this.#lines === lines && current !== undefined && this.#isShown(current)) this.#leaveOnScreen(current, text);
      // Also where the line was closed meanwhile: what a person entered is not lost without a word.
      this.#on.line(text, current?.target);
    });
  }

  /** As it was entered, above what comes next. */
  #leaveOnScreen({ prompt }: LineTarget, text: string): void {
    this.hide();
    this.#on.endRow();
    void this.#context.stderr.text(`${prompt}${text}\n`);
  }

  /** A question that is over does not stand below the next one; a prompt does, until a person pauses. */
  #isShown({ target, asks }: LineTarget): boolean {
    return this.#wanted?.target === target || !asks;
  }

  #draw(): void {
    const [lines, now] = [this.#lines, this.#current];
    if (lines === undefined || now === undefined || !this.#isShown(now)) return;
    if (this.#isHidden || this.#entered.length > 0) return;
    const { line, cursor } = lines;
    const column = this.#column;
    // In the middle of a row the text above needs no empty line below it.
    if (column > 0 && line === "") return this.#erase();
    const { stderr } = this.#context;
    const { prompt } = now;
    const room = (stderr.columns || defaultColumns) - displayWidth(prompt) - 1;
    const { shown, at } = lineWindow(line, cursor, Math.max(columnsMin, room));
    const start = this.#drawnAt === undefined && column > 0 ? "\n" : movement.rowStart;
    this.#drawnAt ??= column;
    const place = movement.toColumn(displayWidth(prompt) + at + 1);
    void stderr.text(rich`${start}${prompt}${shown}${movement.clearToRowEnd}${place}`);
  }

  #erase(): void {
    const column = this.#drawnAt;
    if (column === undefined) return;
    this.#drawnAt = undefined;
    const back = column > 0 ? rich`${movement.up}${movement.toColumn(column + 1)}` : "";
    void this.#context.stderr.text(rich`${movement.rowStart}${movement.clearToRowEnd}${back}`);
  }

  // Before its interface is closed, so that the `close` event is not taken for the end of input.
  #reset(): void {
    this.hide();
    this.#cancelSwitch();
    this.#lines = undefined;
    this.#current = undefined;
    this.#wanted = undefined;
    this.#entered = [];
  }
}

function replaceText(lines: Interface, text: string): void {
  if (lines.line !== "") {
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
  }
  if (text !== "") lines.write(text);
}

/** Who has not pressed a key for so long is taken to have looked. */
const pauseMs = 700;
const historyMax = 100;
const defaultColumns = 80;
const columnsMin = 8;

// A terminal keeps what is typed until somebody reads it: a line may be there before the question that it seems to
// answer.
/** Runs when all that was typed before this call has been read from a stdin that is being read. */
function afterUnreadKeys(run: () => void): void {
  // The event loop looks at the terminal before it runs immediates; what was there when the first of them ran, or came
  // just too late for it, has been read when the second one does.
  setImmediate(() => setImmediate(run));
}
