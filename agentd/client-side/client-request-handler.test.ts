// SPDX-License-Identifier: MIT OR Apache-2.0
// The handler without a session: what it accepts, keeps and refuses by itself.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import type { RpcError } from "../../acp-client/jsonrpc/message.ts";
import type { AgentQuirks } from "../config/settings.ts";
import { defaultLimits } from "../config/limits.ts";
import type { ClientSideInput } from "../session/core/client-side/client-side-input.ts";
import { ClientRequestHandler, type ClientRequestHandlerOptions } from "./client-request-handler.ts";
import { EventLoopBudget } from "./event-loop-budget.ts";
import { noEditors } from "../leases/testing/no-editors.ts";
import { nothingReserved } from "../testing/nothing-reserved.ts";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "client-requests-")));
afterAll(() => rmSync(cwd, { recursive: true }));

/** The JSON bytes that the limits assume for a text. */
const most = (text: string): number => 6 * text.length + 2;

interface Answer {
  readonly result?: object;
  readonly error?: RpcError;
}

function openHandler(more: Partial<ClientRequestHandlerOptions> = {}, quirks: AgentQuirks = {}) {
  const asked: ClientSideInput[] = [];
  const told: ClientSideInput[] = [];
  const faults: string[] = [];
  const unread: (() => void)[] = [];
  let keys = 0;
  let flushes = 0;
  const handler = new ClientRequestHandler(
    {
      cwd,
      directories: [cwd],
      reserved: nothingReserved,
      env: { PATH: process.env["PATH"] ?? "" },
      redact: (text) => text,
      redactorFor: () => (text) => text,
      withUserUmask: (run) => run(),
      editors: noEditors,
      // Time stands still, so that the budget never runs out.
      eventLoopBudget: new EventLoopBudget({ turnMs: defaultLimits.clientSideTurnMs, now: () => 0 }),
      limits: defaultLimits,
      ...more,
    },
    {
      newKey: () => (keys += 1),
      quirks: () => quirks,
      ask: (input) => asked.push(input),
      tell: (input) => told.push(input),
      fault: (fault) => faults.push(fault),
      flush: () => void (flushes += 1),
      record: () => {},
    },
  );
  const serve = (method: string, params: object): Answer[] => {
    const answers: Answer[] = [];
    const request = {
      method,
      params: { sessionId: "s", ...params },
      reply(result: object, written: () => void = () => {}) {
        answers.push({ result });
        unread.push(written);
      },
      refuse: (error: RpcError) => void answers.push({ error }),
    };
    handler.clientSide.fs?.serve(request);
    return answers;
  };
  return {
    handler,
    asked,
    told,
    faults,
    serve,
    /** How often the handler flushed inputs outside a read of the pipe. */
    flushes: () => flushes,
    /** The agent reads the oldest unread response. */
    readOne: () => unread.shift()?.(),
  };
}

const reads = (asked: readonly ClientSideInput[]): string[] =>
  asked.flatMap((input) => (input.type === "file_read" ? [basename(input.path)] : []));

test("a missing file is an error, or an empty text for an agent that needs that, with the reason for the log", () => {
  const path = join(cwd, "missing");
  const plain = openHandler();
  plain.serve("fs/read_text_file", { path });
  expect(plain.asked).toMatchObject([{ type: "file_read", outcome: { ok: false, refusal: { reason: "missing" } } }]);
  const lenient = openHandler({}, { missingFileIsEmpty: true });
  const answers = lenient.serve("fs/read_text_file", { path });
  expect(lenient.asked).toEqual([
    { type: "file_read", key: 1, path, outcome: { ok: true, bytes: 0, reason: "missing" } },
  ]);
  expect(answers).toEqual([]);
  lenient.handler.act({ type: "hand_over", key: 1 });
  expect(answers).toEqual([{ result: { content: "" } }]);
});

test("nothing is written before the session says so, and a refused text frees its memory", () => {
  const { handler, asked, told, serve } = openHandler({ limits: { ...defaultLimits, heldFileBytesMax: 8 } });
  const path = join(cwd, "written");
  const first = serve("fs/write_text_file", { path, content: "12345678" });
  expect(asked).toEqual([{ type: "file_write", key: 1, path, bytes: 8 }]);
  expect(serve("fs/write_text_file", { path, content: "more" })).toMatchObject([{ error: { code: -32603 } }]);
  handler.act({ type: "refuse", key: 1, error: { code: -32603, message: "no" } });
  expect(first).toMatchObject([{ error: { message: "no" } }]);
  serve("fs/write_text_file", { path, content: "more" });
  handler.act({ type: "write_file", key: 2, seq: 9, temporaryName: "t" });
  expect(told).toMatchObject([{ type: "file_written", seq: 9, outcome: { ok: true } }]);
});

