// SPDX-License-Identifier: MIT OR Apache-2.0
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import type { AgentClient } from "../agent-client.ts";
import type { AgentEvent, Done, Outcome } from "../agent-events.ts";
import { startAgent, type AgentOptions } from "../client.ts";

export interface RealClient {
  readonly client: AgentClient;
  readonly events: AgentEvent[];
  /** Event types, "done" and "batch end", in order. */
  readonly story: string[];
  /** Sends a request and resolves to its outcome. */
  readonly ask: <T>(request: (done: Done<T>) => void) => Promise<Outcome<T>>;
  /** Resolves to the first event, past or future, that fits. Rejects after 20 s. */
  readonly event: (fits: (event: AgentEvent) => boolean) => Promise<AgentEvent>;
}

const eventDeadlineMs = 20_000;

/** Starts a client with a real child process. The caller must stop it. */
export function realClient(command: readonly [string, ...string[]], options: Partial<AgentOptions> = {}): RealClient {
  const events: AgentEvent[] = [];
  const story: string[] = [];
  const waiting = new Set<() => void>();
  const client = startAgent(
    {
      protocol: 1,
      command,
      cwd: tmpdir(),
      env: { PATH: process.env["PATH"] ?? "" },
      marker: { name: "ACP_CLIENT_TEST", value: randomUUID() },
      clientInfo: { name: "agentd", version: "0.1.0" },
      ...options,
    },
    {
      onEvent: (event) => {
        events.push(event);
        story.push(event.type);
        for (const look of waiting) look();
      },
      onBatchEnd: () => story.push("batch end"),
    },
  );
  return {
    client,
    events,
    story,
    ask: (request) =>
      new Promise((resolve) => {
        request((outcome) => {
          story.push("done");
          resolve(outcome);
        });
      }),
    event: (fits) =>
      new Promise((resolve, reject) => {
        const deadline = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`No such event within ${eventDeadlineMs} ms`));
        }, eventDeadlineMs);
        const look = (): void => {
          const found = events.find(fits);
          if (found === undefined) return;
          clearTimeout(deadline);
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}
