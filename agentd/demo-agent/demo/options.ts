// SPDX-License-Identifier: MIT OR Apache-2.0
// The options of a session of the demo agent. ACP is moving from modes to options, so the mode is offered as both.
import { invalidParams } from "../../../acp-face/agent-side/initialize-params.ts";
import type { ConfigOption } from "../../../acp-client/model.ts";
import type { ReportedChoices } from "../../../acp-client/schema/v1/config.ts";
import type { SavedSession } from "./session-store.ts";

export type Mode = "ask" | "auto";
export type Pace = "slow" | "normal" | "fast";

const modes: readonly { value: Mode; name: string; description: string }[] = [
  { value: "auto", name: "Auto", description: "Writes files without asking" },
  { value: "ask", name: "Ask", description: "Asks before each write" },
];
const paces: readonly { value: Pace; name: string }[] = [
  { value: "slow", name: "Slow" },
  { value: "normal", name: "Normal" },
  { value: "fast", name: "Fast" },
];

export class DemoOptions {
  mode: Mode = "auto";
  pace: Pace = "normal";
  thoughts = true;
  /** Whether the client supports boolean options. */
  readonly #booleans: boolean;

  constructor(booleans: boolean) {
    this.#booleans = booleans;
  }

  values(): SavedSession["options"] {
    return { mode: this.mode, pace: this.pace, thoughts: this.thoughts };
  }

  restore({ mode, pace, thoughts }: SavedSession["options"]): void {
    this.mode = mode;
    this.pace = pace;
    this.thoughts = thoughts;
  }

  /** Throws a RequestError (invalid params) for an unknown option or value. */
  set(option: string, value: unknown): void {
    if (option === "mode") this.setMode(value);
    else if (option === "pace") this.pace = oneOf(paces, value, "value");
    else if (option === "thoughts" && this.#booleans && typeof value === "boolean") this.thoughts = value;
    else throw invalidParams("configId", `has no option ${option} that can be ${JSON.stringify(value)}`);
  }

  setMode(mode: unknown): void {
    this.mode = oneOf(modes, mode, "modeId");
  }

  modes(): ReportedChoices {
    return { current: this.mode, choices: modes };
  }

  configOptions(): ConfigOption[] {
    const mode: ConfigOption = {
      option: "mode",
      name: "Mode",
      description: "Whether the agent asks before it writes",
      category: "mode",
      type: "select",
      value: this.mode,
      choices: modes,
    };
    const pace: ConfigOption = {
      option: "pace",
      name: "Pace",
      description: "How fast text is streamed",
      type: "select",
      value: this.pace,
      choices: paces,
    };
    const thoughts: ConfigOption = {
      option: "thoughts",
      name: "Thoughts",
      description: "Whether the agent thinks aloud",
      type: "boolean",
      value: this.thoughts,
    };
    return this.#booleans ? [mode, pace, thoughts] : [mode, pace];
  }
}

function oneOf<T extends string>(known: readonly { readonly value: T }[], value: unknown, field: string): T {
  const found = known.find((one) => one.value === value);
  if (found === undefined) throw invalidParams(field, `cannot be ${JSON.stringify(value)}`);
  return found.value;
}