test("secrets are redacted in paths and messages for the log, also in a shortened path, and the file is written all the same", () => {
  const redact = (text: string): string => text.replaceAll("s3cret-value", "[redacted]");
  const { handler, asked, told, serve } = openHandler({ redact, redactorFor: () => redact });
  const path = join(cwd, "s3cret-value");
  // Messages show 256 characters of a path.
  const long = `${join(cwd, "x".repeat(250 - cwd.length))}/s3cret-value`;
  serve("fs/write_text_file", { path, content: "text" });
  handler.act({ type: "write_file", key: 1, seq: 9, temporaryName: "t" });
  expect(readFileSync(path, "utf8")).toBe("text");
  serve("fs/read_text_file", { path });
  serve("fs/read_text_file", { path: `${path}/none` });
  serve("fs/read_text_file", { path: long });
  serve("fs/write_text_file", { path: `${path}/none`, content: "" });
  handler.act({ type: "write_file", key: 5, seq: 10, temporaryName: "t" });
  serve("terminal/create", { command: "a", cwd: long, env: [{ name: "s3cret-value", value: "" }] });
  expect(asked).toHaveLength(6);
  expect(told).toMatchObject([{ outcome: { ok: true } }, { outcome: { ok: false } }]);
  expect(JSON.stringify([asked, told])).not.toContain("s3cret");
});

test("invalid params are refused with the reason, and unknown members are ignored", () => {
  const { asked, faults, serve } = openHandler();
  const path = join(cwd, "a");
  writeFileSync(path, "a");
  const bad: readonly (readonly [string, object, RegExp])[] = [
    ["fs/read_text_file", { path: "a" }, /path: must be an absolute path/],
    ["fs/read_text_file", { path, line: -1 }, /line: must be a whole number/],
    ["fs/read_text_file", { path, limit: 1.5 }, /limit: /],
    ["fs/read_text_file", { path: `/${"a".repeat(5000)}` }, /at most 4096 bytes/],
    ["fs/write_text_file", { path }, /content: /],
    ["terminal/create", { command: "" }, /command: must not be empty/],
    ["terminal/create", { command: "a", args: "b" }, /args: /],
    ["terminal/create", { command: "a", args: Array.from({ length: 2000 }, () => "x") }, /args: /],
    ["terminal/create", { command: "a\0b" }, /NUL/],
    ["terminal/create", { command: "a", env: [{ name: "A=B", value: "" }] }, /env\.0\.name: must be a name/],
    ["terminal/create", { command: "a", cwd: "here" }, /cwd: must be an absolute path/],
    ["terminal/create", { command: "a", outputByteLimit: -1 }, /outputByteLimit: /],
    ["terminal/kill", {}, /terminalId: /],
  ];
  for (const [method, params, reason] of bad) {
    expect(serve(method, params)).toMatchObject([{ error: { code: -32602, message: expect.stringMatching(reason) } }]);
  }
  expect(faults).toEqual(bad.map(() => "invalid-params"));
  expect(asked).toEqual([]);
  serve("fs/read_text_file", { path, line: null, limit: null, _meta: {}, more: 1 });
  serve("terminal/create", { command: "a", args: null, env: null, cwd: null, outputByteLimit: 2 ** 60, more: 1 });
  expect(asked).toMatchObject([
    { type: "file_read", outcome: { ok: true } },
    { type: "terminal_create", command: "a", args: [], env: [] },
  ]);
});

test("requests beyond the limit are refused, and so is every request after the end", async () => {
  const { handler, asked, serve } = openHandler({ limits: { ...defaultLimits, clientSideRequestsMax: 2 } });
  for (let count = 0; count < 2; count += 1) serve("terminal/release", { terminalId: "t" });
  expect(serve("terminal/release", { terminalId: "t" })).toMatchObject([{ error: { code: -32603 } }]);
  handler.act({ type: "answer", key: 1, result: {} });
  expect(serve("terminal/release", { terminalId: "t" })).toEqual([]);
  expect(asked).toHaveLength(3);
  await handler.end();
  expect(serve("terminal/output", { terminalId: "t" })).toMatchObject([{ error: { code: -32603 } }]);
});

test("a wait for a terminal that is still starting is answered if the start fails", async () => {
  const { handler, serve, told } = openHandler();
  serve("terminal/create", { command: join(cwd, "no-such-program"), args: ["x"] });
  handler.act({ type: "start_terminal", key: 1, terminal: "terminal-1" });
  const waits = serve("terminal/wait_for_exit", { terminalId: "terminal-1" });
  expect(waits).toEqual([]);
  await vi.waitFor(() => expect(told).toMatchObject([{ type: "terminal_failed", terminal: "terminal-1" }]));
  expect(waits).toMatchObject([{ error: { code: -32002, message: "no such terminal" } }]);
  await handler.end();
});

