// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Pin } from "./pinned-path.ts";
import { pinByDescriptor } from "./pin-by-descriptor.ts";
import { pinByPath } from "./pin-by-path.ts";

/** Linux holds descriptors and asks the kernel where they are. Elsewhere there is the path, looked at with care. */
export const pinPath: Pin = process.platform === "linux" ? pinByDescriptor : pinByPath;
