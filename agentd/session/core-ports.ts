// SPDX-License-Identifier: MIT OR Apache-2.0
import { toSupportedBlocks } from "../../acp-client/prompt-blocks.ts";
import type { CorePorts } from "./core/input.ts";

/** The functions that are injected into the core of every session. */
export const corePorts: CorePorts = {
  findPromptProblem(blocks, offered) {
    const told = toSupportedBlocks(blocks, offered);
    return told.type === "refused" ? told.message : undefined;
  },
  hostOf: (url) => (URL.canParse(url) ? new URL(url).host : undefined),
};
