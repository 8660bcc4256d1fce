// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Script } from "node:vm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { packed, packedWithCode, scriptOf } from "./code-cache.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mix-code-"));
  file = join(directory, "code");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function readFrom(bytes: Buffer): Script {
  writeFileSync(file, bytes);
  return scriptOf(file);
}

function valueOf(script: Script): unknown {
  const module = { exports: undefined };
  (script.runInThisContext() as (...words: unknown[]) => void)(undefined, undefined, module);
  return module.exports;
}

const body = "module.exports = (() => 'one\\n')();";

function withCode(): Buffer {
  const script = readFrom(packed(body));
  valueOf(script);
  return packedWithCode(packed(body), script);
}

test("code runs as source, and as what was compiled of it before, which V8 takes", () => {
  const plain = readFrom(packed(body));
  expect(plain.cachedDataRejected).toBeUndefined();
  expect(valueOf(plain)).toBe("one\n");
  const compiled = readFrom(withCode());
  expect(compiled.cachedDataRejected).toBe(false);
  expect(valueOf(compiled)).toBe("one\n");
});

test("compiled code begins where V8 reads it in place", () => {
  for (const more of ["", " ", "  ", "       "]) expect(packed(body + more).length % 8).toBe(0);
});

test("what another Node.js compiled is not looked at", () => {
  const bytes = withCode();
  bytes[bytes.indexOf(process.version) + 1]! ^= 1;
  const script = readFrom(bytes);
  expect(script.cachedDataRejected).toBeUndefined();
  expect(valueOf(script)).toBe("one\n");
});

test("of a source that is longer than most nothing is missing", () => {
  const long = `${body}//${"-".repeat(1024 * 1024)}`;
  expect(valueOf(readFrom(packed(long)))).toBe("one\n");
});
