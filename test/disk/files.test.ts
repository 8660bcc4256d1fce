// SPDX-License-Identifier: MIT OR Apache-2.0
// Agents' writes to a disk that is full or read-only: refused in words, the old file as it was, nothing left behind.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readTextFile } from "../../agentd/client-side/files/read-text-file.ts";
import { makeGround, temporaryName } from "../../agentd/client-side/files/testing/ground.ts";
import { writeTextFile } from "../../agentd/client-side/files/write-text-file.ts";
import { fillDisk, mountKernelFiles, mountSmallDisk } from "./mounts.ts";
import { nothingReserved } from "../../agentd/testing/nothing-reserved.ts";

const bytesMax = 1024 * 1024;

test("a write to a full disk is refused as the disk's, and the next one after room was made is done", ({ skip }) => {
  using ground = makeGround();
  using disk = mountSmallDisk(ground.app, "1m");
  if (!disk) return skip("nobody may mount here");
  writeFileSync(ground.in("f"), "old");
  const options = { directories: [ground.app], reserved: nothingReserved, temporaryName, bytesMax };
  const makeRoom = fillDisk(ground.app);
  expect(writeTextFile(ground.in("f"), "new".repeat(10_000), options)).toMatchObject({
    ok: false,
    refusal: { reason: "disk", code: -32603, message: expect.stringContaining("the disk is full") },
  });
  expect(readFileSync(ground.in("f"), "utf8")).toBe("old");
  expect(readdirSync(ground.app).toSorted()).toEqual(["f", "filler"]);
  makeRoom();
  expect(writeTextFile(ground.in("f"), "new", options)).toEqual({ ok: true, bytes: 3 });
});

test("on a read-only disk files are read, and a write is refused for want of permission", ({ skip }) => {
  using ground = makeGround();
  using disk = mountSmallDisk(ground.app, "1m");
  if (!disk) return skip("nobody may mount here");
  writeFileSync(ground.in("f"), "old");
  disk.remount("ro");
  const options = { directories: [ground.app], reserved: nothingReserved, temporaryName, bytesMax };
  expect(readTextFile(ground.in("f"), options)).toMatchObject({ text: "old" });
  for (const name of ["f", "new", "d/new"]) {
    expect(writeTextFile(ground.in(name), "new", options)).toMatchObject({
      refusal: { reason: "no-permission", message: expect.stringContaining("the file system is read-only") },
    });
  }
});

test("a file of the kernel's is none, wherever it is mounted", ({ skip }) => {
  using ground = makeGround();
  using disk = mountKernelFiles(ground.app);
  if (!disk) return skip("nobody may mount here");
  const options = { directories: [ground.app], reserved: nothingReserved, temporaryName, bytesMax };
  expect(readTextFile(ground.in("version"), options)).toMatchObject({ refusal: { reason: "not-a-file" } });
  expect(writeTextFile(ground.in("version"), "x", options)).toMatchObject({ refusal: { reason: "not-a-file" } });
});
