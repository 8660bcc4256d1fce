// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { decodeIdentity, decodeNewSession } from "../../acp-client/schema/v1/results.ts";
import { objections } from "../../acp-client/testing/official-schema.ts";
import type { Agent, AgentOffer } from "./agent.ts";
import { configOptions, initializeResult, openedResult } from "./replies.ts";

test("our client decodes the modes and options that were encoded, and the official schema takes them", () => {
  const modes = {
    current: "a",
    choices: [
      { value: "a", name: "A", description: "first" },
      { value: "b", name: "B" },
    ],
  };
  const choices = [
    { value: "x", name: "X", group: "some" },
    { value: "y", name: "Y", group: "more" },
    { value: "z", name: "Z", group: "more" },
  ];
  const options = [
    { option: "model", name: "Model", category: "model", type: "select", value: "x", choices },
    { option: "loud", name: "Loud", description: "or not", type: "boolean", value: false },
  ] as const;
  const result = openedResult({ sessionId: "s", modes, options } as Parameters<typeof openedResult>[0]);
  expect(objections("NewSessionResponse", result)).toEqual([]);
  expect(decodeNewSession(result)).toEqual({ sessionId: "s", modes, options });
});

test("where some choices have a group, each gets one", () => {
  const choices = [
    { value: "x", name: "X" },
    { value: "y", name: "Y", group: "more" },
  ];
  expect(configOptions([{ option: "o", name: "O", type: "select", value: "x", choices }])).toMatchObject([
    {
      options: [
        { group: "Other", options: [{ value: "x" }] },
        { group: "more", options: [{ value: "y" }] },
      ],
    },
  ]);
});

test("our client decodes the offer that was encoded, and the official schema takes it", () => {
  const offer: AgentOffer = {
    info: { name: "a", title: "An agent", version: "1" },
    prompt: { image: true },
    mcp: { sse: true },
    additionalDirectories: true,
    authMethods: [
      { id: "key", name: "Key", type: "agent" },
      { id: "login", name: "Login", type: "terminal", args: ["login"], env: { A: "b" } },
    ],
  };
  const nothing = async () => ({});
  const agent = { resumeSession: nothing, deleteSession: nothing } as unknown as Agent;
  const result = initializeResult(agent, offer);
  expect(objections("InitializeResponse", result)).toEqual([]);
  const { info, authMethods, capabilities } = decodeIdentity(result) ?? {};
  expect({ info, authMethods }).toEqual({ info: offer.info, authMethods: offer.authMethods });
  const has = Object.entries(capabilities ?? {}).flatMap(([name, isOffered]) => (isOffered ? [name] : []));
  expect(has.toSorted()).toEqual(["additionalDirectories", "delete", "mcpSse", "promptImage", "resume"]);
});
