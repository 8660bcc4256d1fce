// SPDX-License-Identifier: MIT OR Apache-2.0
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { agentTable } from "./table-reporter.ts";

// The real agents, apart from the other tests: they need 1.3 GB of installed agents and minutes.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/agents/**/*.agents.ts"],
    globalSetup: ["test/agents/require-installation.ts", "test/global-setup.ts"],
    // Above the sum of the bounded waits of one test, so that the wait that failed is the one that tells.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Two agents at once: one uses the processor where the other waits.
    maxWorkers: 2,
    sequence: { shuffle: true },
    reporters: ["default", agentTable],
    tags: [{ name: "core", description: "the rows that every state of main is checked by" }],
  },
});
