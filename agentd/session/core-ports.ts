// SPDX-License-Identifier: MIT OR Apache-2.0
import { toSupportedBlocks } from "../../acp-client/prompt-blocks.ts";
import type { CorePorts } from "./core/input.ts";

export const corePorts: CorePorts = {
  findPromptProblem(blocks, offered) {
    const prepared = toSupportedBlocks(blocks, offered);
    return prepared.type === "refused" ? prepared.message : undefined;
  },
  hostOf: (url) => (URL.canParse(url) ? new URL(url).host : undefined),
};
