// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Hold } from "./held.ts";
import { holdByDescriptor } from "./hold-by-descriptor.ts";
import { holdByPath } from "./hold-by-path.ts";

/** Linux holds descriptors and asks the kernel where they are. Elsewhere there is the path, looked at with care. */
export const hold: Hold = process.platform === "linux" ? holdByDescriptor : holdByPath;
