// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Build } from "../bus-client/index.ts";
import manifest from "../package.json" with { type: "json" };

/** The build adds its own member to the manifest; what runs from its source has none. */
export const ownBuild: Build = manifest;
