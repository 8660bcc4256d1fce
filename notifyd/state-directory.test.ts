// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../bus-client/testing/temporary-directory.ts";
import { prepareStateDirectory, statePaths } from "./state-directory.ts";

test("a state directory under a world-writable directory is refused, naming that directory", () => {
  const above = join(temporaryDirectory(), "above");
  mkdirSync(above);
  const paths = statePaths({ NOTIFYD_STATE_DIR: join(above, "notifyd") }, "/home/ann");
  const uid = process.getuid?.() ?? 0;
  prepareStateDirectory(paths, uid);
  chmodSync(above, 0o777);
  expect(() => prepareStateDirectory(paths, uid)).toThrow(`${above} is a directory where everybody can replace it`);
});
