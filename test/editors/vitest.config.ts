// SPDX-License-Identifier: MIT OR Apache-2.0
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { ResultTable } from "../harness/result-table.ts";
import { editorsInstallation } from "./installation.ts";
import { rowTitles } from "./rows.ts";

// Real clients of ACP, apart from the other tests: they need what scripts/test-editors.ts installs.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/editors/**/*.editors.ts"],
    globalSetup: ["test/editors/require-installation.ts", "test/global-setup.ts"],
    // Above the sum of the bounded waits of one test, so that the wait that failed is the one that tells.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Two clients at once: one uses the processor where the other waits.
    maxWorkers: 2,
    sequence: { shuffle: true },
    reporters: ["default", new ResultTable(rowTitles, join(editorsInstallation.into, "table.md"))],
  },
});
