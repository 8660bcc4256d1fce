// SPDX-License-Identifier: MIT OR Apache-2.0
// Agents for tests: the scripted agent with a scenario of the test's own.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentCommand } from "../../agentd/demo-agent/testing/demo-agent-command.ts";
import { scriptedAgentProgram } from "./build.ts";
import type { JsonObject, Scenario } from "./scenario.ts";

/** Plays a scenario that is given as JSON, so that no files are needed. */
export function playing(scenario: Scenario): AgentCommand {
  return [process.execPath, scriptedAgentProgram, JSON.stringify(scenario)];
}

export interface ScriptedAgentFiles extends Disposable {
  readonly command: AgentCommand;
  /** A directory of its own for what the scenario names (pid files, files to wait for). Absolute. */
  readonly directory: string;
  /** Every line that the agent got so far, in order; one that is no JSON object is left out. */
  received(): JsonObject[];
  /** Removes the directory. The agent itself is its starter's. */
  remove(): void;
}

/** Writes the scenario to a temporary directory. A function may name files there. Its `record` is set. */
export function scriptedAgent(scenario: Scenario | ((directory: string) => Scenario)): ScriptedAgentFiles {
  const directory = mkdtempSync(join(tmpdir(), "scripted-agent-"));
  const record = join(directory, "record.ndjson");
  const file = join(directory, "scenario.json");
  const told = typeof scenario === "function" ? scenario(directory) : scenario;
  writeFileSync(record, "");
  writeFileSync(file, JSON.stringify({ record, ...told }));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  return {
    command: [process.execPath, scriptedAgentProgram, file],
    directory,
    received: () =>
      readFileSync(told.record ?? record, "utf8")
        .split("\n")
        .flatMap(objectOf),
    remove,
    [Symbol.dispose]: remove,
  };
}

function objectOf(line: string): JsonObject[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? [value as JsonObject] : [];
  } catch {
    return []; // garbage, or a line that is being written
  }
}
