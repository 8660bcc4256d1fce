// SPDX-License-Identifier: MIT OR Apache-2.0
// Makes each member invalid where the official schema requires a receiver to be lenient.
import { expect, test } from "vitest";
import { objections, officialSchema } from "../../testing/official-schema.ts";
import { readers, shapes } from "../../testing/received-types.ts";
import { decodeOptionsAfterChange } from "./results.ts";
import { decodeUpdate } from "./update.ts";

type Json = Readonly<Record<string, unknown>>;

const text = { type: "text", text: "x" };
const select = { id: "c", name: "C", type: "select", currentValue: "a" };
const update = (sessionUpdate: string, members: object): object => ({ sessionUpdate, ...members });
const chunk = (block: object): object => update("agent_message_chunk", { content: block });
const option = (options: readonly object[]): object =>
  update("config_option_update", { configOptions: [{ ...select, options }] });
const list = (session: object): object => ({ sessions: [{ sessionId: "s", cwd: "/", ...session }] });

/** A message that contains a type, its path in the message, and the message's decoder. */
type Carrier = readonly [message: object, path: readonly (string | number)[], read: string];

const carriers: Readonly<Record<string, Carrier>> = {
  AgentAuthCapabilities: [
    { protocolVersion: 1, agentCapabilities: { auth: {} } },
    ["agentCapabilities", "auth"],
    "InitializeResponse",
  ],
  AgentCapabilities: [{ protocolVersion: 1, agentCapabilities: {} }, ["agentCapabilities"], "InitializeResponse"],
  Annotations: [chunk({ ...text, annotations: {} }), ["content", "annotations"], "update"],
  AudioContent: [chunk({ type: "audio", data: "", mimeType: "a/b" }), ["content"], "update"],
  AuthMethodAgent: [
    { protocolVersion: 1, authMethods: [{ id: "a", name: "A" }] },
    ["authMethods", 0],
    "InitializeResponse",
  ],
  AuthMethodTerminal: [
    { protocolVersion: 1, authMethods: [{ type: "terminal", id: "a", name: "A" }] },
    ["authMethods", 0],
    "InitializeResponse",
  ],
  AvailableCommand: [
    update("available_commands_update", { availableCommands: [{ name: "a", description: "d" }] }),
    ["availableCommands", 0],
    "update",
  ],
  AvailableCommandsUpdate: [update("available_commands_update", {}), [], "update"],
  BlobResourceContents: [
    chunk({ type: "resource", resource: { uri: "u", blob: "" } }),
    ["content", "resource"],
    "update",
  ],
  CompactionSummaryChunk: [update("compaction_summary_chunk", { compactionId: "c", content: text }), [], "update"],
  CompactionUpdate: [update("compaction_update", { compactionId: "c", status: "failed" }), [], "update"],
  ConfigOptionUpdate: [update("config_option_update", {}), [], "update"],
  Content: [
    update("tool_call_update", { toolCallId: "t", content: [{ type: "content", content: text }] }),
    ["content", 0],
    "update",
  ],
  ContentChunk: [chunk(text), [], "update"],
  CurrentModeUpdate: [update("current_mode_update", { currentModeId: "m" }), [], "update"],
  Diff: [
    update("tool_call_update", { toolCallId: "t", content: [{ type: "diff", path: "/", newText: "" }] }),
    ["content", 0],
    "update",
  ],
  EmbeddedResource: [chunk({ type: "resource", resource: { uri: "u", text: "" } }), ["content"], "update"],
  ImageContent: [chunk({ type: "image", data: "", mimeType: "a/b" }), ["content"], "update"],
  Implementation: [{ protocolVersion: 1, agentInfo: { name: "a", version: "1" } }, ["agentInfo"], "InitializeResponse"],
  InitializeResponse: [{ protocolVersion: 1 }, [], "InitializeResponse"],
  ListSessionsResponse: [{}, [], "ListSessionsResponse"],
  McpCapabilities: [
    { protocolVersion: 1, agentCapabilities: { mcpCapabilities: {} } },
    ["agentCapabilities", "mcpCapabilities"],
    "InitializeResponse",
  ],
  NewSessionResponse: [{ sessionId: "s" }, [], "NewSessionResponse"],
  Notice: [update("notice", { severity: "info", title: "t" }), [], "update"],
  PermissionOption: [
    { sessionId: "s", toolCall: { toolCallId: "t" }, options: [{ optionId: "o", name: "O", kind: "allow_once" }] },
    ["options", 0],
    "RequestPermissionRequest",
  ],
  Plan: [update("plan", {}), [], "update"],
  PlanEntry: [
    update("plan", { entries: [{ content: "c", priority: "low", status: "pending" }] }),
    ["entries", 0],
    "update",
  ],
  PromptCapabilities: [
    { protocolVersion: 1, agentCapabilities: { promptCapabilities: {} } },
    ["agentCapabilities", "promptCapabilities"],
    "InitializeResponse",
  ],
  PromptResponse: [{ stopReason: "end_turn" }, [], "PromptResponse"],
  RequestPermissionRequest: [
    { sessionId: "s", toolCall: { toolCallId: "t" }, options: [] },
    [],
    "RequestPermissionRequest",
  ],
  ResourceLink: [chunk({ type: "resource_link", uri: "u", name: "n" }), ["content"], "update"],
  SessionCapabilities: [
    { protocolVersion: 1, agentCapabilities: { sessionCapabilities: {} } },
    ["agentCapabilities", "sessionCapabilities"],
    "InitializeResponse",
  ],
  SessionConfigOption: [option([]), ["configOptions", 0], "update"],
  SessionConfigSelectGroup: [
    option([{ group: "g", name: "G", options: [] }]),
    ["configOptions", 0, "options", 0],
    "update",
  ],
  SessionConfigSelectOption: [option([{ value: "a", name: "A" }]), ["configOptions", 0, "options", 0], "update"],
  SessionInfo: [list({}), ["sessions", 0], "ListSessionsResponse"],
  SessionInfoUpdate: [update("session_info_update", {}), [], "update"],
  SessionMode: [
    { sessionId: "s", modes: { currentModeId: "m", availableModes: [{ id: "m", name: "M" }] } },
    ["modes", "availableModes", 0],
    "NewSessionResponse",
  ],
  SessionModeState: [
    { sessionId: "s", modes: { currentModeId: "m", availableModes: [] } },
    ["modes"],
    "NewSessionResponse",
  ],
  SessionNotification: [{ sessionId: "s", update: chunk(text) }, [], "SessionNotification"],
  SetSessionConfigOptionResponse: [{}, [], "SetSessionConfigOptionResponse"],
  Terminal: [
    update("tool_call_update", { toolCallId: "t", content: [{ type: "terminal", terminalId: "1" }] }),
    ["content", 0],
    "update",
  ],
  Cost: [update("usage_update", { used: 1, size: 2, cost: { amount: 1, currency: "EUR" } }), ["cost"], "update"],
  TextContent: [chunk(text), ["content"], "update"],
  TextResourceContents: [
    chunk({ type: "resource", resource: { uri: "u", text: "" } }),
    ["content", "resource"],
    "update",
  ],
  ToolCall: [update("tool_call", { toolCallId: "t", title: "T" }), [], "update"],
  ToolCallLocation: [
    update("tool_call_update", { toolCallId: "t", locations: [{ path: "/" }] }),
    ["locations", 0],
    "update",
  ],
  ToolCallUpdate: [update("tool_call_update", { toolCallId: "t" }), [], "update"],
  UnstructuredCommandInput: [
    update("available_commands_update", {
      availableCommands: [{ name: "a", description: "d", input: { hint: "h" } }],
    }),
    ["availableCommands", 0, "input"],
    "update",
  ],
  UsageUpdate: [update("usage_update", { used: 1, size: 2 }), [], "update"],
};

