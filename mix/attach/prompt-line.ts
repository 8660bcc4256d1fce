// SPDX-License-Identifier: MIT OR Apache-2.0
// A line editor at the bottom of a live view. It takes one row, so that it can be erased and redrawn whenever something
// is written above it. Keys are read all the time.
import { createInterface, type Interface } from "node:readline";
import { movement, rich } from "../../display/styled.ts";
import type { Context } from "../process/context.ts";
import { displayWidth } from "../../display/width.ts";
import { lineWindow } from "./line-window.ts";

export interface PromptLineEvents {
  /**
   * A line was entered. Pasted lines come as one text. `target` is undefined for a line typed before the first target.
   */
  readonly line: (text: string, target: string | undefined) => void;
  /** Ctrl-D was pressed. Ctrl-C is raised as an interrupt instead. */
  readonly end: () => void;
  /** The entered line is about to stay on the screen: the view must end its last row. */
  readonly endRow: () => void;
}

/** What a line is typed for: the prompt, or one question in one revision. */
export interface LineTarget {
  readonly target: string;
  /** The text before the line. */
  readonly prompt: string;
  /** The line answers a question. Whoever is in the middle of typing must not answer it by accident. */
  readonly asks: boolean;
}

type LineContext = Pick<Context, "stdin" | "stderr" | "interrupts" | "now" | "after">;

export class PromptLine {
  readonly #context: LineContext;
  readonly #on: PromptLineEvents;
  #lines: Interface | undefined;
  /** The target of the keys that arrive now. */
  #current: LineTarget | undefined;
  /** The target to switch to once all earlier keys are read. */
  #wanted: LineTarget | undefined;
  #lastKeyAt = Number.NEGATIVE_INFINITY;
  #cancelSwitch: () => void = () => undefined;
  /** Unfinished lines, for targets that may come back. */
  readonly #drafts = new Map<string, string>();
  /** Lines of one read, such as a paste. */
  #entered: string[] = [];
  /** The column in which the text above ends. */
  #column = 0;
  #isHidden = true;
  /** The value of `#column` when the line was drawn; undefined while it is not on the screen. */
  #drawnAt: number | undefined;

  constructor(context: LineContext, on: PromptLineEvents) {
    this.#context = context;
    this.#on = on;
  }

  get isOpen(): boolean {
    return this.#lines !== undefined;
  }

  /** Shows the line. Text that was typed for another target is kept for that one. */
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

  /** Erases the line until `open` is called again. */
  hide(): void {
    this.#erase();
    this.#isHidden = true;
  }

  /** Stops reading keys and gives the terminal back. */
  close(): void {
    const lines = this.#lines;
    if (lines === undefined) return;
    this.#reset();
    lines.close();
  }

  // Reads keys that were pressed before the new target was shown first: they belong to the previous one. So do the keys
  // of a person who keeps typing without having seen the question.
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
    // Without an output: this class draws the row itself, in order with everything else that is written.
    const lines = createInterface({ input: stdin, terminal: true, historySize: historyMax });
    let isDue = false;
    // Draws once for all keys of one read.
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
    // The lines of one paste arrive within this tick. They are one text, not one prompt each.
    setImmediate(() => {
      if (this.#entered === entered) this.#entered = [];
      const text = entered.join("\n");
      if (this.#lines === lines && current !== undefined && this.#isShown(current)) this.#leaveOnScreen(current, text);
      // Report it even if the line was closed meanwhile: entered text must not vanish silently.
      this.#on.line(text, current?.target);
    });
  }

  #leaveOnScreen({ prompt }: LineTarget, text: string): void {
    this.hide();
    this.#on.endRow();
    void this.#context.stderr.text(`${prompt}${text}\n`);
  }

  /** An outdated question's line is not shown below the next question. A prompt's line is, until the person pauses. */
  #isShown({ target, asks }: LineTarget): boolean {
    return this.#wanted?.target === target || !asks;
  }

  #draw(): void {
    const [lines, now] = [this.#lines, this.#current];
    if (lines === undefined || now === undefined || !this.#isShown(now)) return;
    if (this.#isHidden || this.#entered.length > 0) return;
    const { line, cursor } = lines;
    const column = this.#column;
    // While the text above is in the middle of a row, an empty line below it is not drawn.
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

  // Call it before closing the interface: otherwise the `close` event counts as the end of input.
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

/** A person who has not pressed a key for this long is taken to have seen the screen. */
const pauseMs = 700;
const historyMax = 100;
const defaultColumns = 80;
const columnsMin = 8;

// The terminal buffers what is typed: a line may have been entered before the question that it seems to answer.
/** Runs `run` once everything that was typed before this call has been read. stdin must be flowing. */
function afterUnreadKeys(run: () => void): void {
  // The event loop polls the terminal before it runs immediates. Keys that were there when the first one ran, or came
  // just too late for its poll, have been read when the second one runs.
  setImmediate(() => setImmediate(run));
}
