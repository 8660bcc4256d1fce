// SPDX-License-Identifier: MIT OR Apache-2.0
import { appendFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { readLines } from "./line-reader.ts";
import { Conversation } from "./conversation.ts";
import { correctSteps, garbageSteps, sessionOf } from "./correct-agent.ts";
import type { Output } from "./output.ts";
import type { Play } from "./play.ts";
import { runSteps } from "./steps.ts";
import type { Json, JsonObject, Rule, Scenario, Step } from "./scenario.ts";

export interface ScriptedAgentOptions {
  readonly scenario: Scenario;
  readonly input: Readable;
  readonly output: Output;
  /** Called if the scenario is invalid. */
  readonly onFailure: (error: unknown) => void;
}

export class ScriptedAgent {
  readonly #options: ScriptedAgentOptions;
  readonly #conversation = new Conversation();
  readonly #seen = new Map<Rule, number>();
  /** Never aborts: only the steps of prompts can be aborted. */
  readonly #always = new AbortController().signal;

  constructor(options: ScriptedAgentOptions) {
    this.#options = options;
  }

  /** Plays the "start" rule up to its first wait, then starts reading. */
  start(): void {
    this.#play("start", "", undefined, () => []);
    const { input, scenario } = this.#options;
    if (scenario.neverReadStdin === true) return;
    readLines(
      input,
      (line) => this.#receive(line),
      () => this.#ended(),
    );
  }

  #receive(line: string): void {
    const { scenario } = this.#options;
    if (scenario.record !== undefined) appendFileSync(scenario.record, `${line}\n`);
    const frame = parseFrame(line);
    if (frame === undefined) return this.#play("garbage", line, undefined, () => garbageSteps);
    const { method } = frame;
    if (typeof method === "string") {
      this.#conversation.noteParams(frame);
      const steps = (): readonly Step[] => correctSteps(method, frame, scenario, this.#conversation);
      return this.#play(method, line, frame, steps);
    }
    this.#play("response", line, frame, () => []);
    this.#conversation.settle(frame);
  }

  #ended(): void {
    const stays = this.#options.scenario.ignore?.includes("eof") === true;
    this.#play("eof", "", undefined, () => (stays ? [] : [{ exit: 0 }]));
  }

  #play(event: string, line: string, frame: JsonObject | undefined, correct: () => readonly Step[]): void {
    const { input, output, onFailure } = this.#options;
    const conversation = this.#conversation;
    const sessionId = frame && sessionOf(frame);
    const signal =
      event === "session/prompt" && frame?.["id"] !== undefined
        ? conversation.openPrompt(sessionId, frame["id"]).steps.signal
        : this.#always;
    const play: Play = {
      ...(frame && { frame }),
      sessionId,
      signal,
      conversation,
      output,
      input,
      correctSteps: correct,
      run: runSteps,
    };
    const steps = this.#ruleFor(event, line)?.do ?? correct();
    runSteps(steps, play).catch((error: unknown) => {
      if (!signal.aborted && !isBrokenPipe(error)) onFailure(error);
    });
  }

  /** Returns the first matching rule. Every rule counts the events that match it, also those another rule takes. */
  #ruleFor(event: string, line: string): Rule | undefined {
    const isFrame = event !== "start" && event !== "eof" && event !== "garbage";
    const candidates = (this.#options.scenario.rules ?? []).filter(
      ({ on, match }) => (on === event || (on === "*" && isFrame)) && (match === undefined || line.includes(match)),
    );
    for (const rule of candidates) this.#seen.set(rule, (this.#seen.get(rule) ?? 0) + 1);
    return candidates.find((rule) => rule.nth === undefined || rule.nth === this.#seen.get(rule));
  }
}

function parseFrame(line: string): JsonObject | undefined {
  try {
    const value = JSON.parse(line) as Json;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EPIPE" || error.code === "EBADF");
}
