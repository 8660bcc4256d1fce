// SPDX-License-Identifier: MIT OR Apache-2.0
// Programs of a newer Debian beside the system's own: downloaded with all that they depend on, and unpacked into a folder.
// Nothing is installed, and apt's own lists stay as they are.
import { execFile } from "node:child_process";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Rejects where there is no apt, or no archive that it knows. */
export async function unpackDebian(suite: string, programPackage: string, folder: string): Promise<void> {
  const { stdout } = await run("apt-get", ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]);
  const archive = stdout.split("\n").find((uri) => /\/debian\/?$/.test(uri));
  if (archive === undefined) throw new Error("apt knows no archive of Debian");
  const apt = join(folder, "apt");
  await mkdir(join(apt, "lists/partial"), { recursive: true });
  await mkdir(join(apt, "cache/archives/partial"), { recursive: true });
  const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
  await writeFile(join(apt, "sources.list"), `deb [signed-by=${keyring}] ${archive} ${suite} main\n`);
  const settings = {
    "Dir::Etc::sourcelist": join(apt, "sources.list"),
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::State::lists": join(apt, "lists"),
    "Dir::Cache": join(apt, "cache"),
    // As if nothing were installed: every package is downloaded.
    "Dir::State::status": "/dev/null",
    "APT::Sandbox::User": "root",
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ["-o", `${key}=${value}`]);
  const aptGet = (...words: readonly string[]) => run("apt-get", [...options, "-qq", ...words], { maxBuffer: 2 ** 26 });
  await aptGet("update");
  await aptGet("-y", "--no-install-recommends", "--download-only", "install", programPackage);
  const packages = (await readdir(join(apt, "cache/archives"))).filter((name) => name.endsWith(".deb"));
  for (const file of packages) await run("dpkg-deb", ["-x", join(apt, "cache/archives", file), folder]);
  await rm(apt, { recursive: true });
}
