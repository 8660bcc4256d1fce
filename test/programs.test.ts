// SPDX-License-Identifier: MIT OR Apache-2.0
// What is the same for every program of the package.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const { bin, version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  bin: Record<string, string>;
  version: string;
};

/** Of what the program loads of ours and of its dependencies, as V8 saw it. */
function bytesLoadedBy(file: string, word: string): number {
  const directory = mkdtempSync(join(tmpdir(), "loaded-"));
  try {
    spawnSync(process.execPath, [`${root}${file}`, word], { env: { ...process.env, NODE_V8_COVERAGE: directory } });
    const [report = ""] = readdirSync(directory);
    const { result } = JSON.parse(readFileSync(join(directory, report), "utf8")) as { result: { url: string }[] };
    const files = result.map(({ url }) => url).filter((url) => url.startsWith("file://"));
    expect(files).not.toEqual([]);
    return files.reduce((bytes, url) => bytes + statSync(fileURLToPath(url)).size, 0);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test.each(["agentd", "notifyd"])("%s loads next to nothing to tell its version", (name) => {
  expect(bytesLoadedBy(bin[name]!, "--version")).toBeLessThan(100_000);
});

test.each(Object.entries(bin))("%s tells its version in the one form, and its help, on stdout", (name, file) => {
  const run = (word: string) => spawnSync(process.execPath, [`${root}${file}`, word], { encoding: "utf8" });
  expect(run("--version")).toMatchObject({ status: 0, stdout: `${name} ${version}\n`, stderr: "" });
  expect(run("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining(name), stderr: "" });
});
