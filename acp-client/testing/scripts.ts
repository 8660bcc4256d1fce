// SPDX-License-Identifier: MIT OR Apache-2.0
// Small programs that stand in for an agent, for tests that need a real process and real pipes.

/**
 * Returns a command that runs JavaScript with the helpers `say(message)`, `reply(request, result)`, `on(method,
 * handler)`.
 */
export function program(body: string): readonly [string, ...string[]] {
  return [process.execPath, "--input-type=module", "-e", `${helpers}\n${body}`];
}

const helpers = `
import { createInterface } from "node:readline";
const handlers = {};
const on = (method, handler) => { handlers[method] = handler; };
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const reply = (request, result) => say({ id: request.id, result });
const chunk = (text) => ({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update: {
  sessionUpdate: "agent_message_chunk", content: { type: "text", text } } } });
on("initialize", (request) => reply(request, { protocolVersion: 1 }));
on("session/new", (request) => reply(request, { sessionId: "s" }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  handlers[message.method]?.(message);
});
`;
