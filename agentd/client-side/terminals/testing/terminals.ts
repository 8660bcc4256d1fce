// SPDX-License-Identifier: MIT OR Apache-2.0
// Real terminals for tests, and the processes that their commands leave.
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { procSource } from "../../../../acp-client/process/process-source.ts";
import type { Marker, ProcessRow } from "../../../../acp-client/process/process-source.ts";
import { defaultLimits } from "../../../config/limits.ts";
import { startTerminal, type Terminal, type TerminalExit, type TerminalOptions } from "../terminal.ts";
import { terminalEnvironment } from "../terminal-environment.ts";

const table = procSource();

export interface OpenTerminal extends AsyncDisposable {
  readonly terminal: Terminal;
  readonly marker: Marker;
  /** The first exit that was reported. */
  readonly exit: Promise<TerminalExit>;
  readonly exits: readonly TerminalExit[];
  /** Resolves when the output contains the text. */
  says(text: string): Promise<void>;
  /** The running processes that have its marker. */
  living(): ProcessRow[];
}

/** Starts it in the temporary directory and releases it at the end of the scope. Throws if the start fails. */
export async function openTerminal(asked: Partial<TerminalOptions>): Promise<OpenTerminal> {
  const exits: TerminalExit[] = [];
  const told = new EventEmitter<{ exit: [TerminalExit] }>();
  const exit = once(told, "exit").then(([first]) => first as TerminalExit);
  const options = optionsOf(asked, (how) => {
    exits.push(how);
    told.emit("exit", how);
  });
  const started = await startTerminal(options);
  if ("failure" in started) throw new Error(started.failure.message);
  const { terminal } = started;
  const { marker } = options;
  return {
    terminal,
    marker,
    exit,
    exits,
    says: (text) => eventually(`it says ${text}`, () => terminal.output().output.includes(text)),
    living: () => bearing(marker),
    [Symbol.asyncDispose]: () => terminal.release(),
  };
}

export function shell(script: string, asked: Partial<TerminalOptions> = {}): Promise<OpenTerminal> {
  return openTerminal({ command: "/bin/sh", args: ["-c", script], ...asked });
}

/** Returns the failure of the start. */
export async function failureOf(asked: Partial<TerminalOptions>): Promise<{ code: string; message: string }> {
  const options = optionsOf(asked, () => {
    throw new Error("what never ran has exited");
  });
  const started = await startTerminal(options);
  if ("failure" in started) return started.failure;
  await started.terminal.release();
  throw new Error("it was started");
}

export function newMarker(): Marker {
  return { name: "AGENTD_TERMINAL", value: randomUUID() };
}

function bearing(marker: Marker): ProcessRow[] {
  return [...table.list()].filter(
    (row) => !row.zombie && table.environmentValues(row.pid, marker.name).includes(marker.value),
  );
}

export function isRunning(pid: number): boolean {
  const row = table.read(pid);
  return row !== undefined && !row.zombie;
}

/** Resolves when `isSo` returns true; rejects with `what` after twenty seconds. */
export async function eventually(what: string, isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`it never was so: ${what}`);
    await setTimeout(2);
  }
}

function optionsOf(asked: Partial<TerminalOptions>, onExit: TerminalOptions["onExit"]): TerminalOptions {
  const marker = asked.marker ?? newMarker();
  const environment = terminalEnvironment({ base: { PATH: process.env["PATH"] ?? "" }, requested: [], marker });
  if ("refusal" in environment) throw new Error(environment.refusal);
  const limits = { tailBytesMax: defaultLimits.terminalTailBytes, termGraceMs: defaultLimits.terminalGraceMs };
  return { command: "true", args: [], cwd: tmpdir(), env: environment.env, marker, ...limits, onExit, ...asked };
}
