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

test("short words need no stream", () => {
  const file = join(directory, "out");
  const output = outputTo(opened(file, "w"), () => {
    throw new Error("a stream was made");
  });
  expect([output.write("one\n"), output.write("zwölf\n")]).toEqual(["", ""]);
  let isFlushed = false;
  output.flushed(() => (isFlushed = true));
  expect(isFlushed).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("one\nzwölf\n");
});

test("what is long is left for the stream, and so is all that follows", () => {
  const file = join(directory, "out");
  const output = outputTo(opened(file, "w"));
  const long = "x".repeat(20_000);
  expect([output.write("short"), output.write(long), output.write("short")]).toEqual(["", long, "short"]);
  expect(readFileSync(file, "utf8")).toBe("short");
});

test("where a stream was asked for, everything goes through it", async () => {
  const file = join(directory, "out");
  const output = outputTo(opened(file, "w"));
  output.stream.write("one");
  expect(output.write("two")).toBe("two");
  await new Promise<void>((resolve) => output.flushed(resolve));
  expect(readFileSync(file, "utf8")).toBe("");
  expect(String(stream.read())).toBe("one");
});

test("what a full pipe does not take is left whole, and of what it takes in part the rest", () => {
  const { reader, writer } = pipe();
  const chunk = Buffer.alloc(4_096);
  const fill = (): void => {
    for (;;) writeSync(writer, chunk);
  };
  expect(fill).toThrow("EAGAIN");
  expect(outputTo(writer).write("words")).toBe("words");
  readSync(reader, chunk);
  const left = outputTo(writer).write(`ä${"y".repeat(10_000)}`);
  expect(Buffer.from(left).toString()).toBe("y".repeat(10_002 - 4_096));
  expect(failures).toEqual([]);
});

test("a reader that left is told of, and nothing is left", () => {
  const { reader, writer } = pipe();
  closeSync(reader);
  open.splice(open.indexOf(reader), 1);
  expect(outputTo(writer).write("words")).toBe("");
  expect(failures).toEqual(["EPIPE"]);
});
