// SPDX-License-Identifier: MIT OR Apache-2.0
// The demo agent: an ACP v1 agent on stdin and stdout that needs no model and no key. Its argument is the directory in
// which it keeps its sessions; without one they end with the process.
import { started } from "../../acp-face/agent-side/started-agent.ts";
import { serveOnStdio } from "../../acp-face/agent-side/stdio.ts";
import { DemoAgent } from "./demo/demo-agent.ts";
import { fileStore, memoryStore } from "./demo/session-store.ts";

const directory = process.argv[2];
const store = directory === undefined ? memoryStore() : fileStore(directory);
const failure = await serveOnStdio((client) => started(new DemoAgent(client, store))).closed;
process.exit(failure === undefined ? 0 : 1);
