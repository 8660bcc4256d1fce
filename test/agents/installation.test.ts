// SPDX-License-Identifier: MIT OR Apache-2.0
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { install, type Installation, isInstalled, repositoryInstallation } from "./installation.ts";

const succeed = [process.execPath, "-e", "require('fs').appendFileSync('runs', 'x')"] as const;
const fail = [process.execPath, "-e", "process.exit(3)"] as const;

test("agents are installed once, and again only when their pins change", async () => {
  await using place = await emptyPlace();
  const runs = () => readFile(join(place.into, "runs"), "utf8");
  expect(await install(place, succeed)).toBe("installed");
  expect(await install(place, succeed)).toBe("was there");
  expect(await runs()).toBe("x");
  await writeFile(join(place.pins, "package-lock.json"), "{} ");
  expect(await isInstalled(place)).toBe(false);
  expect(await install(place, succeed)).toBe("installed");
  expect(await runs()).toBe("xx");
});

test("an installation that failed is not taken for one, even over a good one", async () => {
  await using place = await emptyPlace();
  await install(place, succeed);
  await writeFile(join(place.pins, "package.json"), "[]");
  await expect(install(place, fail)).rejects.toThrow("exit code 3");
  await writeFile(join(place.pins, "package.json"), "{}");
  expect(await isInstalled(place)).toBe(false);
});

test("the committed lockfile pins every package by its integrity and names no registry", async () => {
  const text = await readFile(join(repositoryInstallation.pins, "package-lock.json"), "utf8");
  const packages: Record<string, { integrity?: string; resolved?: string }> = JSON.parse(text).packages;
  const installed = Object.entries(packages).filter(([path]) => path !== "");
  expect(installed.length).toBeGreaterThan(10);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
  expect(text).not.toContain('"resolved"');
});

test("a program that does not exist is an error, not a hang", async () => {
  await using place = await emptyPlace();
  await expect(install(place, ["/nowhere/npm"])).rejects.toThrow("ENOENT");
  await expect(access(join(place.into, ".installed"))).rejects.toThrow("ENOENT");
});

async function emptyPlace(): Promise<Installation & AsyncDisposable> {
  const root = await mkdtemp(join(tmpdir(), "agentd-installation-"));
  const place = { pins: root, into: join(root, "into") };
  for (const file of ["package.json", "package-lock.json"]) await writeFile(join(root, file), "{}");
  return { ...place, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}
