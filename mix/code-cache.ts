// SPDX-License-Identifier: MIT OR Apache-2.0
// Code as source, and in the same file what V8 made of it when it ran before: a short command spends most of its own
// time on compiling, and finds that done. The file is made with the package, is only read afterwards, and holds both
// together, so that the one is never older than the other.
import { readFileSync, statSync } from "node:fs";
import { Script } from "node:vm";

/** The body of a CommonJS module, as a script whose value is a function of `exports`, `require` and `module`. */
export function scriptOf(file: string): Script {
  const bytes = readFileSync(file);
  const headEnd = bytes.indexOf("\n");
  const [sourceBytes = "", owner] = bytes.toString("latin1", 0, headEnd).split(" ", 2);
  const sourceStart = headEnd + 1;
  const sourceEnd = sourceStart + Number(sourceBytes);
  const code = owner === nodeHere() ? { cachedData: bytes.subarray(sourceEnd) } : {};
  return new Script(bytes.toString("latin1", sourceStart, sourceEnd), { filename: file, ...code });
}

/** What `scriptOf` reads, made from the body of a module; ASCII alone. */
export function packed(body: string): Buffer {
  const source = `(function (exports, require, module) {${body}\n})`;
  return Buffer.from(`${source.length} none\n${source}`, "latin1");
}

/** The same with the compiled code of a script that was read from it, once it has run: of the functions that were called. */
export function packedWithCode(before: Buffer, script: Script): Buffer {
  const headEnd = before.indexOf("\n");
  const [sourceBytes = ""] = before.toString("latin1", 0, headEnd).split(" ", 1);
  const source = before.subarray(headEnd + 1, headEnd + 1 + Number(sourceBytes));
  return Buffer.concat([Buffer.from(`${sourceBytes} ${nodeHere()}\n`), source, script.createCachedData()]);
}

/**
 * Compiled code is taken on trust: V8 compares lengths, its version and its flags, and no more. So it is only given what
 * this very program of Node.js made, of which the size stands for the build.
 */
function nodeHere(): string {
  const { version, platform, arch, execPath } = process;
  return `${version}-${platform}-${arch}-${statSync(execPath).size}`;
}
