// SPDX-License-Identifier: MIT OR Apache-2.0
import { PassThrough } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { streamSink } from "../../display/stream-sink.ts";
import { TextOutput } from "../../display/text-output.ts";
import { PromptLine } from "./prompt-line.ts";

const open: PromptLine[] = [];
afterEach(() => open.splice(0).forEach((line) => line.close()));

function terminal() {
  const stdin = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 20 });
  let screen = "";
  stderr.on("data", (chunk: Buffer) => {
    screen += chunk.toString("utf8");
  });
  const entered: (readonly [string, string | undefined])[] = [];
  let now = 0;
  let ends = 0;
  const timers = new Map<() => void, number>();
  const after = (ms: number, run: () => void): (() => void) => {
    timers.set(run, now + ms);
    return () => timers.delete(run);
  };
  const interrupts = { raise: () => undefined, listen: () => () => undefined };
  const jobControl = { listen: () => () => undefined, suspend: () => undefined };
  const output = new TextOutput(streamSink(stderr));
  const line = new PromptLine(
    {
      words: [],
      env: { NO_COLOR: "1" },
      stdin,
      stdout: output,
      stderr: output,
      interrupts,
      jobControl,
      now: () => now,
      after,
    },
    {
      line: (text, target) => entered.push([text, target]),
      end: () => (ends += 1),
      endRow: () => stderr.write("<row>"),
    },
  );
  open.push(line);
  const drawn = (): string => {
    const seen = screen;
    screen = "";
    return seen;
  };
  /** Passes time without a key. */
  const pause = async (ms = 1000): Promise<void> => {
    now += ms;
    for (const [run, at] of Array.from(timers)) {
      if (at > now) continue;
      timers.delete(run);
      run();
    }
    await settle();
  };
  return { stdin, line, entered, drawn, pause, ended: () => ends };
}

const pasteModeOn = "\u001b[?2004h";
const prompt = { target: "prompt", prompt: "> ", asks: false };
const question = { target: "r-1", prompt: "answer: ", asks: true };

/** Runs the event loop a few times, so that keys are read and the target is switched. */
async function settle(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("a terminal that is gone ends the input once, and is given back without an error", async () => {
  const { stdin, line, ended } = terminal();
  for (let count = 0; count < 20; count += 1) {
    line.open(prompt);
    line.close();
  }
  expect(stdin.listenerCount("error")).toBe(1);
  line.open(prompt);
  Object.assign(stdin, { setRawMode: () => stdin.emit("error", new Error("setRawMode EIO")) });
  stdin.emit("error", new Error("read EIO"));
  await settle();
  expect(ended()).toBe(1);
  expect(line.isOpen).toBe(false);
});

test("keys pressed before the line was opened have no target, and later ones have the line's", async () => {
  const { stdin, line, entered, pause } = terminal();
  stdin.write("1\n");
  line.open(question);
  await settle();
  await pause();
  stdin.write("2\n");
  await settle();
  expect(entered).toEqual([
    ["1", undefined],
    ["2", "r-1"],
  ]);
});

test("keys that are unread when the target changes belong to the previous one, and an unfinished line is kept for it", async () => {
  const { stdin, line, entered, drawn, pause } = terminal();
  line.open(prompt);
  await settle();
  line.open(question);
  stdin.write("1\nhalf");
  await settle();
  await pause();
  stdin.write("2\n");
  await settle();
  drawn();
  line.open(prompt);
  await settle();
  expect(drawn()).toContain("> half");
  expect(entered).toEqual([
    ["1", "prompt"],
    ["2", "r-1"],
  ]);
});

test("a line that was entered before closing is still reported with its target", async () => {
  const { stdin, line, entered } = terminal();
  line.open(question);
  await settle();
  stdin.once("data", () => queueMicrotask(() => line.close()));
  stdin.write("1\n");
  await settle();
  line.open({ ...question, target: "r-2" });
  stdin.write("2\n");
  await settle();
  expect(entered).toEqual([
    ["1", "r-1"],
    ["2", undefined],
  ]);
});

test("a person who keeps typing when a question arrives does not answer it before a pause, and sees the typed text", async () => {
  const { stdin, line, entered, drawn, pause } = terminal();
  line.open(prompt);
  await settle();
  stdin.write("fix ");
  await settle();
  line.hide();
  line.open(question);
  await settle();
  drawn();
  stdin.write("1");
  await settle();
  await pause(600);
  expect(drawn()).toContain("> fix 1");
  stdin.write("\n1");
  await settle();
  line.open(question);
  await pause(600);
  expect(drawn()).not.toContain("answer: ");
  await pause(600);
  expect(drawn()).toContain("answer: ");
  stdin.write("2\n");
  await settle();
  expect(entered).toEqual([
    ["fix 1", "prompt"],
    ["2", "r-1"],
  ]);
});

test("a question can be answered at once if no key was pressed before it", async () => {
  const { stdin, line, entered } = terminal();
  line.open(question);
  await settle();
  stdin.write("1\n");
  await settle();
  expect(entered).toEqual([["1", "r-1"]]);
});

test("lines of one read are one text, and lines of several reads are several texts", async () => {
  const { stdin, line, entered } = terminal();
  line.open(prompt);
  await settle();
  for (const typed of ["one\ntwo\n", "three\n"]) {
    stdin.write(typed);
    await settle();
  }
  expect(entered.map(([text]) => text)).toEqual(["one\ntwo", "three"]);
});

test("in the middle of a row nothing is drawn before a key is pressed, and that row is continued afterwards", async () => {
  const { stdin, line, drawn } = terminal();
  line.open({ ...prompt, isBusy: true }, 7);
  await settle();
  expect(drawn()).toBe(pasteModeOn);
  stdin.write("ab");
  await settle();
  expect(drawn()).toBe("\n> ab\u001b[K\u001b[5G");
  line.hide();
  await settle();
  expect(drawn()).toBe("\r\u001b[K\u001b[A\u001b[8G");
  stdin.write("c");
  await settle();
  expect(drawn()).toBe("");
  line.open(prompt, 0);
  stdin.write("\n");
  await settle();
  expect(drawn().endsWith("<row>> abc\n")).toBe(true);
});

test("a line that is longer than the row continues in the next one", async () => {
  const { stdin, line, drawn } = terminal();
  line.open(prompt);
  await settle();
  drawn();
  stdin.write("0123456789abcdefghij");
  await settle();
  expect(drawn()).toBe("\r> 0123456789abcdefg\u001b[K\n  hij\u001b[K\u001b[6G");
});
