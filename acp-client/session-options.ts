// SPDX-License-Identifier: MIT OR Apache-2.0
// What can be set in a session, as one list. An agent of v1 may tell modes, config options, or both for the same thing:
// modes are shown as the option "mode" unless a config option covers them.
import { truncateText } from "./jsonrpc/sample.ts";
import type { ConfigOption } from "./model.ts";
import type { Modes } from "./schema/v1/config.ts";

const modeOptionId = "mode";

/** Of the names of the options that there are, UTF-16 units. */
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

  /** How to ask the agent for a value. Whether the value exists is the agent's to say. */
  planChange(option: string, value: string | boolean): OptionChange {
    const known = this.list().find((candidate) => candidate.option === option);
    if (known === undefined) {
      const names = this.list().map((candidate) => candidate.option);
      const offered = names.length === 0 ? "none" : truncateText(names.join(", "), namesCharactersMax);
      return { type: "refused", message: `There is no option "${option}" (there are: ${offered})` };
    }
    if ((known.type === "boolean") !== (typeof value === "boolean")) {
      const wanted = known.type === "boolean" ? "true or false" : "one of its choices";
      return { type: "refused", message: `The option "${option}" takes ${wanted}` };
    }
    const isMode = option === modeOptionId && this.#modes !== undefined && this.#findModeOption() === undefined;
    return isMode && typeof value === "string" ? { type: "mode", modeId: value } : { type: "config", value };
  }

  /** The agent says which mode it is in. False when nothing it told before has such a mode. */
  setCurrentMode(modeId: string): boolean {
    if (this.#modes !== undefined) this.#modes = { ...this.#modes, current: modeId };
    const cover = this.#findModeOption();
    if (cover === undefined) return this.#modes !== undefined;
    if (!cover.choices?.some((choice) => choice.value === modeId)) return false;
    this.#setValue(cover.option, modeId);
    return true;
  }

  /** The agent says what its config options are: the whole list. */
  replaceConfig(config: readonly ConfigOption[]): void {
    this.#config = config;
  }

  /** A change was accepted by an agent that did not send the list back. */
  setConfigValue(option: string, value: string | boolean): void {
    this.#setValue(option, value);
  }

  #setValue(option: string, value: string | boolean): void {
    this.#config = this.#config.map((known) => (known.option === option ? { ...known, value } : known));
  }

  /** The config option that says the same as the modes. */
  #findModeOption(): ConfigOption | undefined {
    return (
      this.#config.find((option) => option.category === "mode") ??
      this.#config.find((option) => option.option === modeOptionId)
    );
  }
}