test("a text is under way until the agent has read it, and the next ones wait until then", () => {
  const text = "a".repeat(10);
  for (const name of ["1", "2", "3"]) writeFileSync(join(cwd, name), text);
  const limits = { ...defaultLimits, answersBytesMax: most(text), clientSideRequestsMax: 3 };
  const { handler, asked, serve, readOne, flushes } = openHandler({ limits });
  const answers = ["1", "2", "3"].map((name) => serve("fs/read_text_file", { path: join(cwd, name) }));
  expect(reads(asked)).toEqual(["1"]);
  // A waiting request counts as open too.
  expect(serve("fs/read_text_file", { path: cwd })).toMatchObject([{ error: { code: -32603 } }]);
  handler.act({ type: "hand_over", key: 1 });
  expect(answers[0]).toEqual([{ result: { content: text } }]);
  expect(reads(asked)).toEqual(["1"]);
  readOne();
  expect(reads(asked)).toEqual(["1", "2"]);
  expect(flushes()).toBe(1);
  // A text that is refused after all does not block the next.
  handler.act({ type: "refuse", key: 2, error: { code: -32603, message: "no" } });
  expect(reads(asked)).toEqual(["1", "2", "3"]);
});

test("a text that is too long as JSON is refused, though its file is not", () => {
  const path = join(cwd, "nul");
  const limits = { ...defaultLimits, answerBytesMax: 100 };
  const { asked, serve } = openHandler({ limits });
  writeFileSync(path, "\0".repeat(17));
  serve("fs/read_text_file", { path });
  writeFileSync(path, "a".repeat(98));
  serve("fs/read_text_file", { path });
  const message = expect.stringContaining("as JSON it has more than 100 bytes");
  expect(asked).toMatchObject([
    { type: "file_read", outcome: { ok: false, refusal: { reason: "too-big", code: -32603, message } } },
    { type: "file_read", outcome: { ok: true, bytes: 98 } },
  ]);
});

test("a terminal's output waits behind a text, and requests that still wait at the end are refused", async () => {
  const path = join(cwd, "before");
  writeFileSync(path, "a");
  const { handler, told, serve, readOne } = openHandler({ limits: { ...defaultLimits, answersBytesMax: 1 } });
  serve("terminal/create", { command: "echo printed" });
  handler.act({ type: "start_terminal", key: 1, terminal: "t" });
  await vi.waitFor(() => expect(told).toMatchObject([{ type: "terminal_exited" }]));
  readOne();
  serve("fs/read_text_file", { path });
  const [output, next] = [serve("terminal/output", { terminalId: "t" }), serve("terminal/output", { terminalId: "t" })];
  handler.act({ type: "hand_over", key: 2 });
  expect(output).toEqual([]);
  readOne();
  expect(output).toMatchObject([{ result: { output: "printed\n" } }]);
  expect(next).toEqual([]);
  await handler.end();
  expect(next).toMatchObject([{ error: { code: -32603 } }]);
});

test("after long reads the event loop is free for as long as they took, for all sessions together", () => {
  const path = join(cwd, "long");
  writeFileSync(path, "a");
  let now = 0;
  const timers: { readonly ms: number; readonly run: () => void }[] = [];
  // Each read takes 3 ms.
  const eventLoopBudget = new EventLoopBudget({
    turnMs: 5,
    now: () => (now += 3),
    after: (ms, run) => timers.push({ ms, run }),
  });
  const [one, other] = [openHandler({ eventLoopBudget }), openHandler({ eventLoopBudget })];
  const fire = (): number | undefined => {
    const timer = timers.shift();
    timer?.run();
    return timer?.ms;
  };
  for (let count = 0; count < 5; count += 1) one.serve("fs/read_text_file", { path });
  other.serve("fs/read_text_file", { path });
  const done = () => [one.asked.length, other.asked.length];
  expect(done()).toEqual([2, 0]);
  // Inputs of a read of the pipe are posted at the end of that read.
  expect(one.flushes()).toBe(0);
  expect([fire(), done()]).toEqual([0, [2, 0]]);
  expect([fire(), done()]).toEqual([6, [3, 1]]);
  expect([one.flushes(), other.flushes()]).toEqual([1, 1]);
  expect([fire(), done()]).toEqual([0, [3, 1]]);
  expect([fire(), done()]).toEqual([6, [5, 1]]);
  expect([fire(), fire(), timers]).toEqual([0, 6, []]);
  // A turn with little work causes no pause.
  for (let turn = 0; turn < 2; turn += 1) {
    one.serve("fs/read_text_file", { path });
    expect([fire(), timers]).toEqual([0, []]);
  }
  expect(done()).toEqual([7, 1]);
});
