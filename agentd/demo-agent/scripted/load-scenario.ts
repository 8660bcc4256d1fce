// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import type { Scenario } from "./scenario.ts";

/** From a file, or from the argument itself when it is JSON. Throws what is wrong with it. */
export function loadScenario(argument: string): Scenario {
  const text = argument.trimStart().startsWith("{") ? argument : readFileSync(argument, "utf8");
  return JSON.parse(text.replace(/^\ufeff/u, "")) as Scenario;
}
