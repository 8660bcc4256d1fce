// SPDX-License-Identifier: MIT OR Apache-2.0
// The built `mix agent acp` as an editor has it: sessions outlive it, and are answered and stopped from elsewhere.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionSnapshot } from "../agentd/vocabulary/replies.ts";
import { isRecord } from "../json/record.ts";
import { BusUser } from "./harness/bus-user.ts";
import { type DaemonProcess, startDaemonProcess } from "./harness/daemon-process.ts";
import { within } from "./harness/deadline.ts";
import { makePlace, type Place } from "./harness/place.ts";

const mix = fileURLToPath(new URL("../dist/bin/mix.cjs", import.meta.url));

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

type Frame = Readonly<Record<string, unknown>>;

/** An editor's side of a face that it has started. */
function editor() {
  const child = spawn(process.execPath, [mix, "agent", "acp", "--agent", "demo"], { env: place.environment, cwd: "/" });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  child.stdin.on("error", () => {});
  const exited = once(child, "close");
  let ids = 0;
  const write = (frame: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`);
  /** Resolves to the first frame that fits, of all that came and will come. */
  const next = async (fits: (frame: Frame) => boolean, what: string): Promise<Frame> => {
    const found = (): Frame | undefined => lines.map((line) => JSON.parse(line) as Frame).find(fits);
    const coming = (async () => {
      while (found() === undefined) await once(child.stdout, "data");
    })();
    await within(20_000, () => `${what} did not come, but ${lines.join("\n").slice(-2_000)}`, coming);
    return found() ?? {};
  };
  const send = (method: string, params: object): Promise<Frame> => {
    const id = (ids += 1);
    write({ id, method, params });
    return next((frame) => frame["id"] === id && frame["method"] === undefined, `the answer to ${method}`);
  };
  return {
    child,
    write,
    next,
    send,
    /** Resolves to a new session. */
    async open(cwd: string): Promise<string> {
      await send("initialize", { protocolVersion: 1, clientCapabilities: {} });
      const { result } = await send("session/new", { cwd, mcpServers: [] });
      return String(isRecord(result) ? result["sessionId"] : undefined);
    },
    prompt: (sessionId: string, text: string) =>
      send("session/prompt", { sessionId, prompt: [{ type: "text", text }] }),
    update: (kind: string) => next((frame) => JSON.stringify(frame).includes(`"sessionUpdate":"${kind}"`), kind),
    /** The kinds of the updates so far. */
    kinds: (): unknown[] => lines.flatMap((line) => /"sessionUpdate":"(\w+)"/.exec(line)?.[1] ?? []),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

const snapshot = (session: string) => user.call<SessionSnapshot>("agent.session.get", { session });

test("a permission is asked in the editor and elsewhere; answered elsewhere, its dialog is withdrawn", async () => {
  await using one = editor();
  const session = await one.open(place.directory());
  await one.send("session/set_mode", { sessionId: session, modeId: "ask" });
  const answered = one.prompt(session, "write hello.txt");
  const asked = await one.next((frame) => frame["method"] === "session/request_permission", "the permission");
  const permit = spawn(process.execPath, [mix, "agent", "permit", "allow", session], {
    env: place.environment,
    stdio: "ignore",
  });
  expect(await once(permit, "close")).toEqual([0, null]);
  const withdrawn = await one.next((frame) => frame["method"] === "$/cancel_request", "the withdrawal");
  expect(withdrawn["params"]).toEqual({ requestId: asked["id"] });
  // A late answer is ignored.
  one.write({ id: asked["id"], result: { outcome: { outcome: "cancelled" } } });
  expect(await answered).toMatchObject({ result: { stopReason: "end_turn" } });
});

test("a face that is killed in a turn leaves a cancelled turn and a session that another face loads and deletes", async () => {
  const cwd = place.directory();
  let session = "";
  {
    await using first = editor();
    session = await first.open(cwd);
    await first.send("session/set_mode", { sessionId: session, modeId: "ask" });
    // It waits for a permission.
    void first.prompt(session, "write hello.txt").catch(() => {});
    await first.next((frame) => frame["method"] === "session/request_permission", "the permission");
  }
  await user.wait(session, "idle");
  const log = await user.log(session);
  expect(log.find((entry) => entry.kind === "turn" && entry.phase === "ended")).toMatchObject({
    stop_reason: "cancelled",
  });
  await using second = editor();
  await second.send("initialize", { protocolVersion: 1, clientCapabilities: {} });
  expect(await second.send("session/list", { cwd })).toMatchObject({ result: { sessions: [{ sessionId: session }] } });
  const loaded = await second.send("session/load", { sessionId: session, cwd, mcpServers: [] });
  expect(loaded).toMatchObject({ result: { modes: { currentModeId: "ask" } } });
  expect(second.kinds()[0]).toBe("user_message_chunk");
  expect(await second.prompt(session, "hello")).toMatchObject({ result: { stopReason: "end_turn" } });
  expect(await second.send("session/delete", { sessionId: session })).toMatchObject({ error: { code: -32602 } });
  expect(await second.send("session/close", { sessionId: session })).toMatchObject({ result: {} });
  // agentd would find the session by the beginning of its id.
  expect(await second.send("session/delete", { sessionId: session.slice(0, 8) })).toMatchObject({ result: {} });
  expect(await second.send("session/list", { cwd })).toMatchObject({ result: { sessions: [{ sessionId: session }] } });
  for (const _time of ["once", "twice"])
    expect(await second.send("session/delete", { sessionId: session })).toMatchObject({ result: {} });
  expect(await second.send("session/list", { cwd })).toMatchObject({ result: { sessions: [] } });
  expect(await second.send("session/load", { sessionId: session, cwd, mcpServers: [] })).toMatchObject({
    error: { code: -32002 },
  });
});

test("a closed session is resumed when it is loaded, and by a prompt when it was closed elsewhere", async () => {
  const cwd = place.directory();
  await using one = editor();
  const session = await one.open(cwd);
  await one.prompt(session, "hello");
  await one.send("session/close", { sessionId: session });
  expect(await one.send("session/load", { sessionId: session, cwd, mcpServers: [] })).toHaveProperty("result");
  await user.call("agent.session.close", { session });
  expect(await one.prompt(session, "hello")).toMatchObject({ result: { stopReason: "end_turn" } });
  expect((await snapshot(session)).state).toBe("idle");
});
