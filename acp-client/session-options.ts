// SPDX-License-Identifier: MIT OR Apache-2.0
// The settings of a session as one list. A v1 agent may report modes, config options, or both for the same setting.
// Modes become the option "mode", unless a config option stands for them.
import { truncateText } from "./jsonrpc/sample.ts";
import type { ConfigOption } from "./model.ts";
import type { Modes } from "./schema/v1/config.ts";

const modeOptionId = "mode";

/** Length of the list of option names in an error message, in UTF-16 units. */
const namesCharactersMax = 1_024;

export type OptionChange =
  | { readonly type: "mode"; readonly modeId: string }
  | { readonly type: "config"; readonly value: string | boolean }
  | { readonly type: "refused"; readonly message: string };

export class SessionOptions {
  #modes: Modes | undefined;
  #config: readonly ConfigOption[];

  constructor(modes: Modes | undefined, config: readonly ConfigOption[]) {
    this.#modes = modes;
    this.#config = config;
  }

  list(): readonly ConfigOption[] {
    if (this.#modes === undefined || this.#findModeOption() !== undefined) return this.#config;
    const { current, choices } = this.#modes;
    return [
      { option: modeOptionId, name: "Mode", category: "mode", type: "select", value: current, choices },
      ...this.#config,
    ];
  }

  /** Decides how to set a value at the agent. The agent itself checks whether it is one of the choices. */
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
    const isMode = option === modeOptionId && this.#modes !== undefined && this.#findModeOption() === undefined;
    return isMode && typeof value === "string" ? { type: "mode", modeId: value } : { type: "config", value };
  }

  /** Records the agent's current mode. Returns false if the agent reported no such mode before. */
  setCurrentMode(modeId: string): boolean {
    if (this.#modes !== undefined) this.#modes = { ...this.#modes, current: modeId };
    const cover = this.#findModeOption();
    if (cover === undefined) return this.#modes !== undefined;
    if (!cover.choices?.some((choice) => choice.value === modeId)) return false;
    this.#setValue(cover.option, modeId);
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

  /** Finds the config option that stands for the modes. */
  #findModeOption(): ConfigOption | undefined {
    return (
      this.#config.find((option) => option.category === "mode") ??
      this.#config.find((option) => option.option === modeOptionId)
    );
  }
}
