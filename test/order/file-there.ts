// SPDX-License-Identifier: MIT OR Apache-2.0
import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import { within } from "../harness/deadline.ts";

/** Resolves when an agent has made the file. */
export async function fileThere(directory: string, name: string): Promise<void> {
  const watcher = watch(directory);
  try {
    const there = new Promise<void>((resolve) => {
      const look = (): void => {
        if (existsSync(join(directory, name))) resolve();
      };
      watcher.on("change", look);
      look();
    });
    await within(20_000, `the agent did not come to ${name}`, there);
  } finally {
    watcher.close();
  }
}
