// SPDX-License-Identifier: MIT OR Apache-2.0
import { createReadStream } from "node:fs";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readStdin } from "./read-stdin.ts";

test("stdin is read to its end, texts and bytes alike", async () => {
  expect((await readStdin(Readable.from(["é", Buffer.from("ü")]), 100)).toString("utf8")).toBe("éü");
});

test("of what is too much no more is read than shows it", async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(10);
    })(),
  );
  expect((await readStdin(endless, 25)).length).toBe(30);
  expect(endless.destroyed).toBe(true);
});

test("a stdin that cannot be read is a usage error in words", async () => {
  const directory = readStdin(createReadStream(tmpdir()), 100);
  await expect(directory).rejects.toMatchObject({ code: "USAGE", message: "stdin is a directory" });
});
