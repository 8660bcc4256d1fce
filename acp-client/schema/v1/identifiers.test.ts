// SPDX-License-Identifier: MIT OR Apache-2.0
// Identifiers are kept in memory for long, so their length is limited.
import { expect, test } from "vitest";
import { identifierCharactersMax } from "../lenient.ts";
import { decodeConfigOptions, decodeModes } from "./config.ts";
import { decodeElicitation } from "./elicitation.ts";
import { decodePermissionRequest, checkPermissionRequest } from "./permission.ts";
import { decodeIdentity, decodeNewSession, decodeSessionPage } from "./results.ts";
import { decodeUpdate } from "./update.ts";

const longest = "x".repeat(identifierCharactersMax);
const tooLong = `${longest}x`;
const text = { type: "text", text: "x" };

test.for([
  ["tool_call", { title: "t" }, "toolCallId"],
  ["tool_call_update", {}, "toolCallId"],
  ["compaction_update", { status: "started" }, "compactionId"],
  ["compaction_summary_chunk", { content: text }, "compactionId"],
  ["current_mode_update", {}, "currentModeId"],
] as const)("%s with an id that is too long is invalid", ([sessionUpdate, members, id]) => {
  expect(decodeUpdate({ sessionUpdate, ...members, [id]: longest })).toMatchObject({
    kind: expect.any(String) as string,
  });
  expect(decodeUpdate({ sessionUpdate, ...members, [id]: tooLong })).toBeUndefined();
});

test.for([{}, { annotations: { priority: 1 } }])(
  "a message keeps its text when its optional id is too long (block with %j)",
  (more) => {
    const chunk = { sessionUpdate: "agent_message_chunk", content: { ...text, ...more } };
    expect(decodeUpdate({ ...chunk, messageId: longest })).toHaveProperty("messageId", longest);
    expect(decodeUpdate({ ...chunk, messageId: tooLong })).not.toHaveProperty("messageId");
  },
);

test("a title that is too long is truncated, and a time that is too long is absent", () => {
  const info = (members: object) => decodeUpdate({ sessionUpdate: "session_info_update", ...members });
  expect(info({ title: "x".repeat(4_096), updatedAt: tooLong })).toEqual({ kind: "info", title: "x".repeat(4_096) });
  const updatedAt = "2030-01-01T00:00:00Z";
  expect(info({ title: `${"x".repeat(4_095)}👍`, updatedAt })).toEqual({
    kind: "info",
    title: "x".repeat(4_095),
    updatedAt,
  });
  expect(info({ title: null, updatedAt: null })).toEqual({ kind: "info", title: null, updatedAt: null });
});

test("a permission request with such a tool call id is refused; its options have a limit of their own", () => {
  const ask = (toolCallId: string, optionId: string) =>
    decodePermissionRequest({
      sessionId: "s",
      toolCall: { toolCallId },
      options: [{ optionId, name: "n", kind: "allow_once" }],
    });
  expect(ask(tooLong, "a")).toBeUndefined();
  const asked = ask(longest, tooLong);
  if (asked === undefined) throw new Error("it was not understood");
  expect(checkPermissionRequest(asked, 64 * 1024)).toBeUndefined();
  expect(checkPermissionRequest(asked, 2_000)).toContain("too long");
  const form = { sessionId: "s", mode: "form", message: "m", requestedSchema: {}, toolCallId: tooLong };
  expect(decodeElicitation(form)).not.toHaveProperty("toolCallId");
  const address = { sessionId: "s", mode: "url", message: "m", url: "https://h/" };
  expect(decodeElicitation({ ...address, elicitationId: longest })).toBeDefined();
  expect(decodeElicitation({ ...address, elicitationId: tooLong })).toBeUndefined();
});

test("options, choices, modes and login methods with too long an id are dropped, and the rest is kept", () => {
  const choices = [
    { value: "v", name: "n" },
    { value: tooLong, name: "n" },
  ];
  const option = { name: "n", type: "select", currentValue: "v", options: choices };
  expect(
    decodeConfigOptions([
      { id: "o", ...option },
      { id: tooLong, ...option },
      { id: "p", ...option, currentValue: tooLong },
    ]),
  ).toEqual([{ option: "o", name: "n", type: "select", value: "v", choices: [{ value: "v", name: "n" }] }]);
  const modes = { currentModeId: "a", availableModes: [{ id: tooLong, name: "n" }] };
  expect(decodeModes(modes)).toEqual({ current: "a", choices: [] });
  expect(decodeModes({ ...modes, currentModeId: tooLong })).toBeUndefined();
  const identity = decodeIdentity({
    protocolVersion: 1,
    agentInfo: { name: tooLong, version: "1" },
    authMethods: [
      { id: tooLong, name: "n" },
      { id: "a", name: "n" },
    ],
  });
  expect(identity).toMatchObject({ info: null, authMethods: [{ id: "a" }] });
});

test("a session whose id is too long is refused", () => {
  expect(decodeNewSession({ sessionId: longest })).toMatchObject({ sessionId: longest });
  expect(decodeNewSession({ sessionId: tooLong })).toBeUndefined();
  expect(decodeSessionPage({ sessions: [{ sessionId: tooLong, cwd: "/" }] })).toMatchObject({ sessions: [] });
});
