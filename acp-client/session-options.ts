// SPDX-License-Identifier: MIT OR Apache-2.0
// The settings of a session as one list. A v1 agent may report its modes and models, config options, or both for the
// same setting. Modes become the option "mode" and models the option "model", unless a config option stands for them.
import { truncateText } from "./jsonrpc/sample.ts";
import type { ConfigOption } from "./model.ts";
import type { ReportedChoices } from "./schema/v1/config.ts";

/** The settings that v1 agents report beside `configOptions`. The name is the option's id and its category. */
export type ReportedSetting = "mode" | "model";

export type Reported = { readonly [Setting in ReportedSetting]?: ReportedChoices | undefined };

const titles = { mode: "Mode", model: "Model" } as const satisfies Record<ReportedSetting, string>;
const settings: readonly ReportedSetting[] = ["mode", "model"];

/** Length of the list of option names in an error message, in UTF-16 units. */
const namesCharactersMax = 1_024;

export type OptionChange =
  /** Sent as session/set_mode or session/set_model. */
  | { readonly type: ReportedSetting; readonly id: string }
  | { readonly type: "config"; readonly value: string | boolean }
  | { readonly type: "refused"; readonly message: string };

export class SessionOptions {
  #reported: Reported;
  #config: readonly ConfigOption[];

  constructor(reported: Reported, config: readonly ConfigOption[]) {
    this.#reported = reported;
    this.#config = config;
  }

  list(): readonly ConfigOption[] {
    const reported = settings.flatMap((setting): ConfigOption[] => {
      const known = this.#uncovered(setting);
      if (known === undefined) return [];
      const { current, choices } = known;
      return [{ option: setting, name: titles[setting], category: setting, type: "select", value: current, choices }];
    });
    return reported.length === 0 ? this.#config : [...reported, ...this.#config];
  }

  /** Decides how to set a value at the agent. The caller checks whether it is one of the choices. */
  planChange(option: string, value: string | boolean): OptionChange {
    const known = this.list().find((candidate) => candidate.option === option);
    if (known === undefined) {
      const names = this.list().map((candidate) => candidate.option);
      const offered = names.length === 0 ? "none" : truncateText(names.join(", "), namesCharactersMax);
      return { type: "refused", message: `There is no option "${option}" (options: ${offered})` };
    }
    if ((known.type === "boolean") !== (typeof value === "boolean")) {
      const wanted = known.type === "boolean" ? "true or false" : "one of its choices";
      return { type: "refused", message: `The option "${option}" takes ${wanted}` };
    }
    const setting = settings.find((name) => name === option && this.#uncovered(name) !== undefined);
    if (setting === undefined || typeof value === "boolean") return { type: "config", value };
    // Some agents accept any name of a model and fail at the next prompt.
    if (!known.choices?.some((choice) => choice.value === value)) {
      return { type: "refused", message: `The option "${option}" has no value "${truncateText(value, 100)}"` };
    }
    return { type: setting, id: value };
  }

  /** Records the agent's current mode or model. Returns false if the agent reported no such one before. */
  setCurrent(setting: ReportedSetting, id: string): boolean {
    const known = this.#reported[setting];
    if (known !== undefined) this.#reported = { ...this.#reported, [setting]: { ...known, current: id } };
    const cover = this.#findCover(setting);
    if (cover === undefined) return known !== undefined;
    if (!cover.choices?.some((choice) => choice.value === id)) return false;
    this.#setValue(cover.option, id);
    return true;
  }

  replaceConfig(config: readonly ConfigOption[]): void {
    this.#config = config;
  }

  /** Records a change that the agent accepted without sending the list back. */
  setConfigValue(option: string, value: string | boolean): void {
    this.#setValue(option, value);
  }

  #setValue(option: string, value: string | boolean): void {
    this.#config = this.#config.map((known) => (known.option === option ? { ...known, value } : known));
  }

  /** Returns the modes or models, unless a config option stands for them. */
  #uncovered(setting: ReportedSetting): ReportedChoices | undefined {
    return this.#findCover(setting) === undefined ? this.#reported[setting] : undefined;
  }

  #findCover(setting: ReportedSetting): ConfigOption | undefined {
    return (
      this.#config.find((option) => option.category === setting) ??
      this.#config.find((option) => option.option === setting)
    );
  }
}
