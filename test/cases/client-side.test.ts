// SPDX-License-Identifier: MIT OR Apache-2.0
// What agents ask of their client with files and terminals, through a whole agentd: what the agent gets, what the log
// says, and what is left on the disk and among the processes.
// @module-tag slow
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { objectionsToClientFrame } from "../../acp-client/testing/official-schema.ts";
import type { JsonObject, RequestStep, Rule, Step } from "../scripted-agent/scenario.ts";
import type { ScriptedAgentFiles } from "../scripted-agent/agent-files.ts";
import type { Entry, LogPage, LogPiece } from "../../agentd/vocabulary/index.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { openLogReader } from "../order/log-reader.ts";
import { leftIn, leftOf, livingIn } from "./living.ts";
import { type EntryOf, makeCast, ofKind, openScene, startWatched, turnEnd } from "./scene.ts";

const sessionId = "$sessionId";
const terminalId = "$terminalId";
const endTurn: Step = { reply: { stopReason: "end_turn" } };

const ask = (id: string, method: string, params: JsonObject): RequestStep => ({
  request: method,
  id,
  params: { sessionId, ...params },
});
const read = (id: string, path: string, more: JsonObject = {}): RequestStep =>
  ask(id, "fs/read_text_file", { path, ...more });
const write = (id: string, path: string, content: string): RequestStep =>
  ask(id, "fs/write_text_file", { path, content });
const shell = (id: string, line: string, more: JsonObject = {}): RequestStep =>
  ask(id, "terminal/create", { command: "/bin/sh", args: ["-c", line], ...more });
const ofTerminal = (id: string, what: "output" | "wait_for_exit" | "kill" | "release"): RequestStep =>
  ask(id, `terminal/${what}`, { terminalId });
const later = (step: RequestStep): RequestStep => ({ ...step, await: false });

const onPrompt = (...steps: Step[]): { rules: Rule[] } => ({
  rules: [{ on: "session/prompt", do: [...steps, endTurn] }],
});

/** The client's answer to the agent's request of that id. */
function answerTo(agent: ScriptedAgentFiles, id: string): JsonObject | undefined {
  return agent.received().find((frame) => frame["id"] === id && frame["method"] === undefined);
}

/** What the published schema has against the client's answers. */
function objections(agent: ScriptedAgentFiles, steps: readonly RequestStep[]): string[] {
  return steps.flatMap(({ id, request }) => {
    const frame = answerTo(agent, id as string);
    return frame === undefined ? [`${request} was not answered`] : objectionsToClientFrame(frame, request);
  });
}

const files = (entries: readonly Entry[]): EntryOf<"file">[] => ofKind(entries, "file");
const terminals = (entries: readonly Entry[]): EntryOf<"terminal">[] => ofKind(entries, "terminal");
const phasesOf = (entries: readonly Entry[]): string[] => terminals(entries).map(({ phase }) => phase);

async function terminalEntry(user: BusUser, session: string, phase: string): Promise<EntryOf<"terminal">> {
  return await user.entry(session, (entry) => entry.kind === "terminal" && entry.phase === phase);
}

