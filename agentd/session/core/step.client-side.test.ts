// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EntryContent, FileEntry, TerminalEntry } from "../../vocabulary/index.ts";
import type { ClientSideEffect, ClientSideInput } from "./client-side/client-side-input.ts";
import { SessionScript } from "./testing/session-script.ts";

function running(): SessionScript {
  const script = new SessionScript({ prompt: "go" });
  script.up();
  return script;
}

function asked(script: SessionScript, input: ClientSideInput): readonly EntryContent[] {
  return script.put({ type: "client_side", input });
}

function effectsOf(script: SessionScript): ClientSideEffect[] {
  return script.effects.flatMap((effect) => (effect.type === "client_side" ? [effect.effect] : []));
}

function lastEffect(script: SessionScript): ClientSideEffect | undefined {
  return effectsOf(script).at(-1);
}

const refusal = { reason: "outside", message: "not yours", code: -32602 };
const create = { type: "terminal_create", key: 7, command: "make", args: ["all"], env: ["CC"] } as const;
const exit = { type: "terminal_exited", exitCode: 0, signal: null, tail: "done\n", truncated: false } as const;

function started(script: SessionScript): string {
  const [entry] = asked(script, create);
  return (entry as TerminalEntry).terminal;
}

test("a read file is handed over after its entry, and a refusal tells log and agent why", () => {
  const script = running();
  expect(asked(script, { type: "file_read", key: 1, path: "/work/a", outcome: { ok: true, bytes: 3 } })).toEqual([
    { kind: "file", turn: 1, op: "read", path: "/work/a", phase: "done", bytes: 3 },
  ]);
  expect(lastEffect(script)).toEqual({ type: "hand_over", key: 1 });
  expect(asked(script, { type: "file_read", key: 2, path: "/etc/x", outcome: { ok: false, refusal } })).toEqual([
    { kind: "file", turn: 1, op: "read", path: "/etc/x", phase: "refused", reason: "outside", message: "not yours" },
  ]);
  expect(lastEffect(script)).toEqual({ type: "refuse", key: 2, error: { code: -32602, message: "not yours" } });
});

test("a write is logged, written, logged as done, then answered; a moved directory is reported", () => {
  const script = running();
  asked(script, { type: "file_write", key: 3, path: "/work/a", bytes: 5 });
  const seq = script.state.seq;
  expect(script.entries.at(-1)).toMatchObject({ kind: "file", op: "write", phase: "intended", bytes: 5 });
  const temporaryName = `.agentd-aaaaaaaaaaaa-${seq}.tmp`;
  expect(lastEffect(script)).toEqual({ type: "write_file", key: 3, seq, temporaryName });
  const done = asked(script, { type: "file_written", seq, outcome: { ok: true, moved: true } });
  expect(done).toMatchObject([
    { kind: "file", turn: 1, phase: "done", intended: seq },
    { kind: "diagnostic", what: "file-moved" },
  ]);
  expect(lastEffect(script)).toEqual({ type: "answer", key: 3, result: {} });
  expect(asked(script, { type: "file_written", seq, outcome: { ok: true } })).toEqual([]);
});

test("a write over the limit is refused and never announced", () => {
  const script = running();
  expect(asked(script, { type: "file_write", key: 3, path: "/work/a", bytes: 1_000_001 })).toMatchObject([
    { kind: "file", phase: "refused", reason: "too-big" },
  ]);
  expect(effectsOf(script).map(({ type }) => type)).toEqual(["refuse"]);
});

test("a terminal is named after its entry, which has variable names without values, and waiters hear of its exit after it is logged", () => {
  const script = running();
  const terminal = started(script);
  expect(terminal).toBe(`terminal-${script.state.seq}`);
  expect(script.entries.at(-1)).toEqual({
    kind: "terminal",
    turn: 1,
    terminal,
    phase: "started",
    command: "make",
    args: ["all"],
    cwd: "/work",
    env: ["CC"],
  });
  expect(lastEffect(script)).toEqual({ type: "start_terminal", key: 7, terminal });
  expect(asked(script, { ...exit, terminal })).toMatchObject([
    { kind: "terminal", terminal, phase: "exited", exit_code: 0, signal: null, tail: "done\n" },
  ]);
  expect(lastEffect(script)).toEqual({ type: "tell_exit", terminal, exitCode: 0, signal: null });
  expect(asked(script, { type: "terminal_kill", key: 8, terminal })).toEqual([]);
  expect(lastEffect(script)).toEqual({ type: "answer", key: 8, result: {} });
  expect(asked(script, { type: "terminal_release", key: 9, terminal })).toMatchObject([{ phase: "released" }]);
  expect(lastEffect(script)).toEqual({ type: "release_terminal", key: 9, terminal });
  expect(script.state.terminals).toEqual([]);
  asked(script, { type: "terminal_kill", key: 10, terminal });
  expect(lastEffect(script)).toMatchObject({ type: "refuse", key: 10, error: { code: -32002 } });
});

