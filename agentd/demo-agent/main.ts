// SPDX-License-Identifier: MIT OR Apache-2.0
// The demo agent: an ACP v1 agent on stdin and stdout that needs no model and no key.
import { serveOnStdio } from "../../acp-face/agent-side/stdio.ts";
import { DemoAgent } from "./demo/demo-agent.ts";

await serveOnStdio((client) => new DemoAgent(client)).closed;
process.exit(0);
