// SPDX-License-Identifier: MIT OR Apache-2.0
import { isMarkedUtf16, withoutByteOrderMark } from "../files/byte-order-mark.ts";
import { usageError } from "./process/mix-error.ts";

/** The bytes without a byte order mark. Throws a usage error for UTF-16. */
export function plainUtf8(bytes: Buffer, from: string): Buffer {
  if (isMarkedUtf16(bytes)) throw usageError(`${from} is UTF-16, and UTF-8 is needed (PowerShell: -Encoding utf8)`);
  return withoutByteOrderMark(bytes);
}
