// SPDX-License-Identifier: MIT OR Apache-2.0
// Starts the built server with a client of the SDK.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const mcpProgram = fileURLToPath(new URL("../../dist/bin/mixos-mcp.cjs", import.meta.url));

export interface ServerUnderTest {
  readonly client: Client;
  readonly pid: number;
  /** Calls a tool and returns the texts of its result. */
  readonly tool: (name: string, args?: object, signal?: AbortSignal) => Promise<{ texts: string[]; isError: boolean }>;
  /** Calls a tool that must fail, and returns its parsed error. */
  readonly refusal: (name: string, args?: object) => Promise<Record<string, unknown>>;
}

/** Starts and initializes a server, with `env` as its whole environment. It is stopped after the test. */
export async function serverUnderTest(env: Record<string, string>, program = mcpProgram): Promise<ServerUnderTest> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: "inherit" });
  const client = new Client({ name: "test", version: "0" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const tool: ServerUnderTest["tool"] = async (name, args = {}, signal) => {
    const result = await client.callTool({ name, arguments: { ...args } }, undefined, signal ? { signal } : {});
    const content = result.content as { type: string; text: string }[];
    return { texts: content.map(({ text }) => text), isError: result.isError === true };
  };
  return {
    client,
    pid: transport.pid ?? -1,
    tool,
    refusal: async (name, args) => {
      const { texts, isError } = await tool(name, args);
      if (!isError) throw new Error(`${name} was not refused: ${texts.join(" ")}`);
      return JSON.parse(texts[0] ?? "") as Record<string, unknown>;
    },
  };
}
