// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds the bytes that a part of a line was decoded from, so that they need not be encoded again.
import { isAscii, isUtf8 } from "node:buffer";
import type { Span } from "./canonical-member.ts";

/**
 * Returns the UTF-8 of a part of `line`, which was decoded from `bytes`. Undefined if `bytes` is not valid UTF-8, or if
 * the text around the part is not ASCII, in which case character and byte positions differ.
 */
export function bytesOfSpan(line: string, bytes: Buffer, { start, end }: Span): Buffer | undefined {
  const bytesEnd = bytes.length - (line.length - end);
  if (bytesEnd < start || !isUtf8(bytes)) return undefined;
  return isAscii(bytes.subarray(0, start)) && isAscii(bytes.subarray(bytesEnd))
    ? bytes.subarray(start, bytesEnd)
    : undefined;
}
