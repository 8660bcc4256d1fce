// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { decodeConfigOptions, decodeModes } from "./schema/v1/config.ts";
import { SessionOptions } from "./session-options.ts";

const modes = decodeModes({
  currentModeId: "ask",
  availableModes: [{ id: "ask", name: "Ask", description: "each time" }, { id: "auto", name: "Auto" }, { id: 5 }],
});
const choices = [
  { value: "ask", name: "Ask" },
  { value: "auto", name: "Auto" },
];
const select = { name: "X", type: "select", currentValue: "ask", options: choices };

function options(...config: readonly object[]): SessionOptions {
  return new SessionOptions(modes, decodeConfigOptions(config) ?? []);
}

test("modes without a config option become the option mode, before the others", () => {
  expect(options({ ...select, id: "model" }).list()).toEqual([
    {
      option: "mode",
      name: "Mode",
      category: "mode",
      type: "select",
      value: "ask",
      choices: [
        { value: "ask", name: "Ask", description: "each time" },
        { value: "auto", name: "Auto" },
      ],
    },
    { option: "model", name: "X", type: "select", value: "ask", choices },
  ]);
});

test.for([{ id: "mode" }, { id: "approvals", category: "mode" }])(
  "modes that the option %j covers are not shown twice, and their change is its change",
  (names) => {
    const covered = options({ ...select, ...names });
    expect(covered.list().map(({ option }) => option)).toEqual([names.id]);
    expect(covered.setCurrentMode("auto")).toBe(true);
    expect(covered.list()[0]?.value).toBe("auto");
    expect(covered.planChange(names.id, "ask")).toEqual({ type: "config", value: "ask" });
  },
);

test("a mode that is not a choice of its config option is ignored", () => {
  const covered = options({ ...select, id: "mode" });
  expect(covered.setCurrentMode("secret")).toBe(false);
  expect(covered.list()[0]?.value).toBe("ask");
});

test("a session without modes and options has no options", () => {
  const none = new SessionOptions(undefined, []);
  expect(none.list()).toEqual([]);
  expect(none.setCurrentMode("auto")).toBe(false);
  expect(none.planChange("mode", "auto")).toMatchObject({ type: "refused" });
});

test("groups are flattened with their names, and bad choices are dropped", () => {
  const grouped = [
    { group: "g1", name: "Fast", options: [{ value: "a", name: "A" }, { value: 5 }] },
    { group: "g2", name: "Slow", options: "none" },
    { group: 7, name: "Bad", options: [{ value: "x", name: "X" }] },
    { value: "b", name: "B" },
  ];
  expect(decodeConfigOptions([{ ...select, id: "model", options: grouped }])).toMatchObject([
    {
      choices: [
        { value: "a", name: "A", group: "Fast" },
        { value: "b", name: "B" },
      ],
    },
  ]);
});

test("options of an unknown type, or without required members, are dropped", () => {
  const good = { id: "loud", name: "Loud", type: "boolean", currentValue: true };
  const bad = [
    { ...good, type: "slider" },
    { ...good, currentValue: "true" },
    { ...select, id: "no options", options: undefined },
    { ...select, id: 5 },
    null,
  ];
  expect(decodeConfigOptions([...bad, good])).toEqual([{ option: "loud", name: "Loud", type: "boolean", value: true }]);
  expect(decodeConfigOptions("all")).toBeUndefined();
});
