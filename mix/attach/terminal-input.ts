// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads keys and pastes from the terminal while the prompt line is open: raw mode, bracketed paste, Ctrl-Z.
import { EventEmitter } from "node:events";
import { emitKeypressEvents, type Key } from "node:readline";
import { StringDecoder } from "node:string_decoder";
import { movement } from "../../display/styled.ts";
import type { Context } from "../process/context.ts";
import { type Paste, PasteSplitter } from "./paste-splitter.ts";

export type InputContext = Pick<Context, "stdin" | "stderr" | "now" | "after" | "jobControl">;

export interface InputEvents {
  readonly key: (key: Key, typed: string | undefined) => void;
  readonly paste: (paste: Paste) => void;
  /** The terminal is gone. */
  readonly end: () => void;
  /** The process is about to stop or to exit. */
  readonly leaving: () => void;
  /** The process continues after it was stopped. */
  readonly resumed: () => void;
}

export class TerminalInput {
  readonly #context: InputContext;
  readonly #on: InputEvents;
  readonly #pastes: PasteSplitter;
  readonly #decoder = new StringDecoder("utf8");
  /** Node's decoder of escape sequences needs a stream only for its events. */
  readonly #keys = new EventEmitter();
  readonly #stopListening: () => void;
  #lastInputAt = Number.NEGATIVE_INFINITY;
  #cancelQuiet: () => void = () => undefined;
  #isClosed = false;

  /** A paste of more UTF-16 units than `pasteUnitsMax` is reported without its text. */
  constructor(context: InputContext, pasteUnitsMax: number, on: InputEvents) {
    this.#context = context;
    this.#on = on;
    this.#pastes = new PasteSplitter(pasteUnitsMax);
    emitKeypressEvents(this.#keys as unknown as NodeJS.ReadableStream);
    this.#keys.on("keypress", (typed: string | undefined, key: Key) => {
      if (!this.#isClosed) on.key(key, typed);
    });
    this.#stopListening = context.jobControl.listen({
      leave: () => {
        on.leaving();
        this.#setModes(false);
      },
      enter: () => {
        this.#setModes(true);
        on.resumed();
      },
    });
    const { stdin } = context;
    stdin.on("data", this.#read);
    stdin.on("end", on.end);
    stdin.on("error", this.#lost);
    // Giving back a terminal that is gone is an error as well.
    stdin.off("error", ignore).on("error", ignore);
    this.#setModes(true);
    stdin.resume();
  }

  /** Whether a paste has begun and was not reported yet. */
  get isPasting(): boolean {
    return this.#pastes.isPasting;
  }

  /** When the last key or part of a paste came. */
  get lastInputAt(): number {
    return this.#lastInputAt;
  }

  /** Gives the terminal back. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelQuiet();
    this.#stopListening();
    const { stdin } = this.#context;
    stdin.off("data", this.#read);
    stdin.off("end", this.#on.end);
    stdin.off("error", this.#lost);
    this.#setModes(false);
    stdin.pause();
  }

  /** The terminal is gone, and no SIGHUP has ended this process. */
  readonly #lost = (): void => this.#on.end();

  readonly #read = (chunk: Buffer | string): void => {
    const { now, after } = this.#context;
    const input = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    const pauseMs = now() - this.#lastInputAt;
    this.#lastInputAt = now();
    // A terminal that was cut off in the middle of a paste must not take all keys for its text.
    if (input === controlC && this.#pastes.isPasting && pauseMs > brokenPasteMs) this.#pastes.end();
    const keys = this.#pastes.push(input);
    if (keys !== "") this.#keys.emit("data", keys);
    this.#cancelQuiet();
    if (this.#pastes.awaitsQuiet) this.#cancelQuiet = after(quietMs, () => this.#on.paste(this.#pastes.end()));
  };

  #setModes(on: boolean): void {
    this.#context.stdin.setRawMode?.(on);
    void this.#context.stderr.text(on ? movement.markPastes : movement.leavePastesUnmarked);
  }
}

const ignore = (): void => undefined;
const controlC = "\u0003";
/** What comes within this time after a paste's end marker belongs to the paste. */
const quietMs = 50;
/** A terminal sends a paste without such pauses. */
const brokenPasteMs = 300;
