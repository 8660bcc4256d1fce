// SPDX-License-Identifier: MIT OR Apache-2.0
import manifest from "../package.json" with { type: "json" };

export const version: string = manifest.version;