test("what an agent reads and writes is in its directory and in the log, and both are offered to it", async () => {
  const steps = [
    read("whole", "$cwd/there.txt"),
    read("lines", "$cwd/there.txt", { line: 2, limit: 1, _meta: { any: 1 } }),
    write("new", "$cwd/made/new.txt", "new\n"),
    write("old", "$cwd/there.txt", "other\n"),
    read("missing", "$cwd/missing"),
  ];
  await using scene = await openScene({ scripted: onPrompt(...steps) });
  const cwd = scene.place.directory();
  writeFileSync(join(cwd, "there.txt"), "one\r\ntwo\r\nthree");
  const session = await scene.idle({ cwd });
  await scene.user.prompt(session, "go");
  await turnEnd(scene.user, session);

  const agent = scene.agent();
  const initialize = agent.received().find(({ method }) => method === "initialize");
  expect(initialize).toMatchObject({
    params: { clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true } },
  });
  expect(answerTo(agent, "whole")).toEqual({ jsonrpc: "2.0", id: "whole", result: { content: "one\r\ntwo\r\nthree" } });
  expect(answerTo(agent, "lines")).toMatchObject({ result: { content: "two\r\n" } });
  expect(answerTo(agent, "new")).toEqual({ jsonrpc: "2.0", id: "new", result: {} });
  expect(answerTo(agent, "missing")).toMatchObject({ error: { code: -32002 } });
  expect(objections(agent, steps)).toEqual([]);
  expect(readFileSync(join(cwd, "made", "new.txt"), "utf8")).toBe("new\n");
  expect(readFileSync(join(cwd, "there.txt"), "utf8")).toBe("other\n");
  expect(readdirSync(cwd).toSorted()).toEqual(["made", "there.txt"]);
  const entries = await scene.user.log(session);
  expect(
    files(entries).map(({ op, phase, path, bytes, turn }) => [op, phase, path.slice(cwd.length + 1), bytes, turn]),
  ).toEqual([
    ["read", "done", "there.txt", 15, 1],
    ["read", "done", "there.txt", 5, 1],
    ["write", "intended", "made/new.txt", 4, 1],
    ["write", "done", "made/new.txt", 4, 1],
    ["write", "intended", "there.txt", 6, 1],
    ["write", "done", "there.txt", 6, 1],
    ["read", "refused", "missing", undefined, 1],
  ]);
});

test("what is outside is refused to the agent in words and said in the log, by read, write and as a terminal's directory", async () => {
  const steps = [
    read("read", "$cwd/out/secret"),
    write("write", "$cwd/out/made", "x"),
    write("above", "$cwd/../made", "x"),
    ask("terminal", "terminal/create", { command: "/bin/sh", args: ["-c", "touch made"], cwd: "$cwd/out" }),
    ask("relative", "fs/read_text_file", { path: "a" }),
    ask("half", "terminal/create", { args: [] }),
  ];
  await using scene = await openScene({ scripted: onPrompt(...steps) });
  const cwd = scene.place.directory();
  const out = join(scene.place.home, "out");
  mkdirSync(out);
  writeFileSync(join(out, "secret"), "s3cret");
  symlinkSync(out, join(cwd, "out"));
  const session = await scene.idle({ cwd });
  await scene.user.prompt(session, "go");
  await turnEnd(scene.user, session);

  const agent = scene.agent();
  for (const id of ["read", "write", "above", "terminal"]) {
    expect([id, answerTo(agent, id)]).toMatchObject([
      id,
      { error: { message: expect.stringContaining("session's directories") } },
    ]);
  }
  for (const id of ["relative", "half"]) expect(answerTo(agent, id)).toMatchObject({ error: { code: -32602 } });
  expect(objections(agent, steps)).toEqual([]);
  expect(readdirSync(out)).toEqual(["secret"]);
  expect(existsSync(join(cwd, "..", "made"))).toBe(false);
  const entries = await scene.user.log(session);
  expect(
    files(entries)
      .filter(({ phase }) => phase === "refused")
      .map(({ reason }) => reason),
  ).toEqual(["outside", "outside", "outside"]);
  expect(phasesOf(entries)).toEqual(["started", "failed"]);
  expect(ofKind(entries, "diagnostic").map(({ what }) => what)).toEqual(["invalid-params", "invalid-params"]);
  expect(JSON.stringify(entries)).not.toContain("s3cret");
});

