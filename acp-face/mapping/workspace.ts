// SPDX-License-Identifier: MIT OR Apache-2.0
import { posix } from "node:path";
import { ToolCallLocation } from "../../acp-client/schema/v1/tool-call.ts";
import { decode } from "../../acp-client/schema/lenient.ts";
import { omitUndefined } from "../../json/omit-undefined.ts";
import type { Location } from "./update.ts";

export interface Workspace {
  /** Absolute. */
  readonly cwd: string;
  /** Absolute. */
  readonly additionalDirs: readonly string[];
}

/**
 * Returns the locations inside the workspace, with absolute paths. Undefined if there were some and none is inside: the
 * editor is then told nothing of locations. Links are not followed.
 */
export function locationsInside(locations: readonly unknown[], workspace: Workspace): readonly Location[] | undefined {
  const inside = locations.flatMap((value) => {
    const location = decode(ToolCallLocation, value);
    const path = location && pathInside(location.path, workspace);
    return path === undefined ? [] : [omitUndefined({ ...location, path })];
  });
  return inside.length === 0 && locations.length > 0 ? undefined : inside;
}

function pathInside(path: string, { cwd, additionalDirs }: Workspace): string | undefined {
  const absolute = posix.resolve(cwd, path);
  const isInside = [cwd, ...additionalDirs].some((root) => {
    const way = posix.relative(root, absolute);
    return way !== ".." && !way.startsWith("../");
  });
  if (!isInside) return undefined;
  return posix.isAbsolute(path) ? path : absolute;
}
