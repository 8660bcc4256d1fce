// SPDX-License-Identifier: MIT OR Apache-2.0
// Rules for terminals that an agent runs through its client (ACP's terminal/*). Start, kill and release are logged
// before they happen. Output is readable at any time; the log has its tail once the terminal has exited.
import type { Draft } from "../draft.ts";
import { currentTurn, isServed, turnMembers, type OpenTerminal, type RequestKey } from "../state.ts";
import { answer, terminalNotFound, toInternalError, refuseRequest, sessionEnding } from "./answers.ts";
import type { TerminalInput } from "./client-side-input.ts";

type Create = Extract<TerminalInput, { type: "terminal_create" }>;

/** Logs the command before it runs, or refuses it at the session's limit (terminal/create). */
export function onTerminalCreate(draft: Draft, { key, command, args, cwd, env, citizen }: Create): void {
  const { state } = draft;
  const where = currentTurn(state);
  const terminal = `terminal-${state.seq + 1}`;
  const entry = { kind: "terminal", ...where, terminal, command, args, cwd: cwd ?? state.cwd } as const;
  const message = findStartProblem(draft);
  if (message !== undefined) {
    draft.add({ ...entry, phase: "failed", message });
    return refuseRequest(draft, key, toInternalError(message));
  }
  const names = env.length === 0 ? {} : { env };
  draft.add({ ...entry, phase: "started", ...names, ...(citizen === undefined ? {} : { citizen }) });
  state.terminals = [...state.terminals, { terminal, turn: where.turn, exited: false, released: false }];
  draft.effect({ type: "client_side", effect: { type: "start_terminal", key, terminal } });
}

function findStartProblem({ state, context }: Draft): string | undefined {
  const { terminalsMax } = context.limits;
  if (!isServed(state)) return sessionEnding;
  if (state.terminals.length < terminalsMax) return undefined;
  return `this session already has ${terminalsMax} terminals: release one first`;
}

/** Handles a command that was logged and could not be started. */
export function onTerminalFailed(draft: Draft, input: Extract<TerminalInput, { type: "terminal_failed" }>): void {
  const { key, terminal, message } = input;
  const open = findTerminal(draft, terminal);
  if (!open) return;
  draft.state.terminals = draft.state.terminals.filter((other) => other !== open);
  draft.add({ kind: "terminal", ...turnMembers(draft.state, open.turn), terminal, phase: "failed", message });
  refuseRequest(draft, key, toInternalError(message));
}

/** Logs the exit once, then tells those who wait for it (terminal/wait_for_exit). */
export function onTerminalExited(draft: Draft, input: Extract<TerminalInput, { type: "terminal_exited" }>): void {
  const { terminal, exitCode, signal, tail, truncated } = input;
  const open = findTerminal(draft, terminal);
  if (!open || open.exited) return;
  draft.add({
    kind: "terminal",
    ...turnMembers(draft.state, open.turn),
    terminal,
    phase: "exited",
    exit_code: exitCode,
    signal,
    tail,
    ...(truncated ? { truncated } : {}),
  });
  replaceTerminal(draft, open, { ...open, exited: true });
  draft.effect({ type: "client_side", effect: { type: "tell_exit", terminal, exitCode, signal } });
}

type TerminalAction = Extract<TerminalInput, { type: "terminal_kill" | "terminal_release" }>;

/** Logs the kill before it happens. A terminal that has exited is answered at once (terminal/kill). */
export function onTerminalKill(draft: Draft, { key, terminal }: TerminalAction): void {
  const open = findUsableTerminal(draft, key, terminal);
  if (!open) return;
  if (open.exited) return answer(draft, key, {});
  draft.add({ kind: "terminal", ...turnMembers(draft.state, open.turn), terminal, phase: "killed" });
  draft.effect({ type: "client_side", effect: { type: "kill_terminal", key, terminal } });
}

/** Logs the release before it happens; the agent may not name the terminal afterwards (terminal/release). */
export function onTerminalRelease(draft: Draft, { key, terminal }: TerminalAction): void {
  const open = findUsableTerminal(draft, key, terminal);
  if (!open) return;
  emitReleased(draft, open);
  draft.effect({ type: "client_side", effect: { type: "release_terminal", key, terminal } });
}

/** Releases all terminals of an ending session. Stopping the agent ends their processes. */
export function releaseTerminals(draft: Draft): void {
  for (const open of draft.state.terminals) if (!open.released) emitReleased(draft, open);
}

/** Logs that the terminals of a dead agentd have exited with an unknown status. */
export function emitTerminalsLost(draft: Draft): void {
  for (const { terminal, turn, exited } of draft.state.terminals) {
    if (exited) continue;
    const where = turnMembers(draft.state, turn);
    draft.add({ kind: "terminal", ...where, terminal, phase: "exited", exit_code: null, signal: null });
  }
  releaseTerminals(draft);
  draft.state.terminals = [];
}

function emitReleased(draft: Draft, open: OpenTerminal): void {
  const { terminal, turn } = open;
  draft.add({ kind: "terminal", ...turnMembers(draft.state, turn), terminal, phase: "released" });
  replaceTerminal(draft, open, { ...open, released: true });
}

/** A terminal is forgotten once it has exited and was released. */
function replaceTerminal({ state }: Draft, open: OpenTerminal, now: OpenTerminal): void {
  const others = state.terminals.filter((other) => other !== open);
  state.terminals = now.exited && now.released ? others : [...others, now];
}

function findTerminal({ state }: Draft, terminal: string): OpenTerminal | undefined {
  return state.terminals.find((open) => open.terminal === terminal);
}

/** Finds a terminal that the agent may name, or refuses the request. */
function findUsableTerminal(draft: Draft, key: RequestKey, terminal: string): OpenTerminal | undefined {
  const open = findTerminal(draft, terminal);
  if (!isServed(draft.state)) refuseRequest(draft, key, toInternalError(sessionEnding));
  else if (open?.released === false) return open;
  else refuseRequest(draft, key, terminalNotFound(terminal));
  return undefined;
}
