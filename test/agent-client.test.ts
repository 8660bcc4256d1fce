// SPDX-License-Identifier: MIT OR Apache-2.0
// The example in the README of agent-client, as it stands there, with the built daemon and the demo agent.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startDaemonProcess } from "./harness/daemon-process.ts";
import { makePlace } from "./harness/place.ts";

const root = new URL("../", import.meta.url);

test("the example of the README starts a session, answers its question and sees its turn end", async () => {
  using place = makePlace();
  await using daemon = await startDaemonProcess(place);
  const [, example = ""] =
    /^```ts\n(.*?)^```$/ms.exec(readFileSync(new URL("agent-client/README.md", root), "utf8")) ?? [];
  const file = join(place.home, "example.mts");
  writeFileSync(file, example.replaceAll('from "./', `from "${root.href}`));
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", file, daemon.busUrl], {
    cwd: fileURLToPath(root),
  });
  expect(stdout).toMatch(/^end_turn .*\bmessage\b.*\btool_call\b.*\bquestion\b/);
});
