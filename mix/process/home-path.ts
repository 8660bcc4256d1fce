// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Context } from "./context.ts";

/** Writes `~` for the home directory, as shells do. */
export function homePath(path: string, { home }: Pick<Context, "home">): string {
  if (home === "" || home === "/") return path;
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
