// SPDX-License-Identifier: MIT OR Apache-2.0
import { toSupportedBlocks } from "../../acp-client/prompt-blocks.ts";
import type { CorePorts } from "./core/input.ts";

/** What the core is handed for all sessions. */
export const corePorts: CorePorts = {
  findPromptProblem(blocks, offered) {
    const told = toSupportedBlocks(blocks, offered);
    return told.type === "refused" ? told.message : undefined;
  },
  hostOf: (url) => (URL.canParse(url) ? new URL(url).host : undefined),
};
