// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

test.each(["install", "install-t3"])("%s pins every package by its integrity and names no registry", async (folder) => {
  const text = await readFile(new URL(`${folder}/package-lock.json`, import.meta.url), "utf8");
  const packages: Record<string, { integrity?: string }> = JSON.parse(text).packages;
  const installed = Object.entries(packages).filter(([path]) => path !== "");
  expect(installed.length).toBeGreaterThan(5);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
  expect(text).not.toContain('"resolved"');
});
