// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OutputDescriptor } from "./output-descriptor.ts";

let directory: string;
let open: number[];
let stream: PassThrough;
let failures: (string | undefined)[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mix-output-"));
  [open, stream, failures] = [[], new PassThrough(), []];
});
afterEach(() => {
  for (const descriptor of open) closeSync(descriptor);
  rmSync(directory, { recursive: true, force: true });
});

function opened(path: string, flags: string | number): number {
  const descriptor = openSync(path, flags);
  open.push(descriptor);
  return descriptor;
}

function outputTo(descriptor: number, makeStream = (): PassThrough => stream): OutputDescriptor {
  return new OutputDescriptor(descriptor, makeStream, ({ code }) => failures.push(code));
}

/** Both ends of a pipe, neither of which waits. */
function pipe(): { readonly reader: number; readonly writer: number } {
  const path = join(directory, "pipe");
  execFileSync("mkfifo", [path]);
  const reader = opened(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: opened(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

test("short words need no stream", async () => {
  const file = join(directory, "out");
  const output = outputTo(opened(file, "w"), () => {
    throw new Error("a stream was made");
  });
  await output.write("one\n");
  await output.write("zwölf\n");
  let isFlushed = false;
  output.flushed(() => (isFlushed = true));
  expect(isFlushed).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("one\nzwölf\n");
});

test("what is long goes through the stream, and so does all that follows", async () => {
  const file = join(directory, "out");
  const output = outputTo(opened(file, "w"));
  const long = "x".repeat(20_000);
  await output.write("short");
  void output.write(long);
  void output.write("short");
  expect(readFileSync(file, "utf8")).toBe("short");
  expect(String(stream.read())).toBe(`${long}short`);
});

test("it is flushed when the stream is", async () => {
  const output = outputTo(opened(join(directory, "out"), "w"));
  void output.write("x".repeat(20_000));
  stream.resume();
  await new Promise<void>((resolve) => output.flushed(resolve));
});

test("whoever writes more than the stream takes at once waits until there is room, or nobody reads any more", async () => {
  const output = outputTo(opened(join(directory, "out"), "w"));
  let done = 0;
  const waiting = output.write("x".repeat(200_000)).then(() => (done += 1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toBe(0);
  stream.resume();
  await waiting;
});

test("what a full pipe does not take goes through the stream whole, and of what it takes in part the rest", () => {
  const { reader, writer } = pipe();
  const chunk = Buffer.alloc(4_096);
  const fill = (): void => {
    for (;;) writeSync(writer, chunk);
  };
  expect(fill).toThrow("EAGAIN");
  void outputTo(writer).write("words");
  expect(String(stream.read())).toBe("words");
  readSync(reader, chunk);
  void outputTo(writer).write(`ä${"y".repeat(10_000)}`);
  expect(String(stream.read())).toBe("y".repeat(10_002 - 4_096));
  expect(failures).toEqual([]);
});

test("a reader that left is told of, and nothing is left", async () => {
  const { reader, writer } = pipe();
  closeSync(reader);
  open.splice(open.indexOf(reader), 1);
  await outputTo(writer).write("words");
  expect(failures).toEqual(["EPIPE"]);
});
