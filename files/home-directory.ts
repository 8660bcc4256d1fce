// SPDX-License-Identifier: MIT OR Apache-2.0
import { homedir } from "node:os";
import { attempt } from "./attempt.ts";

/** `/` for a user without HOME and without an account, as containers have them: programs start there with HOME=/. */
export function homeDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env["HOME"] || attempt(homedir) || "/";
}
