#!/usr/bin/env node
// SPDX-License-Identifier: MIT OR Apache-2.0
// What users start, under the name of each program. From Node.js 22.1 on, the compiled code of the program is kept for the
// next start. The directory is the user's own: Node.js runs what it finds there, and by default looks in /tmp, where
// another user could have put it.
import module from "node:module";
import { homedir } from "node:os";
import { basename, isAbsolute, join } from "node:path";

const given = process.env.XDG_CACHE_HOME ?? "";
const caches = isAbsolute(given) ? given : join(homedir(), ".cache");
if (isAbsolute(caches)) module.enableCompileCache?.(join(caches, "agentd"));
await import(new URL(`../programs/${basename(import.meta.filename)}`, import.meta.url).href);
