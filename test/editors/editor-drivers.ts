// SPDX-License-Identifier: MIT OR Apache-2.0
// How the drivers of the clients start that come as sources. Those in an editor of a newer Debian run by that release's
// own loader and C library.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DriverProgram } from "./editor-setting.ts";
import { nodeDriver } from "./node-driver.ts";
import { type ClientFromSources, installedSources, rootOf } from "./sources.ts";

const driverFile = (name: string): string => fileURLToPath(new URL(`drivers/${name}`, import.meta.url));

function inRoot(root: string, program: string): readonly [string, ...string[]] {
  const libraries = join(root, "usr/lib/x86_64-linux-gnu");
  return [join(libraries, "ld-linux-x86-64.so.2"), "--library-path", libraries, join(root, "usr/bin", program)];
}

/** Undefined where the client is not installed. */
export function neovimDriver(client: "codecompanion" | "avante"): DriverProgram | undefined {
  const sources = installedSources(client);
  if (sources === undefined) return undefined;
  const root = rootOf("neovim");
  // The parsers that come with Neovim are found by its library folder.
  const folders = { ...sources, neovim: join(root, "usr/lib/nvim") };
  return {
    words: [...inRoot(root, "nvim"), "--clean", "--headless", "-u", driverFile(`${client}.lua`)],
    env: { VIMRUNTIME: join(root, "usr/share/nvim/runtime"), EDITOR_SOURCES: JSON.stringify(folders) },
    config: client,
  };
}

export function emacsDriver(client: Extract<ClientFromSources, "agent-shell">): DriverProgram | undefined {
  const sources = installedSources(client);
  if (sources === undefined) return undefined;
  const root = rootOf("emacs-nox");
  const share = join(root, "usr/share/emacs");
  const version = readdirSync(share).find((name) => /^\d/.test(name)) ?? "";
  const libexec = join(root, "usr/libexec/emacs", version, "x86_64-linux-gnu");
  const dump = readdirSync(libexec).find((name) => name.endsWith(".pdmp")) ?? "";
  const emacs = [...inRoot(root, "emacs-nox"), "--dump-file", join(libexec, dump)] as const;
  return {
    words: [...emacs, "-Q", "--batch", "-l", driverFile(`${client}.el`)],
    env: {
      EMACSLOADPATH: join(share, version, "lisp"),
      EMACSDATA: join(share, version, "etc"),
      EMACSPATH: libexec,
      EDITOR_SOURCES: JSON.stringify(sources),
    },
    config: client,
  };
}

export function t3Driver(): DriverProgram | undefined {
  const sources = installedSources("t3");
  return sources === undefined ? undefined : { ...nodeDriver("t3"), env: { EDITOR_SOURCES: JSON.stringify(sources) } };
}
