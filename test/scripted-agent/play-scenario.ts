// SPDX-License-Identifier: MIT OR Apache-2.0
import { playing } from "./agent-files.ts";
import { drive, promptOf } from "../../agentd/demo-agent/testing/driver.ts";
import type { Driver, Frame } from "../../agentd/demo-agent/testing/driver.ts";
import type { Scenario } from "./scenario.ts";

export function play(scenario: Scenario): Driver {
  return drive(playing(scenario));
}

export function prompt(driver: Driver, sessionId: string): Promise<Frame> {
  return driver.request("session/prompt", promptOf(sessionId, "go"));
}
