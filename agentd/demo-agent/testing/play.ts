// SPDX-License-Identifier: MIT OR Apache-2.0
import { demoAgentCommand } from "../../testing/scripted-agent.ts";
import { drive, promptOf } from "./driver.ts";
import type { Driver, Frame } from "./driver.ts";
import type { Scenario } from "../scripted/scenario.ts";

/** Passes the scenario itself as the argument, so that tests need no files. */
export function play(scenario: Scenario): Driver {
  return drive([...demoAgentCommand, "--scenario", JSON.stringify(scenario)]);
}

export function prompt(driver: Driver, sessionId: string): Promise<Frame> {
  return driver.request("session/prompt", promptOf(sessionId, "go"));
}
