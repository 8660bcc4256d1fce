// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { objections } from "../../acp-client/testing/official-schema.ts";
import type { EntryContent, SessionOption } from "../../agentd/vocabulary/entries.ts";
import { openedResult } from "../agent-side/replies.ts";
import { RequestError } from "../agent-side/request-error.ts";
import { openedSession, optionFor, type WantedOption } from "./options.ts";
import { MappedSession } from "./testing/mapped.ts";

const choices = (...values: string[]) =>
  values.map((value) => ({ value, name: value.toUpperCase(), description: null }));
const mode = {
  option: "permissions",
  name: "Mode",
  category: "mode",
  type: "select",
  value: "code",
  choices: choices("code", "ask"),
} as const;
const model = {
  option: "model",
  name: "Model",
  type: "select",
  value: "small",
  choices: choices("small", "large"),
} as const;
const loud = { option: "loud", name: "Loud", description: null, type: "boolean", value: true } as const;
const all: readonly SessionOption[] = [mode, model, loud];
const booleans = { booleanOptions: true };

function refusalOf(wanted: WantedOption): unknown {
  try {
    return optionFor(all, wanted);
  } catch (error) {
    return error instanceof RequestError ? error.rpc : error;
  }
}

test("modes are told twice, as modes and as an option, and booleans only to a client that knows them", () => {
  const result = (about: { booleanOptions: boolean }) =>
    openedResult(Object.assign({ sessionId: "s" }, openedSession(all, about)));
  expect(objections("NewSessionResponse", result(booleans))).toEqual([]);
  expect(result(booleans)).toMatchObject({
    modes: {
      currentModeId: "code",
      availableModes: [
        { id: "code", name: "CODE" },
        { id: "ask", name: "ASK" },
      ],
    },
    configOptions: [{ id: "permissions" }, { id: "model" }, { id: "loud", currentValue: true }],
  });
  expect(JSON.stringify(result(booleans))).not.toContain("null");
  expect(result({ booleanOptions: false })).toMatchObject({ configOptions: [{ id: "permissions" }, { id: "model" }] });
});

test("an agent without modes or options has none", () => {
  expect(openedSession([], booleans)).toEqual({});
  expect(openedSession([model], booleans)).not.toHaveProperty("modes");
  expect(openedSession([{ ...mode, value: "gone" }], booleans)).not.toHaveProperty("modes");
});

test.each([
  [{ mode: "ask" }, { option: "permissions", value: "ask" }],
  [{ model: "large" }, { option: "model", value: "large" }],
  [
    { configId: "permissions", value: "ask" },
    { option: "permissions", value: "ask" },
  ],
  // The id that the modes have where they are no option.
  [
    { configId: "mode", value: "ask" },
    { option: "permissions", value: "ask" },
  ],
  [
    { configId: "loud", value: false },
    { option: "loud", value: false },
  ],
] as [WantedOption, object][])("%o sets %o", (wanted, expected) => {
  expect(optionFor(all, wanted)).toEqual(expected);
});

test.each([
  [{ mode: "zzz" }, "unknown mode", { mode: "zzz" }],
  [{ model: "zzz" }, "unknown model", { model: "zzz" }],
  [{ configId: "zzz", value: "x" }, "unknown config option", { configId: "zzz" }],
  [{ configId: "model", value: "zzz" }, "unknown config option value", { configId: "model", value: "zzz" }],
  [{ configId: "model", value: 5 }, "unknown config option value", { configId: "model", value: 5 }],
  [{ configId: "loud", value: "true" }, "unknown config option value", { configId: "loud", value: "true" }],
] as [WantedOption, string, object][])("%o is refused: %s", (wanted, message, data) => {
  expect(refusalOf(wanted)).toEqual({ code: -32602, message, data });
});

test("a change is told as the whole list, after the mode if that has changed", () => {
  const session = new MappedSession();
  const options = (...list: SessionOption[]): EntryContent => ({ kind: "options", options: list });
  session.mapper.told(all);
  expect(session.live(options(...all))).toEqual([]);
  expect(session.live(options(mode, { ...model, value: "large" }, loud))).toMatchObject([
    { sessionUpdate: "config_option_update", configOptions: [{}, { id: "model", currentValue: "large" }, {}] },
  ]);
  expect(session.live(options({ ...mode, value: "ask" }, model))).toMatchObject([
    { sessionUpdate: "current_mode_update", currentModeId: "ask" },
    { sessionUpdate: "config_option_update", configOptions: [{ currentValue: "ask" }, {}] },
  ]);
  expect(session.live(options({ ...mode, value: "bogus" }, model))).toEqual([]);
  expect(session.live(options({ ...mode, value: "ask" }, model))).toEqual([]);
});
