// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent made with the official SDK, which shares no code and no interpretation of the protocol with us.
// Prompts: "permission" requests one, "wait" lasts until session/cancel, "fail" throws, anything else is echoed.
import { Readable, Writable } from "node:stream";
import { RequestError, agent, ndJsonStream } from "@agentclientprotocol/sdk";

const sessions = new Map();

const option = (session) => ({
  id: "pace",
  name: "Pace",
  type: "select",
  currentValue: session.pace,
  options: [{ group: "all", name: "All", options: ["slow", "fast"].map((value) => ({ value, name: value })) }],
});
const configOptions = (session) => [
  option(session),
  { id: "loud", name: "Loud", type: "boolean", currentValue: session.loud },
];

agent({ name: "sdk-agent" })
  .onRequest("initialize", ({ params }) => ({
    protocolVersion: 1,
    agentInfo: { name: "sdk-agent", version: "1.0.0", title: JSON.stringify(params.clientCapabilities) },
    agentCapabilities: {
      promptCapabilities: { image: true, embeddedContext: false },
      sessionCapabilities: { list: {}, close: {}, delete: {} },
      auth: { logout: {} },
    },
    authMethods: [{ id: "key", name: "Key" }],
  }))
  .onRequest("authenticate", () => ({}))
  .onRequest("logout", () => ({}))
  .onRequest("session/new", ({ params }) => {
    if (params.cwd === "/locked") throw RequestError.authRequired();
    const id = `s${sessions.size + 1}`;
    const session = { cwd: params.cwd, mode: "ask", pace: "slow", loud: false, stop: () => {} };
    sessions.set(id, session);
    return {
      sessionId: id,
      modes: { currentModeId: "ask", availableModes: ["ask", "auto"].map((mode) => ({ id: mode, name: mode })) },
      configOptions: configOptions(session),
    };
  })
  .onRequest("session/set_mode", ({ params }) => {
    sessions.get(params.sessionId).mode = params.modeId;
    return {};
  })
  .onRequest("session/set_config_option", ({ params }) => {
    const session = sessions.get(params.sessionId);
    session[params.configId] = params.value;
    return { configOptions: configOptions(session) };
  })
  .onRequest("session/list", ({ params }) =>
    params.cursor === "more"
      ? { sessions: [{ sessionId: "old", cwd: "/old" }], nextCursor: null }
      : { sessions: [...sessions].map(([sessionId, { cwd }]) => ({ sessionId, cwd })), nextCursor: "more" },
  )
  .onRequest("session/close", ({ params }) => {
    if (!sessions.delete(params.sessionId)) throw RequestError.resourceNotFound(params.sessionId);
    return {};
  })
  .onRequest("session/delete", ({ params }) => {
    throw RequestError.resourceNotFound(params.sessionId);
  })
  .onRequest("session/prompt", async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const text = prompt.map((block) => block.text ?? `<${block.type}>`).join("");
    const say = (update) => client.notify("session/update", { sessionId, update });
    if (text === "fail") throw RequestError.internalError({ why: "asked to" }, "asked to");
    if (text === "wait") {
      await say({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "waiting" } });
      await new Promise((resolve) => {
        sessions.get(sessionId).stop = resolve;
      });
      return { stopReason: "cancelled" };
    }
    if (text === "permission") {
      const answer = await client.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: "t1", title: "Write", kind: "edit" },
        options: [
          { optionId: "yes", name: "Yes", kind: "allow_once" },
          { optionId: "no", name: "No", kind: "reject_once" },
        ],
      });
      await say({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: JSON.stringify(answer.outcome) },
      });
      return { stopReason: "end_turn" };
    }
    await say({
      sessionUpdate: "tool_call",
      toolCallId: "t1",
      title: "Edit",
      content: [{ type: "diff", path: "/a", oldText: null, newText: "b" }],
    });
    await say({ sessionUpdate: "agent_message_chunk", messageId: "m1", content: { type: "text", text } });
    return { stopReason: "end_turn" };
  })
  .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.stop())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
