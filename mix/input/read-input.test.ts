// SPDX-License-Identifier: MIT OR Apache-2.0
import { createReadStream } from "node:fs";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readJsonDocument, readPrompt, readStdin } from "./read-input.ts";

test("stdin is read to its end, texts and bytes alike", async () => {
  expect((await readStdin(Readable.from(["é", Buffer.from("ü")]), 100)).toString("utf8")).toBe("éü");
});

test("reading stops as soon as stdin exceeds the limit", async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(10);
    })(),
  );
  expect((await readStdin(endless, 25)).length).toBe(30);
  expect(endless.destroyed).toBe(true);
});

test("a stdin that cannot be read is a usage error", async () => {
  const directory = readStdin(createReadStream(tmpdir()), 100);
  await expect(directory).rejects.toMatchObject({ code: "USAGE", message: "stdin is a directory" });
});

test.runIf(process.platform === "linux")("a file that never ends is refused as too long", async () => {
  const stdin = Readable.from([]);
  await expect(readPrompt({ stdin }, [], "/dev/zero")).rejects.toMatchObject({
    code: "USAGE",
    message: expect.stringContaining("/dev/zero is too long"),
  });
  await expect(readJsonDocument({ stdin, cwd: () => "/" }, "dev/zero")).rejects.toMatchObject({
    code: "USAGE",
    message: "dev/zero holds more than 4194304 bytes",
  });
});

test("a byte order mark is removed, and UTF-16 is refused with the file's name", async () => {
  const text = (bytes: readonly Buffer[]): Promise<string> => readStdin(Readable.from(bytes), 100).then(String);
  expect(await text([Buffer.from([0xef]), Buffer.from([0xbb, 0xbf]), Buffer.from("a\ufeffb")])).toBe("a\ufeffb");
  for (const mark of ["fffe", "feff"]) {
    await expect(text([Buffer.from(mark, "hex"), Buffer.from("a", "utf16le")])).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining("stdin is UTF-16"),
    });
  }
});