function carrierOf(type: string): Carrier {
  const carrier = carriers[type];
  if (carrier === undefined) throw new Error(`No message carries ${type}`);
  return carrier;
}

/** Decodes a value into a form that shows lost items and members. */
function told(message: unknown, read: string): unknown {
  if (read === "update") return withoutMark(decodeUpdate(message));
  if (read === "SetSessionConfigOptionResponse") return [decodeOptionsAfterChange(message)];
  return readers[read]?.(message);
}

/** Removes `incomplete`, which marks that something was dropped. */
function withoutMark(decoded: ReturnType<typeof decodeUpdate>): unknown {
  if (decoded?.kind !== "tool_call") return decoded;
  const { incomplete: _, ...call } = decoded.call;
  return { ...decoded, call };
}

function withMember(message: unknown, path: readonly (string | number)[], member: string, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return { ...(message as Json), [member]: value };
  const copy = (Array.isArray(message) ? [...message] : { ...(message as Json) }) as Record<string | number, unknown>;
  copy[step] = withMember(copy[step], rest, member, value);
  return copy;
}

interface Site {
  readonly type: string;
  readonly member: string;
  readonly rules: Json;
}

/** The members of the types we receive that the schema marks as lenient. */
const sites: readonly Site[] = Object.keys(shapes).flatMap((type) => {
  const { properties = {} } = officialSchema.$defs[type] as { properties?: Record<string, Json> };
  return Object.entries(properties)
    .filter(([, rules]) => Object.keys(rules).some((key) => key.startsWith("x-deserialize-")))
    .map(([member, rules]) => ({ type, member, rules }));
});