test("a terminal starts, prints, ends and is released, and its end is in the log before who waits for it hears of it", async () => {
  const steps = [
    shell("create", "echo out; echo err >&2; pwd; echo $MINE; exit 3", { env: [{ name: "MINE", value: "v4lue" }] }),
    ofTerminal("wait", "wait_for_exit"),
    ofTerminal("output", "output"),
    ofTerminal("kill", "kill"),
    ofTerminal("again", "output"),
    ofTerminal("release", "release"),
    ofTerminal("gone", "output"),
    ofTerminal("gone-too", "kill"),
  ];
  await using scene = await openScene({ scripted: onPrompt(...steps) });
  const cwd = scene.place.directory();
  const session = await scene.idle({ cwd });
  await scene.user.prompt(session, "go");
  await turnEnd(scene.user, session);

  const agent = scene.agent();
  const entries = await scene.user.log(session);
  const [start, end] = terminals(entries);
  expect(answerTo(agent, "create")).toMatchObject({ result: { terminalId: start?.terminal } });
  expect(start).toMatchObject({ phase: "started", command: "/bin/sh", cwd, env: ["MINE"], turn: 1 });
  expect(end).toMatchObject({ phase: "exited", exit_code: 3, signal: null });
  expect(end?.tail?.split("\n").toSorted()).toEqual(["", cwd, "err", "out", "v4lue"].toSorted());
  expect(phasesOf(entries)).toEqual(["started", "exited", "released"]);
  expect(answerTo(agent, "wait")).toMatchObject({ result: { exitCode: 3, signal: null } });
  expect(answerTo(agent, "output")).toMatchObject({
    result: { output: end?.tail, truncated: false, exitStatus: { exitCode: 3, signal: null } },
  });
  expect(answerTo(agent, "kill")).toMatchObject({ result: {} });
  expect(answerTo(agent, "again")).toMatchObject({ result: { output: end?.tail } });
  expect(answerTo(agent, "release")).toMatchObject({ result: {} });
  for (const id of ["gone", "gone-too"]) {
    expect(answerTo(agent, id)).toMatchObject({ error: { code: -32002, data: { terminalId: start?.terminal } } });
  }
  expect(objections(agent, steps)).toEqual([]);
  expect(JSON.stringify(start)).not.toContain("v4lue");
});

test("a wait is answered when its terminal is killed, and taken back alone when its agent wants so", async () => {
  const steps = [
    shell("create", "sleep 600"),
    later(ofTerminal("taken-back", "wait_for_exit")),
    { notify: "$/cancel_request", params: { requestId: "taken-back" } } as Step,
    { awaitAnswers: true } as Step,
    later(ofTerminal("wait", "wait_for_exit")),
    ofTerminal("kill", "kill"),
    { awaitAnswers: true } as Step,
    ofTerminal("release", "release"),
  ];
  await using scene = await openScene({ scripted: onPrompt(...steps) });
  const session = await scene.idle();
  await scene.user.prompt(session, "go");
  await turnEnd(scene.user, session);
  const agent = scene.agent();
  expect(answerTo(agent, "taken-back")).toMatchObject({ error: { code: -32800 } });
  expect(answerTo(agent, "wait")).toMatchObject({ result: { exitCode: null, signal: "SIGTERM" } });
  expect(phasesOf(await scene.user.log(session))).toEqual(["started", "killed", "exited", "released"]);
});

test("a command that cannot be started is said to be so to the agent and in the log", async () => {
  await using scene = await openScene({
    scripted: onPrompt(ask("create", "terminal/create", { command: "no-such-program", args: ["x"] })),
  });
  const session = await scene.idle();
  await scene.user.prompt(session, "go");
  await turnEnd(scene.user, session);
  const entries = await scene.user.log(session);
  const [, failed] = terminals(entries);
  expect(failed).toMatchObject({ phase: "failed", message: expect.stringContaining("no-such-program") });
  expect(answerTo(scene.agent(), "create")).toMatchObject({ error: { code: -32603, message: failed?.message } });
});

test("an output far over what its agent wants is whole in the log, and read from there piece by piece (case 124)", async () => {
  const line = "all work and no play ";
  const bytes = 2_000_000;
  const steps = [
    shell("create", `yes '${line}' | head -c ${bytes}`, { outputByteLimit: 4_000_000 }),
    ofTerminal("wait", "wait_for_exit"),
    ofTerminal("release", "release"),
    shell("small", "printf 'aé%.0s' 1 2 3 4 5 6 7 8", { outputByteLimit: 5 }),
    ofTerminal("wait-small", "wait_for_exit"),
    ofTerminal("output-small", "output"),
    ofTerminal("release-small", "release"),
  ];
  await using scene = await openScene({ scripted: onPrompt(...steps) });
  const session = await scene.idle();
  await scene.user.prompt(session, "go");
  await turnEnd(scene.user, session);
  expect(answerTo(scene.agent(), "output-small")).toMatchObject({ result: { output: "éaé", truncated: true } });

  const page = await scene.user.call<LogPage>("agent.session.log", { session, kinds: ["terminal"] });
  const exited = page.entries.find((entry) => "truncated" in entry && "bytes" in entry);
  if (!exited) throw new Error("the end of the terminal is no entry of its own");
  let text = "";
  for (;;) {
    const offset = Buffer.byteLength(text);
    const piece = await scene.user.call<LogPiece>("agent.session.log", {
      session,
      entry: exited.seq,
      offset,
      bytes: 700_000,
    });
    text += piece.text;
    if (offset + Buffer.byteLength(piece.text) >= piece.total) break;
  }
  const { tail } = JSON.parse(text) as EntryOf<"terminal">;
  expect(tail).toHaveLength(bytes);
  expect(tail?.startsWith(`${line}\n${line}`)).toBe(true);
  const [, , , , small] = terminals(await scene.user.log(session, ["terminal"]));
  expect(small).toMatchObject({ phase: "exited", tail: "aé".repeat(8) });
});

