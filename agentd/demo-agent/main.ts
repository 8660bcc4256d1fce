// SPDX-License-Identifier: MIT OR Apache-2.0
// The demo agent: an ACP v1 agent on stdin and stdout that needs no model and no key.
import { DemoAgent } from "./demo/demo-agent.ts";

// The client has closed our stdout.
process.stdout.on("error", () => process.exit(0));
void new DemoAgent({ input: process.stdin, output: process.stdout, onClosed: () => process.exit(0) });
