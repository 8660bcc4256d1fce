// SPDX-License-Identifier: MIT OR Apache-2.0
import { type ErrorBody, errorBody } from "../../vocabulary/index.ts";
import type { SessionState } from "./state.ts";

/** Why an option cannot have a value, by what the agent offers; undefined where the agent may be asked. */
export function optionFault(
  { agent, options }: Pick<SessionState, "agent" | "options">,
  name: string,
  value: string | boolean,
): ErrorBody | undefined {
  const option = options.find((candidate) => candidate.option === name);
  if (!option) {
    const names = options.map((candidate) => candidate.option);
    return errorBody("OPTION_UNKNOWN", `${agent} offers no option "${name}"`, { option: name, options: names });
  }
  if (option.type === "boolean" && typeof value !== "boolean") {
    return errorBody("OPTION_UNKNOWN", `"${name}" takes true or false`, { option: name, values: [true, false] });
  }
  const values = option.choices?.map((choice) => choice.value) ?? [];
  if (option.type === "select" && !values.includes(value as string)) {
    return errorBody("OPTION_UNKNOWN", `"${name}" has no value "${value}"`, { option: name, values });
  }
  return undefined;
}