const wrong: readonly unknown[] = [5, -1, true, "wrong", ["wrong"], { wrong: true }];

/** Words outside the official list are kept if a newer agent may use them. */
const openWords = new Set(["ToolCall.kind", "ToolCall.status", "ToolCallUpdate.kind", "ToolCallUpdate.status"]);

function isWrong({ type, member, rules }: Site, value: unknown): boolean {
  if (typeof value === "string" && openWords.has(`${type}.${member}`)) return false;
  // The items of lists are tested below.
  if (Array.isArray(value) && rules["x-deserialize-skip-invalid-items"] === true) return false;
  return objections(`${type}/properties/${member}`, value).length > 0;
}

test("there are as many lenient places as the schema marks", () => {
  expect(sites.length).toBeGreaterThan(120);
});

const errorSites = sites.filter(({ rules }) => rules["x-deserialize-default-on-error"] === true);
const nullSites = sites.filter(({ rules }) => rules["x-deserialize-default-on-null"] === true);
const itemSites = sites.filter(({ rules }) => rules["x-deserialize-skip-invalid-items"] === true);

test.for(errorSites)("an invalid $type $member is absent, and its siblings are kept", (site) => {
  const [message, path, read] = carrierOf(site.type);
  const clean = told(message, read);
  expect(clean).toBeDefined();
  const decoded = (value: unknown): unknown => told(withMember(message, path, site.member, value), read);
  for (const value of wrong) expect(decoded(value)).toBeDefined();
  for (const value of wrong.filter((one) => isWrong(site, one))) expect(decoded(value)).toEqual(clean);
});

test.for(nullSites)("a null $type $member is empty", ({ type, member }) => {
  const [message, path, read] = carrierOf(type);
  expect(told(withMember(message, path, member, null), read)).toEqual(told(message, read));
});

test.for(itemSites)("invalid items of $type $member are dropped", ({ type, member }) => {
  const [message, path, read] = carrierOf(type);
  const bad = told(withMember(message, path, member, [null, 5, "x", {}, []]), read);
  expect(bad).toEqual(told(withMember(message, path, member, []), read));
});
