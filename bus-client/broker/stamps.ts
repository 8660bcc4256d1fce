// SPDX-License-Identifier: MIT OR Apache-2.0

import { setHeader, type FrameHeaders } from "../wire.ts";

/** Copies headers except those that only a broker may set: `broker_…` and `mesh_from`, in any letter case. */
export function copyWithoutStamps(from: FrameHeaders, to: FrameHeaders): void {
  for (const key of Object.keys(from)) {
    if (!isStamp(key)) setHeader(to, key, from[key]!);
  }
}

function isStamp(key: string): boolean {
  const first = key.charCodeAt(0) | 0x20;
  if (first !== 0x62 && first !== 0x6d) return false;
  const lower = key.toLowerCase();
  return lower.startsWith("broker_") || lower === "mesh_from";
}
