// SPDX-License-Identifier: MIT OR Apache-2.0
// The options of a session of the demo agent. ACP is moving from modes to options, so the mode is offered as both.
import { RpcError, rpcCodes } from "./connection.ts";

export type Mode = "ask" | "auto";
export type Pace = "slow" | "normal" | "fast";

const modes: readonly { id: Mode; name: string; description: string }[] = [
  { id: "auto", name: "Auto", description: "Writes files without asking" },
  { id: "ask", name: "Ask", description: "Asks before each write" },
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

  /** Throws an RpcError (invalid params) for an unknown option or value. */
  set(option: string, value: unknown): void {
    if (option === "mode") this.setMode(value);
    else if (option === "pace")
      this.pace = oneOf(
        paces.map((pace) => pace.value),
        value,
        "pace",
      );
    else if (option === "thoughts" && this.#booleans && typeof value === "boolean") this.thoughts = value;
    else throw new RpcError(rpcCodes.invalidParams, `no option ${option} that can be ${JSON.stringify(value)}`);
  }

  setMode(mode: unknown): void {
    this.mode = oneOf(
      modes.map(({ id }) => id),
      mode,
      "mode",
    );
  }

  modeState(): object {
    return { currentModeId: this.mode, availableModes: modes };
  }

  configOptions(): object[] {
    const mode = {
      id: "mode",
      name: "Mode",
      description: "Whether the agent asks before it writes",
      category: "mode",
      type: "select",
      currentValue: this.mode,
      options: modes.map(({ id, name, description }) => ({ value: id, name, description })),
    };
    const pace = {
      id: "pace",
      name: "Pace",
      description: "How fast text is streamed",
      type: "select",
      currentValue: this.pace,
      options: paces,
    };
    const thoughts = {
      id: "thoughts",
      name: "Thoughts",
      description: "Whether the agent thinks aloud",
      type: "boolean",
      currentValue: this.thoughts,
    };
    return this.#booleans ? [mode, pace, thoughts] : [mode, pace];
  }
}

function oneOf<T extends string>(known: readonly T[], value: unknown, what: string): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new RpcError(rpcCodes.invalidParams, `no ${what} ${JSON.stringify(value)}`);
  return found;
}
