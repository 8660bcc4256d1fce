// SPDX-License-Identifier: MIT OR Apache-2.0
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The real agents, apart from the other tests: they need 0.6 GB of installed agents and minutes.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/agents/**/*.agents.ts"],
    globalSetup: ["test/agents/require-installation.ts", "test/global-setup.ts"],
    // Above the sum of the bounded waits of one test, so that the wait that failed is the one that tells.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Both agents at once: OpenCode uses the processor where Codex waits.
    maxWorkers: 2,
    sequence: { shuffle: true },
  },
});
