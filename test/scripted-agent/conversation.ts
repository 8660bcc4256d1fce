// SPDX-License-Identifier: MIT OR Apache-2.0
// The scripted agent's state of its conversation with the client.
import type { Json, JsonObject } from "./scenario.ts";

export interface OpenPrompt {
  readonly id: Json;
  /** Aborts the steps of its rule. */
  readonly steps: AbortController;
}

export class Conversation {
  lastSessionId: Json | undefined;
  lastRequestId: Json | undefined;
  lastTerminalId: Json | undefined;
  lastCwd: string | undefined;
  configOptions: readonly JsonObject[] = [];
  readonly #prompts = new Map<string, OpenPrompt>();
  readonly #requests = new Map<string, (answer: JsonObject) => void>();
  #idle: (() => void)[] = [];
  #sessions = 0;
  #requestIds = 0;

  nextSessionId(): string {
    this.#sessions += 1;
    return `session-${this.#sessions}`;
  }

  nextRequestId(): number {
    this.#requestIds += 1;
    return this.#requestIds - 1;
  }

  openPrompt(sessionId: Json | undefined, id: Json): OpenPrompt {
    const prompt = { id, steps: new AbortController() };
    this.#prompts.set(JSON.stringify(sessionId), prompt);
    return prompt;
  }

  promptOf(sessionId: Json | undefined): OpenPrompt | undefined {
    return this.#prompts.get(JSON.stringify(sessionId));
  }

  /** Closes the prompt with this id, if there is one. */
  answered(id: Json): void {
    for (const [sessionId, prompt] of this.#prompts)
      if (JSON.stringify(prompt.id) === JSON.stringify(id)) this.#prompts.delete(sessionId);
  }

  /** Resolves with the client's response to our request. */
  answerTo(id: Json): Promise<JsonObject> {
    this.lastRequestId = id;
    return new Promise((resolve) => this.#requests.set(JSON.stringify(id), resolve));
  }

  /** Remembers the cwd of a client's request. */
  noteParams({ params }: JsonObject): void {
    const cwd = memberOf(params, "cwd");
    if (typeof cwd === "string") this.lastCwd = cwd;
  }

  /** Resolves the request that the response belongs to; drops an unexpected one. */
  settle(answer: JsonObject): void {
    this.lastTerminalId = memberOf(answer["result"], "terminalId") ?? this.lastTerminalId;
    const key = JSON.stringify(answer["id"] ?? null);
    const resolve = this.#requests.get(key);
    this.#requests.delete(key);
    resolve?.(answer);
    if (this.#requests.size > 0) return;
    for (const wake of this.#idle) wake();
    this.#idle = [];
  }

  /** Resolves when all of our requests are answered. */
  allAnswered(): Promise<void> {
    if (this.#requests.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject)[name] : undefined;
}