test("what a secret's value would tell is not in the log, though a terminal prints it", async () => {
  const steps = [
    shell("create", "echo $MY_TOKEN", { env: [{ name: "MY_TOKEN", value: "t0p-s3cret" }] }),
    ofTerminal("wait", "wait_for_exit"),
    ofTerminal("output", "output"),
  ];
  await using scene = await openScene({ scripted: onPrompt(...steps) });
  const session = await scene.idle();
  await scene.user.prompt(session, "go");
  await turnEnd(scene.user, session);
  expect(answerTo(scene.agent(), "output")).toMatchObject({ result: { output: "t0p-s3cret\n" } });
  const entries = await scene.user.log(session);
  expect(terminals(entries)[1]).toMatchObject({ tail: "[redacted]\n" });
  expect(JSON.stringify(entries)).not.toContain("t0p-s3cret");
});

const endings: Readonly<Record<string, (user: BusUser, session: string) => Promise<unknown>>> = {
  "is closed": (user, session) => user.call("agent.session.close", { session }),
  "loses its agent": (user, session) => user.prompt(session, "die", "queue"),
};

test.each(Object.entries(endings))(
  "when a session %s, its terminals end with all that they left in the background, and the log says so",
  async (_, end) => {
    const rules: Rule[] = [
      { on: "session/prompt", match: "die", do: [{ kill: "SIGKILL" }] },
      {
        on: "session/prompt",
        do: [
          shell("create", "(setsid sleep 600 &) ; sleep 600"),
          later(ofTerminal("wait", "wait_for_exit")),
          shell("done", "setsid sleep 600 & exit 0"),
          ofTerminal("wait-done", "wait_for_exit"),
          endTurn,
        ],
      },
    ];
    await using scene = await openScene({ scripted: { rules } });
    const { user, place } = scene;
    const session = await scene.idle();
    await user.prompt(session, "go");
    await turnEnd(user, session);
    expect(livingIn(place).filter(({ command }) => command === "sleep 600")).toHaveLength(3);
    await end(user, session);
    await user.wait(session, "ended");
    expect(await leftIn(place)).toEqual([]);
    const exits = terminals(await user.log(session)).filter(({ phase }) => phase === "exited");
    await terminalEntry(user, session, "released");
    expect(exits.map(({ exit_code, signal }) => [exit_code, signal])).toEqual([
      [0, null],
      [null, expect.stringMatching(/^SIG(?:TERM|KILL)$/)],
    ]);
    expect(phasesOf(await user.log(session)).filter((phase) => phase === "released")).toHaveLength(2);
  },
);

