// SPDX-License-Identifier: MIT OR Apache-2.0
import { toSupportedBlocks } from "../../acp-client/prompt-blocks.ts";
import type { Readings } from "./core/input.ts";

/** What the core is handed for all sessions. */
export const readings: Readings = {
  unsendable(blocks, offered) {
    const told = toSupportedBlocks(blocks, offered);
    return told.type === "refused" ? told.message : undefined;
  },
  hostOf: (url) => (URL.canParse(url) ? new URL(url).host : undefined),
};
