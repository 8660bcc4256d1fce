// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Pin } from "./pinned-path.ts";
import { pinByDescriptor } from "./pin-by-descriptor.ts";
import { pinByPath } from "./pin-by-path.ts";

/** Linux pins by descriptor. Other systems check the real path before each use, which a swap in between can defeat. */
export const pinPath: Pin = process.platform === "linux" ? pinByDescriptor : pinByPath;
