// SPDX-License-Identifier: MIT OR Apache-2.0
// Several programs that change the configuration file at once.
// @module-tag slow
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makePlace } from "./harness/place.ts";

const agentd = fileURLToPath(new URL("../dist/bin/agentd.cjs", import.meta.url));

test("agents that are added at once are all in the file, and one name is added once", async () => {
  using place = makePlace();
  const add = async (name: string, command: string): Promise<string> => {
    const words = [agentd, "--add", name, "--", command];
    const ran = promisify(execFile)(process.execPath, words, { env: place.environment, encoding: "utf8" });
    const { stdout } = await ran.catch((error: unknown) => error as { stdout: string });
    const event = JSON.parse(stdout) as { event: string; code?: string };
    return event.code ?? event.event;
  };
  const names = ["a", "b", "c", "d", "e"];
  const ended = await Promise.all([...names, "a"].map((name, nth) => add(name, `program-${nth}`)));
  expect(ended.toSorted()).toEqual(["AGENT_EXISTS", ...names.map(() => "done")]);
  const text = readFileSync(place.configFile, "utf8");
  for (const name of names) expect(text).toContain(`\n[agents.${name}]\n`);
});
