// SPDX-License-Identifier: MIT OR Apache-2.0

import { setHeader } from "../wire.ts";
import type { FrameHeaders } from "../wire.ts";

/** The headers without what only a broker may say: `broker_…` and `mesh_from`, in any letter case. A copy. */
export function withoutStamps(headers: FrameHeaders): FrameHeaders {
  const rest: FrameHeaders = {};
  for (const key of Object.keys(headers)) {
    if (!isStamp(key)) setHeader(rest, key, headers[key]!);
  }
  return rest;
}

function isStamp(key: string): boolean {
  const first = key.charCodeAt(0) | 0x20;
  if (first !== 0x62 && first !== 0x6d) return false;
  const lower = key.toLowerCase();
  return lower.startsWith("broker_") || lower === "mesh_from";
}
