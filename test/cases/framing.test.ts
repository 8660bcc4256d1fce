// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent writes to its stdout besides whole frames, and how its frames are cut.
// @module-tag slow
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, test } from "vitest";
import type { Step } from "../scripted-agent/scenario.ts";
import type { LogPiece } from "../../agentd/vocabulary/index.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { agentText, ofKind, openScene, stateOf, turnEnd } from "./scene.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };
const MiB = 1024 * 1024;

test("log lines before and between frames are reported with a sample and cost no frame (case 1)", async () => {
  await using scene = await openScene({
    scripted: {
      rules: [
        { on: "start", do: [{ raw: "migrating db...\n" }] },
        {
          on: "session/prompt",
          do: [{ glue: [{ text: "before " }, { raw: "migrating db...\n" }, { text: "after" }] }, endTurn],
        },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" });
  const log = await user.log(session);
  expect(agentText(log)).toBe("before after");
  const noise = ofKind(log, "diagnostic").filter(({ what }) => what === "noise");
  expect(noise.map(({ sample }) => sample)).toEqual(["migrating db...", "migrating db..."]);
  expect(await user.get(session)).toMatchObject({ state: "idle", agent: "scripted" });
});

test("a byte order mark before an agent's first frame is no part of it", async () => {
  await using scene = await openScene({ scripted: { rules: [{ on: "start", do: [{ raw: "\ufeff" }] }] } });
  const session = await scene.idle();
  expect(ofKind(await scene.user.log(session), "diagnostic")).toEqual([]);
});

test("an agent that writes UTF-16 has failed at its first line, by that name", async () => {
  const utf16 = Buffer.from('\ufeff{"jsonrpc":"2.0"}\n', "utf16le").toString("base64");
  await using scene = await openScene({
    scripted: { rules: [{ on: "initialize", do: [{ raw: utf16, encoding: "base64" }] }] },
  });
  const { user } = scene;
  const session = await user.start({ agent: "scripted", cwd: scene.place.directory() });
  const { error } = await stateOf(user, session, "failed");
  expect(error).toMatchObject({ error_code: "AGENT_PROTOCOL", message: expect.stringContaining("UTF-16") as unknown });
});

test("a banner of eleven lines before the first frame is no reason to give up (case 2)", async () => {
  const banner = Array.from({ length: 11 }, (_, line) => `Welcome, line ${line}\n`).join("");
  await using scene = await openScene({ scripted: { rules: [{ on: "start", do: [{ raw: banner }] }] } });
  const session = await scene.idle();
  expect(await scene.user.get(session)).toMatchObject({ state: "idle" });
});

test("an agent that only ever prints lines is ended, and the error names what it did (case 2)", async () => {
  await using scene = await openScene({
    scripted: {
      rules: [
        { on: "start", do: [{ repeat: 10_001, do: [{ raw: "Welcome\n" }] }] },
        { on: "*", do: [] },
      ],
    },
  });
  const { user } = scene;
  const session = await user.start({ agent: "scripted", cwd: scene.place.directory() });
  const failed = await stateOf(user, session, "failed");
  expect(failed.error).toMatchObject({ error_code: "AGENT_PROTOCOL" });
  expect(failed.error?.message).toContain("does not speak ACP");
  // The flood is told of in a bounded number of entries.
  expect(ofKind(await user.log(session), "diagnostic").length).toBeLessThan(1000);
});

test("a line that is no JSON and has a wide character at the cut of its sample is survived (case 4)", async () => {
  const line = `${"x".repeat(199)}${"€".repeat(5)}`;
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [{ raw: `${line}\n` }, { text: "still here" }, endTurn] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await turnEnd(user, session);
  const log = await user.log(session);
  expect(agentText(log)).toBe("still here");
  const [noise] = ofKind(log, "diagnostic");
  expect(noise?.sample?.startsWith("x".repeat(199))).toBe(true);
  expect(Buffer.from(noise?.sample ?? "").toString()).toBe(noise?.sample);
});

test("debug text glued in front of a frame on one line is one refused line, not half a frame (case 5)", async () => {
  const hidden = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "session-1", update: {} } };
  await using scene = await openScene({
    scripted: {
      rules: [
        {
          on: "session/prompt",
          do: [{ raw: `DEBUG x={"a":1} ${JSON.stringify(hidden)}\n` }, { text: "and on" }, endTurn],
        },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" });
  const log = await user.log(session);
  expect(agentText(log)).toBe("and on");
  expect(ofKind(log, "diagnostic")).toMatchObject([{ what: "noise", count: 1 }]);
  expect(ofKind(log, "extension")).toEqual([]);
});

test("a frame of wide characters that comes byte by byte arrives as it was written (case 7)", async () => {
  const text = "aé€😀z";
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  const frame = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "$sessionId", update } };
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [{ send: frame, pieceBytes: 1 }, endTurn] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await turnEnd(user, session);
  expect(agentText(await user.log(session))).toBe(text);
});

test.each([
  ["65,537 bytes", 65_537],
  ["1 MiB", MiB],
  ["20 MiB", 20 * MiB],
])("a frame with a text of %s arrives whole and can be read back whole (case 8)", async (_, bytes) => {
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [{ text: { $fill: bytes } }, endTurn] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await turnEnd(user, session);
  const logged = (await user.log(session, ["message"])).at(-1);
  const entry = JSON.parse(await wholeEntry(user, session, logged?.seq ?? 0)) as { content: { text: string } };
  expect(entry.content.text.length).toBe(bytes);
  expect(sha256(entry.content.text)).toBe(sha256("x".repeat(bytes)));
});

test("a valid frame, one that ends in CR LF and a last one without newline all count (case 10)", async () => {
  const update = (text: string) => ({
    jsonrpc: "2.0",
    method: "session/update",
    params: {
      sessionId: "$sessionId",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    },
  });
  await using scene = await openScene({
    scripted: {
      rules: [
        {
          on: "session/prompt",
          do: [
            { glue: [{ text: "one " }, { send: update("two "), end: "\r\n" }, { send: update("three"), end: "" }] },
            { exit: 0 },
          ],
        },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await stateOf(user, session, "lost");
  expect(agentText(await user.log(session))).toBe("one two three");
});

test("what came before a line that is too long is kept, and the turns behind it were never sent (case 10)", async () => {
  await using scene = await openScene(
    {
      scripted: (directory) => ({
        rules: [
          {
            on: "session/prompt",
            do: [{ waitForFile: `${directory}/go` }, { glue: [{ text: "kept" }, { raw: "x".repeat(100_000) }] }],
          },
        ],
      }),
    },
    { limits: { lineBytesMax: 65_536 } },
  );
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const queued = await user.prompt(session, "behind it", "queue");
  writeFileSync(`${scene.agent().directory}/go`, "");
  const lost = await stateOf(user, session, "lost");
  expect(lost.error).toMatchObject({ error_code: "AGENT_PROTOCOL" });
  expect(lost.error?.message).toContain("65536 bytes");
  const log = await user.log(session);
  expect(agentText(log)).toBe("kept");
  const ends = ofKind(log, "turn").filter(({ phase }) => phase === "ended");
  expect(ends).toMatchObject([
    { turn: 1, stop_reason: "failed", sent: true },
    { turn: queued, stop_reason: "interrupted", sent: false },
  ]);
  expect(
    scene
      .agent()
      .received()
      .filter(({ method }) => method === "session/prompt"),
  ).toHaveLength(1);
});

test("a big frame in small writes costs time in proportion, and the daemon goes on answering (case 11)", async () => {
  const bytes = 8 * MiB;
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: { $fill: bytes } } };
  const frame = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "$sessionId", update } };
  await using scene = await openScene({
    scripted: {
      rules: [
        { on: "session/prompt", match: "small", do: [{ send: frame, pieceBytes: 1024 }, endTurn] },
        { on: "session/prompt", match: "large", do: [{ send: frame, pieceBytes: 65_536 }, endTurn] },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  const lag = monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  const took: number[] = [];
  for (const [index, size] of ["large", "small"].entries()) {
    const from = performance.now();
    await user.prompt(session, size);
    await turnEnd(user, session, index + 1);
    took.push(performance.now() - from);
  }
  lag.disable();
  // Splitting the whole again at each of the 8192 writes would copy 32 GiB.
  const [large = 0, small = 0] = took;
  expect(small).toBeLessThan(large * 10 + 5_000);
  expect(lag.max / 1e6).toBeLessThan(2_000);
});

test("a NUL in a text and in a key is kept as it came, length and all (case 13)", async () => {
  const toolCall = { sessionUpdate: "tool_call", toolCallId: "t", title: "odd", rawInput: { "k\0": "v\0w" } };
  await using scene = await openScene({
    scripted: {
      rules: [{ on: "session/prompt", do: [{ text: "a\0b" }, { update: toolCall }, endTurn] }],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "with \0 in it");
  await turnEnd(user, session);
  const log = await user.log(session);
  expect(agentText(log)).toBe("a\0b");
  expect(ofKind(log, "tool_call")[0]).toMatchObject({ raw_input: { "k\0": "v\0w" } });
  expect(ofKind(log, "message")[0]?.content).toEqual({ type: "text", text: "with \0 in it" });
});

/** The JSON of one entry, piece by piece: how an entry is read that is too big for a page. */
async function wholeEntry(user: BusUser, session: string, entry: number): Promise<string> {
  let text = "";
  let offset = 0;
  for (;;) {
    const piece: LogPiece = await user.call("agent.session.log", { session, entry, offset });
    text += piece.text;
    offset += piece.bytes;
    if (offset >= piece.total) return text;
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
