// SPDX-License-Identifier: MIT OR Apache-2.0
// Modes, models and other settings of a session: as the editor is told of them, and as it asks to change them.
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import { omitUndefined } from "../../json/omit-undefined.ts";
import type { SessionOption } from "../../agentd/vocabulary/entries.ts";
import type { OpenedSession } from "../agent-side/agent.ts";
import { RequestError } from "../agent-side/request-error.ts";

/** What an editor asks to set: by session/set_mode, session/set_model or session/set_config_option. */
export type WantedOption =
  | { readonly mode: string }
  | { readonly model: string }
  | { readonly configId: string; readonly value: unknown };

type SelectOption = SessionOption & { readonly value: string };

/** The option that stands for the modes or the models of the agent. */
export function findByCategory(
  options: readonly SessionOption[],
  category: "mode" | "model",
): SelectOption | undefined {
  const found =
    options.find((option) => option.category === category) ?? options.find(({ option }) => option === category);
  return typeof found?.value === "string" ? { ...found, value: found.value } : undefined;
}

/** The options as the editor can show them: without booleans unless it knows them, and without null. */
export function visibleOptions(
  options: readonly SessionOption[],
  { booleanOptions }: { readonly booleanOptions: boolean },
): readonly SessionOption[] {
  return options
    .filter(({ type }) => type === "select" || booleanOptions)
    .map(({ description, category, choices, ...option }) =>
      omitUndefined({
        ...option,
        description: description ?? undefined,
        category: category ?? undefined,
        choices: choices?.map(({ description: about, ...choice }) => ({
          ...choice,
          ...(about ? { description: about } : {}),
        })),
      }),
    );
}

/** The members of the reply to session/new, load and resume. */
export function openedSession(
  options: readonly SessionOption[],
  about: { readonly booleanOptions: boolean },
): OpenedSession {
  const mode = findByCategory(options, "mode");
  const shown = visibleOptions(options, about);
  const offered = shown.length === 0 ? {} : { options: shown };
  if (mode === undefined || !hasChoice(mode, mode.value)) return offered;
  const [{ choices = [] } = {}] = visibleOptions([mode], about);
  return { modes: { current: mode.value, choices }, ...offered };
}

/** Returns the arguments of `agent.session.set_config`. Throws a RequestError for an unknown option or value. */
export function optionFor(
  options: readonly SessionOption[],
  wanted: WantedOption,
): { readonly option: string; readonly value: string | boolean } {
  if ("mode" in wanted) return choiceOf(findByCategory(options, "mode"), wanted.mode, "mode");
  if ("model" in wanted) return choiceOf(findByCategory(options, "model"), wanted.model, "model");
  const { configId, value } = wanted;
  const isCategory = configId === "mode" || configId === "model";
  const found =
    options.find(({ option }) => option === configId) ?? (isCategory ? findByCategory(options, configId) : undefined);
  if (found === undefined) throw refusal("unknown config option", { configId });
  const isValid = found.type === "boolean" ? typeof value === "boolean" : hasChoice(found, value);
  if (!isValid) throw refusal("unknown config option value", { configId, value });
  return { option: found.option, value: value as string | boolean };
}

/** Whether an option lists that value. */
export function hasChoice({ choices }: SessionOption, value: unknown): value is string {
  return typeof value === "string" && choices !== undefined && choices.some((choice) => choice.value === value);
}

/** Whether the current mode is none of those that there are: the editor is not told of it. */
export function hasUnknownMode(options: readonly SessionOption[]): boolean {
  const mode = findByCategory(options, "mode");
  return mode !== undefined && !hasChoice(mode, mode.value);
}

function choiceOf(
  option: SessionOption | undefined,
  value: string,
  category: "mode" | "model",
): { readonly option: string; readonly value: string } {
  if (option === undefined || !hasChoice(option, value)) throw refusal(`unknown ${category}`, { [category]: value });
  return { option: option.option, value };
}

function refusal(message: string, data: object): RequestError {
  return new RequestError(RPC.invalidParams, message, data);
}
