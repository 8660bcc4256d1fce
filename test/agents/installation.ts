// SPDX-License-Identifier: MIT OR Apache-2.0
// Where the real agents are installed, and whether what is installed is what the committed lockfile says.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const pinnedFiles = ["package.json", "package-lock.json"] as const;

export interface Installation {
  /** Holds the pinned package.json and package-lock.json. */
  readonly pins: string;
  /** Where the packages are installed. */
  readonly into: string;
}

export const repositoryInstallation: Installation = {
  pins: fileURLToPath(new URL("install/", import.meta.url)),
  into: fileURLToPath(new URL("../../.real-agents/", import.meta.url)),
};

/** True when an installation of exactly the pinned packages was completed there. */
export async function isInstalled({ pins, into }: Installation): Promise<boolean> {
  const stamp = await readFile(stampFile(into), "utf8").catch(() => undefined);
  return stamp === (await pinsHash(pins));
}

/**
 * Installs the pinned packages with `npm ci`; about 50 s and 1.3 GB. Does nothing when they are there already.
 * One of them needs a newer Node.js, which is among them: an `engine-strict` that npm hands to its scripts does not count.
 * The stamp is taken away first and written last, so an installation that was broken off counts for nothing.
 */
export async function install(
  { pins, into }: Installation,
  npm: readonly [string, ...string[]] = ["npm", "ci", "--no-audit", "--no-fund", "--engine-strict=false"],
): Promise<"installed" | "was there"> {
  if (await isInstalled({ pins, into })) return "was there";
  await mkdir(into, { recursive: true });
  await rm(stampFile(into), { force: true });
  for (const file of pinnedFiles) await copyFile(join(pins, file), join(into, file));
  const [program, ...rest] = npm;
  const [code, signal] = await once(
    spawn(program, rest, { cwd: into, stdio: ["ignore", "inherit", "inherit"] }),
    "exit",
  );
  if (code !== 0) throw new Error(`${npm.join(" ")} failed in ${into}: ${signal ?? `exit code ${code}`}`);
  await writeFile(stampFile(into), await pinsHash(pins));
  return "installed";
}

function stampFile(into: string): string {
  return join(into, ".installed");
}

/** The native packages differ by platform, so a folder that was carried to another machine is not installed there. */
async function pinsHash(pins: string): Promise<string> {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const file of pinnedFiles) hash.update(await readFile(join(pins, file)));
  return hash.digest("hex");
}