test("a terminal is killed and released after the entries that say so, and its exit counts when it comes", () => {
  const script = running();
  const terminal = started(script);
  expect(asked(script, { type: "terminal_kill", key: 8, terminal })).toMatchObject([{ phase: "killed" }]);
  expect(lastEffect(script)).toEqual({ type: "kill_terminal", key: 8, terminal });
  expect(asked(script, { type: "terminal_release", key: 9, terminal })).toMatchObject([{ phase: "released" }]);
  asked(script, { type: "terminal_release", key: 10, terminal });
  expect(lastEffect(script)).toMatchObject({ type: "refuse", key: 10, error: { code: -32002 } });
  expect(asked(script, { ...exit, terminal, exitCode: null, signal: "SIGKILL" })).toMatchObject([
    { phase: "exited", signal: "SIGKILL" },
  ]);
  expect(script.state.terminals).toEqual([]);
});

test("a command that cannot start is logged as failed, and a session's terminals are limited", () => {
  const script = running();
  const terminal = started(script);
  expect(asked(script, { type: "terminal_failed", key: 7, terminal, message: "no such program" })).toMatchObject([
    { kind: "terminal", terminal, phase: "failed", message: "no such program" },
  ]);
  expect(lastEffect(script)).toMatchObject({ type: "refuse", key: 7 });
  for (let count = 0; count < script.settings.terminalsMax; count += 1) started(script);
  expect(asked(script, create)).toMatchObject([{ phase: "failed", command: "make" }]);
  expect(lastEffect(script)).toMatchObject({ type: "refuse", key: 7 });
  expect(script.state.terminals).toHaveLength(script.settings.terminalsMax);
});

test("entries of an ended turn's writes and terminals are late and stay in that turn", () => {
  const script = running();
  const terminal = started(script);
  script.answered(1);
  script.prompt("more");
  expect(asked(script, { ...exit, terminal })).toMatchObject([{ turn: 1, late: true, phase: "exited" }]);
  script.answered(2);
  expect(asked(script, { type: "file_read", key: 1, path: "/work/a", outcome: { ok: true, bytes: 0 } })).toMatchObject([
    { turn: 2, late: true },
  ]);
});

test("an agent is still served while its turn is cancelled, but not while its session closes", () => {
  const script = running();
  const terminal = started(script);
  script.cancel();
  asked(script, { type: "file_write", key: 3, path: "/work/a", bytes: 5 });
  const seq = script.state.seq;
  expect(lastEffect(script)).toMatchObject({ type: "write_file" });
  const closing = script.command("agent.session.close", {});
  expect(closing).toContainEqual(expect.objectContaining({ kind: "terminal", terminal, phase: "released" }));
  // The announced write was done, so its outcome is logged.
  expect(asked(script, { type: "file_written", seq, outcome: { ok: true } })).toMatchObject([{ phase: "done" }]);
  for (const input of [
    { type: "file_read", key: 4, path: "/work/a", outcome: { ok: true, bytes: 3 } },
    { type: "file_write", key: 4, path: "/work/a", bytes: 3 },
    { ...create, key: 4 },
    { type: "terminal_kill", key: 4, terminal },
    { type: "terminal_release", key: 4, terminal },
  ] as const satisfies readonly ClientSideInput[]) {
    asked(script, input);
    expect(lastEffect(script)).toMatchObject({ type: "refuse", key: 4, error: { code: -32603 } });
  }
  expect(asked(script, { ...exit, terminal, exitCode: null, signal: "SIGKILL" })).toHaveLength(1);
  script.put({ type: "stopped" });
  expect(script.entries.at(-1)).toMatchObject({ kind: "state", state: "closed" });
});

test("a recovery ends the writes and terminals of a dead agentd once, and repeating it changes nothing", () => {
  const script = running();
  started(script);
  const released = started(script);
  asked(script, { type: "terminal_release", key: 1, terminal: released });
  asked(script, { type: "file_write", key: 3, path: "/work/a", bytes: 5 });
  const input = { type: "recover", turns: [], openTools: [], processesEnded: 0 } as const;
  const told = script.put(input);
  const phases = told.flatMap((entry) => (entry.kind === "file" || entry.kind === "terminal" ? [entry.phase] : []));
  expect(phases).toEqual(["refused", "exited", "exited", "released"]);
  expect(told[0]).toMatchObject({ kind: "file", reason: "interrupted", path: "/work/a" });
  expect(script.put(input)).toEqual([]);
});

