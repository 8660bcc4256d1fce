// SPDX-License-Identifier: MIT OR Apache-2.0
// The cases that need a process: the built `mix agent acp`, with agentd and the demo agent.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCast } from "../cases/scene.ts";
import { openShell, whyNoTmux } from "../harness/shell.ts";
import { Inbox } from "../../bus-client/testing/inbox.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import { BusUser } from "../harness/bus-user.ts";
import { type DaemonProcess, startDaemonProcess } from "../harness/daemon-process.ts";
import { makePlace, type Place } from "../harness/place.ts";

const mix = fileURLToPath(new URL("../../dist/bin/mix.cjs", import.meta.url));

let place: Place;
let daemon: DaemonProcess;
let user: BusUser;
beforeAll(async () => {
  place = makePlace();
  daemon = await startDaemonProcess(place);
  user = new BusUser(await daemon.connect());
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

interface Answer {
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** What an editor starts, and its lines. */
function startProgram({
  env = {},
  args = [],
}: { readonly env?: NodeJS.ProcessEnv; readonly args?: readonly string[] } = {}) {
  const child = spawn(process.execPath, [mix, "agent", "acp", "--agent", "demo", ...args], {
    env: { ...place.environment, ...env },
    cwd: place.root,
  });
  return programOf(child);
}

function programOf(child: ChildProcessWithoutNullStreams) {
  const lines = new Inbox<string>();
  let errors = "";
  child.stdin.on("error", () => {});
  createInterface({ input: child.stdout }).on("line", lines.push);
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const exited = once(child, "close");
  return {
    child,
    lines,
    errors: () => errors,
    send: (id: number, method: string, params: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`),
    answer: async (id: number): Promise<Answer> =>
      JSON.parse(
        await lines.nextWhere((line) => (JSON.parse(line) as Answer).id === id, `the answer to ${id}`),
      ) as Answer,
    exitCode: async (): Promise<number | null> => {
      await exited;
      return child.exitCode;
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.kill("SIGKILL")) await exited;
    },
  };
}

type Program = ReturnType<typeof startProgram>;

const initialize = { protocolVersion: 1, clientCapabilities: {} };
const stateOf = async (session: string) => (await user.call<SessionSnapshot>("agent.session.get", { session })).state;

/** Opens a session, and prompts it if there is a text. */
async function opened(program: Program, text?: string): Promise<string> {
  program.send(0, "initialize", initialize);
  program.send(1, "session/new", { cwd: place.directory(), mcpServers: [] });
  const sessionId = String((await program.answer(1)).result?.["sessionId"]);
  if (text === undefined) return sessionId;
  program.send(2, "session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  await program.lines.nextWhere((line) => line.includes('"agent_message_chunk"'), "a chunk");
  return sessionId;
}

test("F24 stdout is pure JSON-RPC even when a library prints", async () => {
  const noise = `process.stdin.once("data", () => {
    console.log("noise of console.log"); console.error("noise of console.error");
    process.stdout.write("noise of stdout"); process.emitWarning("noise of a warning");
  })`;
  const log = join(place.home, "face.log");
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(noise)}` };
  await using program = startProgram({ env, args: ["--log", log] });
  program.send(0, "initialize", initialize);
  expect(await program.answer(0)).toMatchObject({ result: { protocolVersion: 1 } });
  program.child.stdin.end();
  expect(await program.exitCode()).toBe(0);
  expect(program.lines.waiting).toEqual([]);
  expect(program.errors()).toBe("");
  for (const of of ["console.log", "console.error", "stdout", "a warning"])
    expect(readFileSync(log, "utf8")).toContain(`noise of ${of}`);
});

test("F15 UTF-8 both ways under LC_ALL=C", async () => {
  await using program = startProgram({ env: { LC_ALL: "C", LANG: "C" } });
  const sessionId = await opened(program);
  const text = "echo ¿qué? 日本 🚀";
  program.send(2, "session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  await program.answer(2);
  const { entries } = await user.call<{ entries: readonly object[] }>("agent.session.log", { session: sessionId });
  expect(entries).toContainEqual(expect.objectContaining({ role: "user", content: { type: "text", text } }));
});

test("F27 client closes its read end (EPIPE): exit quietly, session detached", async () => {
  await using program = startProgram();
  const session = await opened(program, "count 1000");
  program.child.stdout.destroy();
  expect(await program.exitCode()).toBe(0);
  expect(program.errors()).toBe("");
  await user.call("agent.session.wait", { session, until: "idle" });
  expect((await user.call<SessionSnapshot>("agent.session.get", { session })).running).toBeNull();
});

test.each([
  ["X01 EOF while idle: detach and exit 0", (program: Program) => program.child.stdin.end()],
  ["X03 SIGTERM behaves like EOF", (program: Program) => program.child.kill("SIGTERM")],
  ["X03 so does SIGHUP", (program: Program) => program.child.kill("SIGHUP")],
  ["X03 so does SIGINT", (program: Program) => program.child.kill("SIGINT")],
])("%s", async (_name, end) => {
  await using program = startProgram();
  const session = await opened(program);
  end(program);
  expect(await program.exitCode()).toBe(0);
  expect(program.errors()).toBe("");
  // It was never prompted.
  await user.call("agent.session.wait", { session, until: "ended" });
  expect(await stateOf(session)).toBe("closed");
});

test("X02 EOF during a turn cancels it", async () => {
  await using program = startProgram();
  const session = await opened(program, "count 1000");
  program.child.stdin.end();
  expect(await program.answer(2)).toMatchObject({ result: { stopReason: "cancelled" } });
  expect(await program.exitCode()).toBe(0);
  await user.call("agent.session.wait", { session, until: "idle" });
  expect(await stateOf(session)).toBe("idle");
});

test("X02 EOF during a turn, with --keep-running: it goes on", async () => {
  await using program = startProgram({ args: ["--keep-running"] });
  const session = await opened(program, "count 1000");
  program.child.stdin.end();
  expect(await program.exitCode()).toBe(0);
  expect(await stateOf(session)).toBe("running");
  await user.call("agent.session.cancel", { session });
});

// Reading the memory of a process at its address 0 fails with EIO.
test.skipIf(process.platform !== "linux")("X05 stdin read error: exit 1 and one stderr line", async () => {
  const unreadable = openSync("/proc/self/mem", "r");
  const child = spawn(process.execPath, [mix, "agent", "acp", "--agent", "demo"], {
    env: place.environment,
    stdio: [unreadable, "pipe", "pipe"],
  });
  closeSync(unreadable);
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
  await once(child, "close");
  expect(child.exitCode).toBe(1);
  expect(errors).toMatch(/^stdin cannot be read: EIO.*\n$/u);
});

test("X09 initialize is answered within 2 s of process start, no agent process started", async () => {
  const { sessions: before } = await user.call<{ sessions: readonly object[] }>("agent.session.list", {});
  await using program = startProgram();
  program.send(0, "initialize", initialize);
  expect(await program.answer(0)).toMatchObject({ result: { _meta: { agentd: { gateway: "connected" } } } });
  const { sessions } = await user.call<{ sessions: readonly object[] }>("agent.session.list", {});
  expect(sessions).toHaveLength(before.length);
});

test.skipIf(whyNoTmux() !== undefined)("X10 terminal auth runs the agent's login in the terminal", async () => {
  const inTerminal = { id: "tty", type: "terminal", name: "Log in here", args: ["--log-in"] };
  const logIn = 'test -t 0 && printf "code: " && read -r code && echo "$code" >> "$HOME/logged-in"';
  using cast = makeCast(
    { scripted: { initialize: { authMethods: [inTerminal] } } },
    {
      wrap: ([node, program, scenario]) => [
        "/bin/sh",
        "-c",
        `[ "$1" = --log-in ] || exec '${node}' '${program}' '${scenario}'; ${logIn}`,
        "agent",
      ],
    },
  );
  await using shell = await openShell(cast.place, { columns: 80, rows: 24 });
  // Where no agent is named, the only installed one is the face's. The shell shows any exit code but 0.
  const commands = ["acp login", "acp --agent scripted login", "login", "login scripted", "agents login scripted tty"];
  for (const command of commands) {
    await shell.run(`mix agent ${command}`, "code:");
    await shell.window.type(command);
    await shell.window.press("Enter");
    expect(await shell.window.shows(/logged in to scripted[^]*\$$/)).not.toContain("(exit");
  }
  expect(readFileSync(join(cast.place.home, "logged-in"), "utf8")).toBe(`${commands.join("\n")}\n`);
});
