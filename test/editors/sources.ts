// SPDX-License-Identifier: MIT OR Apache-2.0
// Clients that come as sources: public repositories at pinned commits, and the editors that they run in. Nothing of them
// is in this repository.
import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { install } from "../agents/installation.ts";
import { editorsInstallation } from "./installation.ts";
import { unpackDebian } from "./unpack-debian.ts";

const run = promisify(execFile);

/** `only`: the folders that are used, of a repository that has much more. */
interface Pinned {
  readonly repository: string;
  readonly commit: string;
  readonly only?: readonly string[];
}

const pinned = {
  codecompanion: { repository: "olimorris/codecompanion.nvim", commit: "f1afd02537c68b3dd6e0d41d4adda5ef538e0473" },
  avante: { repository: "yetone/avante.nvim", commit: "a9334315e05ac750985c7d0b391e360e36e0278e" },
  plenary: { repository: "nvim-lua/plenary.nvim", commit: "b9fd5226c2f76c951fc8ed5923d85e4de065e509" },
  nui: { repository: "MunifTanjim/nui.nvim", commit: "de740991c12411b663994b2860f1a4fd0937c130" },
  "agent-shell": { repository: "xenodium/agent-shell", commit: "0baa3537be2fa17f7b60fe67a994dc6486ae2ec9" },
  acp: { repository: "xenodium/acp.el", commit: "4d7d58dc39870e9390e94617e13d7ada175d7945" },
  "shell-maker": { repository: "xenodium/shell-maker", commit: "ab4f8ebaf4ef7a7db4762c5d5075baea580044ba" },
  t3code: {
    repository: "pingdotgg/t3code",
    commit: "c0bb2373450231e3931937d2f703e35ce906ed85",
    only: ["/apps/server/src/provider/acp", "/packages/effect-acp", "/packages/shared"],
  },
} as const satisfies Readonly<Record<string, Pinned>>;
type SourceName = keyof typeof pinned;

interface NeededSources {
  readonly editor: EditorPackage | undefined;
  readonly sources: readonly SourceName[];
}
/** The Debian package of the editor that a client runs in. */
export type EditorPackage = "neovim" | "emacs-nox";

/** What each client needs beside the packages from npm. */
export const clientsFromSources = {
  codecompanion: { editor: "neovim", sources: ["codecompanion", "plenary"] },
  avante: { editor: "neovim", sources: ["avante", "plenary", "nui"] },
  "agent-shell": { editor: "emacs-nox", sources: ["agent-shell", "acp", "shell-maker"] },
  t3: { editor: undefined, sources: ["t3code"] },
} as const satisfies Readonly<Record<string, NeededSources>>;
export type ClientFromSources = keyof typeof clientsFromSources;

const sourceFolder = (name: SourceName): string => join(editorsInstallation.into, "sources", name);
/** Debian packages of a newer release, unpacked and not installed. */
export const rootOf = (editor: EditorPackage): string => join(editorsInstallation.into, editor);

/** The folders of a client's sources; undefined where they, or its editor, are not installed. */
export function installedSources(client: ClientFromSources): Readonly<Record<string, string>> | undefined {
  const { editor, sources } = clientsFromSources[client];
  const all = [...(editor === undefined ? [] : [rootOf(editor)]), ...sources.map(sourceFolder)];
  if (!all.every((folder) => existsSync(join(folder, ".complete")))) return undefined;
  return Object.fromEntries(sources.map((name) => [name, realpathSync(sourceFolder(name))]));
}

/** Resolves to why it could not be installed, or to nothing. What is there already is left alone. */
export async function installFromSources(client: ClientFromSources): Promise<string | undefined> {
  const { editor, sources } = clientsFromSources[client];
  try {
    for (const name of sources) {
      await once(sourceFolder(name), pinned[name].commit, async (folder) => {
        await checkOut(folder, pinned[name]);
        if (name === "t3code") await addPackagesOfT3(folder);
      });
    }
    if (editor !== undefined) await once(rootOf(editor), editor, (folder) => unpackDebian("sid", editor, folder));
    return undefined;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).trim().split("\n").at(-1);
  }
}

/** Fills the folder, unless that was completed for the same version before. */
async function once(folder: string, version: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const stamp = join(folder, ".complete");
  if ((await readFile(stamp, "utf8").catch(() => "")) === version) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await fill(folder);
  await writeFile(stamp, version);
}

/**
 * AGENTD_EDITOR_SOURCES is a folder of repositories, as `owner/name.git`, for machines that do not reach GitHub. A fork
 * will do that has the commit.
 */
async function checkOut(folder: string, { repository, commit, only = ["/*"] }: Pinned): Promise<void> {
  const from = process.env["AGENTD_EDITOR_SOURCES"] ?? "https://github.com";
  const git = (...args: readonly string[]) => run("git", ["-C", folder, ...args], { maxBuffer: 2 ** 26 });
  await git("init", "--quiet");
  await git("remote", "add", "origin", `${from}/${repository}.git`);
  // Pictures and films are most of some of them.
  await git("sparse-checkout", "set", "--no-cone", ...only, "!*.gif", "!*.png", "!*.jpg", "!*.mp4");
  await git("fetch", "--quiet", "--depth", "1", "--filter", "blob:none", "origin", commit);
  await git("checkout", "--quiet", "FETCH_HEAD");
}

/** What T3 Code's runtime imports: two packages from npm, and two of its own workspace. */
async function addPackagesOfT3(folder: string): Promise<void> {
  const pins = fileURLToPath(new URL("install-t3/", import.meta.url));
  const into = join(editorsInstallation.into, "t3");
  await install({ pins, into });
  const links = {
    effect: join(into, "node_modules/effect"),
    "@effect/platform-node": join(into, "node_modules/@effect/platform-node"),
    "effect-acp": join(folder, "packages/effect-acp"),
    "@t3tools/shared": join(folder, "packages/shared"),
  };
  for (const [name, target] of Object.entries(links)) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(target, link);
  }
}