test("each announced write has one outcome, and each terminal one start and one end", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), (events) => {
      const script = running();
      for (const event of events) happen(script, event);
      script.command("agent.session.close", {});
      for (const { seq } of script.state.writes) asked(script, { type: "file_written", seq, outcome: { ok: true } });
      for (const { terminal } of script.state.terminals) asked(script, { ...exit, terminal });
      script.put({ type: "stopped" });
      expect(script.state.writes).toEqual([]);
      expect(script.state.terminals).toEqual([]);
      const files = script.entries.filter((entry): entry is FileEntry => entry.kind === "file");
      const intended = files.filter(({ phase }) => phase === "intended").length;
      expect(files.filter((entry) => entry.intended !== undefined)).toHaveLength(intended);
      for (const terminal of new Set(terminalsOf(script).map((entry) => entry.terminal))) {
        const phases = terminalsOf(script).flatMap((entry) => (entry.terminal === terminal ? [entry.phase] : []));
        const ends = phases.filter((phase) => phase === "exited" || phase === "failed");
        expect(ends).toHaveLength(1);
        if (phases[0] === "started" && ends[0] === "exited") {
          expect(phases.filter((phase) => phase === "released")).toHaveLength(1);
        } else expect(phases.filter((phase) => phase === "started").length).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 300 },
  );
});

function terminalsOf(script: SessionScript): TerminalEntry[] {
  return script.entries.filter((entry): entry is TerminalEntry => entry.kind === "terminal");
}

const happening = fc.record({
  what: fc.constantFrom(
    "write",
    "written",
    "create",
    "failed",
    "exited",
    "kill",
    "release",
    "answered",
    "exits",
    "cancel",
  ),
  nth: fc.nat(3),
});

function happen(script: SessionScript, { what, nth }: { readonly what: string; readonly nth: number }): void {
  const write = script.state.writes[nth];
  const terminal = script.state.terminals[nth]?.terminal ?? "terminal-0";
  switch (what) {
    case "write":
      return void asked(script, { type: "file_write", key: 1, path: `/work/${nth}`, bytes: nth });
    case "written":
      if (write) asked(script, { type: "file_written", seq: write.seq, outcome: { ok: true } });
      return;
    case "create":
      return void asked(script, create);
    case "failed":
      // Only a terminal that has not started yet can fail.
      if (script.state.terminals[nth]?.exited === false)
        asked(script, { type: "terminal_failed", key: 2, terminal, message: "no" });
      return;
    case "exited":
      return void asked(script, { ...exit, terminal });
    case "kill":
      return void asked(script, { type: "terminal_kill", key: 3, terminal });
    case "release":
      return void asked(script, { type: "terminal_release", key: 4, terminal });
    case "answered":
      return void script.answered(1);
    case "exits":
      return void script.exits(1);
    default:
      return void script.cancel();
  }
}

test("what an editor reads, writes and runs is logged with its name, also when agentd has written it in the end", () => {
  const script = running();
  const citizen = "acp-a";
  const read = { type: "file_read", key: 1, path: "/work/a" } as const;
  expect(asked(script, { ...read, outcome: { ok: true, bytes: 3, citizen } })).toMatchObject([
    { phase: "done", citizen },
  ]);
  const write = { type: "file_write", key: 2, path: "/work/a", bytes: 5, citizen } as const;
  expect(asked(script, write)).toMatchObject([{ phase: "intended", citizen }]);
  const [done] = asked(script, { type: "file_written", seq: script.state.seq, outcome: { ok: true } });
  expect(done).toMatchObject({ phase: "done" });
  expect(done).not.toHaveProperty("citizen");
  asked(script, write);
  const seq = script.state.seq;
  expect(asked(script, { type: "file_written", seq, outcome: { ok: true, citizen } })).toMatchObject([{ citizen }]);
  expect(asked(script, { ...create, citizen })).toMatchObject([{ phase: "started", citizen }]);
  asked(script, write);
  const recovered = script.put({ type: "recover", turns: [], openTools: [], processesEnded: 0 });
  expect(recovered).toContainEqual(
    expect.objectContaining({ reason: "interrupted", message: expect.stringContaining(citizen) }),
  );
});
