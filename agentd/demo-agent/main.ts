// SPDX-License-Identifier: MIT OR Apache-2.0
// A real ACP v1 program on stdin and stdout. Without arguments it is the demo agent.
import { DemoAgent } from "./demo/demo-agent.ts";

// Whoever read our stdout is gone: there is nobody left to work for.
process.stdout.on("error", () => process.exit(0));

void new DemoAgent({ input: process.stdin, output: process.stdout, onClosed: () => process.exit(0) });
