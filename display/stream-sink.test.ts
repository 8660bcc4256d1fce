// SPDX-License-Identifier: MIT OR Apache-2.0
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { streamSink } from "./stream-sink.ts";

const long = "x".repeat(200_000);

/** Whether it has resolved after a turn of the event loop. */
async function isDone(written: Promise<void>): Promise<boolean> {
  let done = false;
  void written.then(() => (done = true));
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

test("what a stream takes at once needs no waiting, and arrives in order", async () => {
  const stream = new PassThrough();
  const output = streamSink(stream);
  expect(await isDone(output.write("one\n"))).toBe(true);
  expect(await isDone(output.write("zwölf\n"))).toBe(true);
  expect(String(stream.read())).toBe("one\nzwölf\n");
});

test("whoever writes more than the stream takes at once waits until there is room, or nobody reads any more", async () => {
  const read = new PassThrough();
  const waiting = streamSink(read).write(long);
  expect(await isDone(waiting)).toBe(false);
  read.resume();
  await waiting;
  const left = new PassThrough();
  const waitingToo = streamSink(left).write(long);
  left.destroy();
  await waitingToo;
});

test("a terminal that is resized has other columns", () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const output = streamSink(stream);
  stream.columns = 60;
  expect([output.isTTY, output.columns]).toEqual([true, 60]);
});
