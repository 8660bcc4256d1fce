// SPDX-License-Identifier: MIT OR Apache-2.0
// What the contract of the real agents needs of whoever drives them.

export interface AgentDriver {
  openSession(cwd: string): Promise<AgentSession>;
  /** A session that an earlier driver opened; resolves with what was said in it before. */
  loadSession(sessionId: string, cwd: string): Promise<{ readonly session: AgentSession; readonly replayed: string }>;
  /** Asks the agent to end and waits until its main process has; rejects when it does not within the deadline. */
  end(deadlineMs: number): Promise<void>;
}

export interface AgentSession {
  readonly id: string;
  prompt(text: string): Turn;
  cancel(): void;
}

export interface Turn {
  /** With ACP's stop reason. */
  readonly ended: Promise<string>;
  /** What the agent has said in this turn so far. */
  text(): string;
  said(words: string, deadlineMs: number): Promise<void>;
  /** The last status of each tool call told in this turn, in the order in which they began. */
  toolCallStatuses(): readonly string[];
  /** The next permission that this turn asks for. */
  permission(deadlineMs: number): Promise<OpenPermission>;
}

export interface OpenPermission {
  readonly kinds: readonly string[];
  /** Chooses the first option of that kind, or tells that the turn was cancelled. */
  answer(how: "allow_once" | "reject_once" | "cancelled"): void;
}

/** Agents are slow to start where the machine is busy: OpenCode was seen to need 19 s to initialize. */
export const startDeadlineMs = 90_000;
export const turnDeadlineMs = 60_000;
