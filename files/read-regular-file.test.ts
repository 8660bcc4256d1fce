// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readRegularFile } from "./read-regular-file.ts";

test("a file is read up to the limit; a longer one, a pipe, a device and a directory are refused at once", () => {
  const directory = mkdtempSync(join(tmpdir(), "files-regular-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const [file, pipe, device] = [join(directory, "file"), join(directory, "pipe"), join(directory, "device")];
  writeFileSync(file, "four");
  execFileSync("mkfifo", [pipe]);
  symlinkSync("/dev/zero", device);
  expect(readRegularFile(file, 4).toString()).toBe("four");
  for (const other of [pipe, device, directory])
    expect(() => readRegularFile(other, 4)).toThrow("it is not a regular file");
  truncateSync(file, 2 ** 33);
  expect(() => readRegularFile(file, 4)).toThrow("it has more than 4 bytes");
  expect(() => readRegularFile(join(directory, "absent"), 4)).toThrow("ENOENT");
});