test("when agentd stops, and when nothing can be logged any more, terminals are ended all the same and their ends are in the log", async () => {
  using cast = makeCast({
    scripted: onPrompt(shell("create", "echo $$ > tmp; mv tmp pid; exec sleep 600"), { waitForFile: "$cwd/pid" }),
  });
  const { place } = cast;
  const first = await startWatched(place);
  await using stops = first.daemon;
  const { user } = first;
  const started = async () => {
    const cwd = place.directory();
    const session = await user.start({ agent: "scripted", cwd, prompt: "go" });
    await turnEnd(user, session);
    return { session, pid: Number(readFileSync(join(cwd, "pid"), "utf8")) };
  };
  const [unlogged, stopped] = [await started(), await started()];
  {
    await using disk = openLogReader(join(place.stateDirectory, "log.db"));
    await disk.hold();
    const refused = await user.refusal("agent.session.close", { session: unlogged.session });
    expect(refused).toMatchObject({ code: "STORE_FAILED", body: { stopped: true } });
    expect(await leftOf([unlogged.pid])).toEqual([]);
    await disk.release();
  }
  await terminalEntry(user, unlogged.session, "exited");
  await user.wait(unlogged.session, "ended");
  await stops[Symbol.asyncDispose]();
  expect(await leftIn(place)).toEqual([]);

  const second = await startWatched(place);
  await using _ = second.daemon;
  for (const { session } of [unlogged, stopped]) {
    const entries = await second.user.log(session);
    expect(phasesOf(entries)).toHaveLength(3);
    expect(phasesOf(entries)).toEqual(expect.arrayContaining(["started", "released", "exited"]));
    const { signal } = terminals(entries).find(({ phase }) => phase === "exited") ?? {};
    expect(signal).toMatch(/^SIG(?:TERM|KILL)$/);
  }
});

test("two agents side by side have each their own files and terminals, and none of the other's", async () => {
  const steps = [
    write("write", "$cwd/mine.txt", "mine\n"),
    shell("create", "sleep 600"),
    ask("foreign", "terminal/output", { terminalId: "terminal-1" }),
  ];
  await using scene = await openScene({ one: onPrompt(...steps), two: onPrompt(...steps) });
  const { user, place } = scene;
  const start = async (agent: string) => {
    const cwd = place.directory();
    const session = await scene.idle({ agent, cwd });
    await user.prompt(session, "go");
    await turnEnd(user, session);
    return { session, cwd };
  };
  const [one, two] = [await start("one"), await start("two")];
  for (const { cwd } of [one, two]) expect(readFileSync(join(cwd, "mine.txt"), "utf8")).toBe("mine\n");
  await user.call("agent.session.close", { session: one.session });
  await user.wait(one.session, "ended");
  expect(livingIn(place).filter(({ command }) => command === "sleep 600")).toHaveLength(1);
  expect(phasesOf(await user.log(two.session))).toEqual(["started"]);
  expect(answerTo(scene.agent("two"), "foreign")).toMatchObject({ error: { code: -32002 } });
});

test("terminals of an agentd that was killed are found and ended, and the log says so once", async () => {
  using cast = makeCast({
    // The first of them has let go of everything by which it could be found, but of what was recorded of it.
    scripted: onPrompt(
      shell("bare", "echo $$ > tmp1; mv tmp1 bare; exec env -i sleep 600"),
      shell("marked", "echo $$ > tmp2; mv tmp2 marked; sleep 600"),
      { waitForFile: "$cwd/bare" },
      { waitForFile: "$cwd/marked" },
    ),
  });
  const { place } = cast;
  const killed = await startWatched(place);
  await using dies = killed.daemon;
  const cwd = place.directory();
  const session = await killed.user.start({ agent: "scripted", cwd });
  await killed.user.wait(session, "idle");
  await killed.user.prompt(session, "go");
  await turnEnd(killed.user, session);
  const pids = ["bare", "marked"].map((name) => Number(readFileSync(join(cwd, name), "utf8")));
  dies.child.kill("SIGKILL");
  await dies.exited;

  const first = await startWatched(place);
  await using stops = first.daemon;
  expect(await leftOf(pids)).toEqual([]);
  const log = await first.user.log(session);
  const ends = terminals(log).filter(({ phase }) => phase !== "started");
  expect(ends.map(({ phase, exit_code, signal }) => [phase, exit_code, signal])).toEqual([
    ["exited", null, null],
    ["exited", null, null],
    ["released", undefined, undefined],
    ["released", undefined, undefined],
  ]);
  expect((await first.user.call<{ ok: boolean }>("agent.log.verify", {})).ok).toBe(true);
  await stops[Symbol.asyncDispose]();
  const second = await startWatched(place);
  await using _ = second.daemon;
  expect(await second.user.log(session)).toEqual(log);
});
