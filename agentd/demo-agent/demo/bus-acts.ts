// SPDX-License-Identifier: MIT OR Apache-2.0
// The way back: what the demo agent does with the MCP server that leads to the Bus.
import { isObject } from "./connection.ts";
import { type Turn, textContent } from "./turn.ts";

/** Lists who is on the Bus, by the tool that every session's agent is given. */
export async function lookAtBus(turn: Turn): Promise<void> {
  const call = { title: "bus_services", kind: "search", rawInput: {} } as const;
  const server = turn.server("mixos");
  if (server === undefined) return await turn.say("I was given no MCP server mixos, so I cannot see the Bus.\n");
  const toolCallId = turn.startToolCall(call);
  turn.runToolCall(toolCallId);
  const { text, isError } = await turn.callTool(server, "bus_services", {});
  turn.endToolCall(toolCallId, isError ? "failed" : "completed", [textContent(text)]);
  if (isError) return await turn.say(`The Bus did not answer: ${text}\n`);
  const names = namesOf(text);
  await turn.say(
    `${names.length} on the Bus: ${names.join(", ")}.\n\nI asked through mixos-mcp, which every agent here is given. ` +
      "With its other tools an agent asks any of them, other coding agents too.\n",
  );
}

function namesOf(text: string): string[] {
  const listed: unknown = JSON.parse(text);
  return Array.isArray(listed) ? listed.filter(isObject).map(({ name }) => String(name)) : [];
}
