// SPDX-License-Identifier: MIT OR Apache-2.0
// Code as source, and in the same file what V8 made of it when it ran before: a short command spends most of its own
// time on compiling, and finds that done. The file is made with the package, is only read afterwards, and holds both
// together, so that the one is never older than the other.
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { Script } from "node:vm";

/** The body of a CommonJS module, as a script whose value is a function of `exports`, `require` and `module`. */
export function scriptOf(file: string): Script {
  const bytes = contentOf(file);
  const { sourceEnd, owner } = headOf(bytes);
  const code = owner === nodeHere() ? { cachedData: bytes.subarray(sourceEnd) } : {};
  return new Script(bytes.toString("latin1", headBytes, sourceEnd), { filename: file, ...code });
}

/** What `scriptOf` reads, made from the body of a module; ASCII alone. */
export function packed(body: string): Buffer {
  const source = `(function (exports, require, module) {${body}\n})`;
  const aligned = source.padEnd(Math.ceil(source.length / alignment) * alignment);
  return Buffer.from(head(aligned.length, "none") + aligned, "latin1");
}

/** The same with the compiled code of a script that was read from it, once it has run: of the functions that were called. */
export function packedWithCode(before: Buffer, script: Script): Buffer {
  const { sourceEnd } = headOf(before);
  const source = before.subarray(headBytes, sourceEnd);
  return Buffer.concat([Buffer.from(head(source.length, nodeHere())), source, script.createCachedData()]);
}

/** A line of one length, so that nobody has to look for its end. */
const headBytes = 128;

/** V8 reads compiled code in place if it begins so, and makes a copy of it otherwise. */
const alignment = 8;

function head(sourceBytes: number, owner: string): string {
  return `${`${sourceBytes} ${owner}`.padEnd(headBytes - 1)}\n`;
}

function headOf(bytes: Buffer): { readonly sourceEnd: number; readonly owner: string | undefined } {
  const [sourceBytes, owner] = bytes.toString("latin1", 0, headBytes).split(" ", 2);
  return { sourceEnd: headBytes + Number(sourceBytes), owner };
}

/** Read at once and not, as `readFileSync` does, looked at first: that takes a short command twice as long. */
function contentOf(file: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(contentBytesMax);
  const descriptor = openSync(file, "r");
  const read = readSync(descriptor, bytes);
  closeSync(descriptor);
  // A system may give less than there is; of the source nothing may be missing.
  return read < headBytes || read === contentBytesMax || headOf(bytes).sourceEnd > read
    ? readFileSync(file)
    : bytes.subarray(0, read);
}

/** Far more than there is; what is not written to takes no memory. */
const contentBytesMax = 1024 * 1024;

/**
 * Compiled code is taken on trust: V8 compares lengths, its version and its flags, and no more. So it is only given what
 * this very program of Node.js made, of which the size stands for the build.
 */
function nodeHere(): string {
  const { version, platform, arch, execPath } = process;
  return `${version}-${platform}-${arch}-${statSync(execPath).size}`;
}
