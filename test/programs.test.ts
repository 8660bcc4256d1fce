// SPDX-License-Identifier: MIT OR Apache-2.0
// What is the same for every program of the package.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const { bin, version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  bin: Record<string, string>;
  version: string;
};

test.each(Object.entries(bin))("%s tells its version in the one form, and its help, on stdout", (name, file) => {
  const run = (word: string) => spawnSync(process.execPath, [`${root}${file}`, word], { encoding: "utf8" });
  expect(run("--version")).toMatchObject({ status: 0, stdout: `${name} ${version}\n`, stderr: "" });
  expect(run("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining(name), stderr: "" });
});

test("agentd called as if it were mix says what mix is called", () => {
  const run = (npmCommand: string) =>
    spawnSync(process.execPath, [`${root}${bin["agentd"]}`, "agent", "ls"], {
      encoding: "utf8",
      env: { ...process.env, npm_command: npmCommand },
    });
  expect(run("")).toMatchObject({
    status: 2,
    stderr: "agentd: agentd takes no words; the command line is mix agent\n",
  });
  expect(run("exec").stderr).toContain("npx -p agentd mix agent");
});
