// SPDX-License-Identifier: MIT OR Apache-2.0
// A part of a line as the bytes that it came in: who goes on with bytes need not make them again.
import { isAscii, isUtf8 } from "node:buffer";
import type { Span } from "./canonical-member.ts";

/**
 * The UTF-8 of a part of `line`, which was decoded from `bytes`; undefined where these are not UTF-8, or where it
 * would have to be looked for: before it and after it a character must be a byte.
 */
export function bytesOfSpan(line: string, bytes: Buffer, { start, end }: Span): Buffer | undefined {
  const bytesEnd = bytes.length - (line.length - end);
  if (bytesEnd < start || !isUtf8(bytes)) return undefined;
  return isAscii(bytes.subarray(0, start)) && isAscii(bytes.subarray(bytesEnd))
    ? bytes.subarray(start, bytesEnd)
    : undefined;
}
