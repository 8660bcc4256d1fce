// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { decodeConfigOptions, decodeModels, decodeModes } from "./schema/v1/config.ts";
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
  return new SessionOptions({ mode: modes }, decodeConfigOptions(config) ?? []);
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
    expect(covered.setCurrent("mode", "auto")).toBe(true);
    expect(covered.list()[0]?.value).toBe("auto");
    expect(covered.planChange(names.id, "ask")).toEqual({ type: "config", value: "ask" });
  },
);

test("a mode that is not a choice of its config option is ignored", () => {
  const covered = options({ ...select, id: "mode" });
  expect(covered.setCurrent("mode", "secret")).toBe(false);
  expect(covered.list()[0]?.value).toBe("ask");
});

test("a session without modes and options has no options", () => {
  const none = new SessionOptions({}, []);
  expect(none.list()).toEqual([]);
  expect(none.setCurrent("mode", "auto")).toBe(false);
  expect(none.planChange("mode", "auto")).toMatchObject({ type: "refused" });
});

const models = decodeModels({
  currentModelId: "small[low]",
  availableModels: [
    { modelId: "small[low]", name: "Small (low)" },
    { modelId: "large[high]", name: "Large (high)", description: "thinks" },
    { modelId: 5, name: "Bad" },
  ],
});

test("models without a config option become the option model, after the mode and before the others", () => {
  const both = new SessionOptions(
    { mode: modes, model: models },
    decodeConfigOptions([{ ...select, id: "pace" }]) ?? [],
  );
  expect(both.list().map(({ option }) => option)).toEqual(["mode", "model", "pace"]);
  expect(both.list()[1]).toEqual({
    option: "model",
    name: "Model",
    category: "model",
    type: "select",
    value: "small[low]",
    choices: [
      { value: "small[low]", name: "Small (low)" },
      { value: "large[high]", name: "Large (high)", description: "thinks" },
    ],
  });
  expect(both.planChange("model", "large[high]")).toEqual({ type: "model", id: "large[high]" });
  expect(both.setCurrent("model", "large[high]")).toBe(true);
  expect(both.list()[1]?.value).toBe("large[high]");
  expect(both.list()[0]?.value).toBe("ask");
});

test("a model or a mode that the agent did not list is refused, since some agents accept any name", () => {
  const both = new SessionOptions({ mode: modes, model: models }, []);
  expect(both.planChange("model", "large")).toMatchObject({ type: "refused" });
  expect(both.planChange("mode", "yolo")).toMatchObject({ type: "refused" });
});

test.for([{ id: "model" }, { id: "engine", category: "model" }])(
  "models that the option %j covers are not shown twice, and the option is set as a config option",
  (names) => {
    const covered = new SessionOptions({ model: models }, decodeConfigOptions([{ ...select, ...names }]) ?? []);
    expect(covered.list().map(({ option }) => option)).toEqual([names.id]);
    expect(covered.planChange(names.id, "auto")).toEqual({ type: "config", value: "auto" });
  },
);

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
