// SPDX-License-Identifier: MIT OR Apache-2.0
import { isInstalled } from "../agents/installation.ts";
import { editorsInstallation } from "./installation.ts";

/** Clients that are not there are a failure, never a green run without tests. */
export async function setup(): Promise<void> {
  if (await isInstalled(editorsInstallation)) return;
  throw new Error("the pinned clients are not installed: npm run test:editors");
}
