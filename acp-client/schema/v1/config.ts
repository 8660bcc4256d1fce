// SPDX-License-Identifier: MIT OR Apache-2.0
// Decodes the modes, models and config options of a v1 agent.
import * as z from "zod";
import { isRecord } from "../../../json/record.ts";
import type { ConfigChoice, ConfigOption } from "../../model.ts";
import { acpObject, decode, identifier, optionalText, undecoded, decodeItems } from "../lenient.ts";
import { omitUndefined } from "../../../json/omit-undefined.ts";

export const SessionMode = acpObject({ id: identifier, name: z.string(), description: optionalText });
export const SessionModeState = acpObject({ currentModeId: identifier, availableModes: undecoded });
// Gone from the official schema, where a config option of the category `model` replaces it. Agents still send it.
const ModelInfo = acpObject({ modelId: identifier, name: z.string(), description: optionalText });
const SessionModelState = acpObject({ currentModelId: identifier, availableModels: undecoded });

const optionMembers = {
  id: identifier,
  name: z.string(),
  description: optionalText,
  category: optionalText,
};
export const SelectOption = acpObject({
  ...optionMembers,
  type: z.literal("select"),
  currentValue: identifier,
  options: z.array(z.unknown()),
});
export const BooleanOption = acpObject({
  ...optionMembers,
  type: z.literal("boolean"),
  currentValue: z.boolean(),
});
const Option = z.discriminatedUnion("type", [SelectOption, BooleanOption]);

export const SessionConfigSelectOption = acpObject({
  value: identifier,
  name: z.string(),
  description: optionalText,
});
export const SessionConfigSelectGroup = acpObject({
  group: z.string(),
  name: z.string(),
  options: undecoded,
});

/** The modes or the models of an agent. */
export interface ReportedChoices {
  readonly current: string;
  readonly choices: readonly ConfigChoice[];
}

/** Returns undefined if the agent has no modes, or does not give the current one. */
export function decodeModes(value: unknown): ReportedChoices | undefined {
  const state = decode(SessionModeState, value);
  if (state === undefined) return undefined;
  const choices = decodeItems(state.availableModes, (item) => {
    const mode = decode(SessionMode, item);
    return mode && omitUndefined({ value: mode.id, name: mode.name, description: mode.description });
  });
  return { current: state.currentModeId, choices: choices ?? [] };
}

/** Returns undefined if the agent has no models, or does not give the current one. */
export function decodeModels(value: unknown): ReportedChoices | undefined {
  const state = decode(SessionModelState, value);
  if (state === undefined) return undefined;
  const choices = decodeItems(state.availableModels, (item) => {
    const model = decode(ModelInfo, item);
    return model && omitUndefined({ value: model.modelId, name: model.name, description: model.description });
  });
  return { current: state.currentModelId, choices: choices ?? [] };
}

/** Drops invalid options and options of an unknown type. Returns undefined if the value is not an array. */
export function decodeConfigOptions(value: unknown): ConfigOption[] | undefined {
  return decodeItems(value, (item) => {
    const option = decode(Option, item);
    if (option === undefined) return undefined;
    return omitUndefined({
      option: option.id,
      name: option.name,
      description: option.description,
      category: option.category,
      type: option.type,
      value: option.currentValue,
      choices: option.type === "select" ? flatChoices(option.options) : undefined,
    });
  });
}

function flatChoices(items: readonly unknown[]): ConfigChoice[] {
  return items.flatMap((item) => {
    if (!isRecord(item) || !("group" in item)) return decodeChoice(item, undefined);
    const group = decode(SessionConfigSelectGroup, item);
    return group === undefined || !Array.isArray(group.options)
      ? []
      : group.options.flatMap((choice) => decodeChoice(choice, group.name));
  });
}

function decodeChoice(item: unknown, group: string | undefined): ConfigChoice[] {
  const choice = decode(SessionConfigSelectOption, item);
  if (choice === undefined) return [];
  return [omitUndefined({ value: choice.value, name: choice.name, description: choice.description, group })];
}
