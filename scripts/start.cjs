#!/usr/bin/env node
// SPDX-License-Identifier: MIT OR Apache-2.0
// Starts the program that this file is named after. From Node.js 22.1 on, V8's compiled code is cached for the next
// start, in the user's own cache directory: Node.js runs the code that it finds there, and its default directory is in
// /tmp, where another user could have put it.
"use strict";
const nodeModule = require("node:module");
const os = require("node:os");
const path = require("node:path");

const given = process.env.XDG_CACHE_HOME ?? "";
const caches = path.isAbsolute(given) ? given : path.join(os.homedir(), ".cache");
if (path.isAbsolute(caches)) nodeModule.enableCompileCache?.(path.join(caches, "agentd"));
require(`../programs/${path.basename(__filename)}`);
