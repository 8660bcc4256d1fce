// SPDX-License-Identifier: MIT OR Apache-2.0
// A full probe by the command line, as a person runs it. With AGENTD_PROBE_DOCUMENT its table is written into that file.
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { ProbeReply } from "../../agentd/vocabulary/probe.ts";
import type { AgentHabits, ContractSetting } from "./contract-setting.ts";
import type { RealAgentName } from "./real-agents.ts";
import type { Row } from "./rows.ts";

export function probeRow(row: Row, name: RealAgentName, habits: AgentHabits, setting: ContractSetting): void {
  row("probe", async () => {
    const { agent, model, mix } = setting.workshop;
    model.play({ words: "Answer with the one word: ready", steps: [{ text: ["ready"] }] });
    model.play({
      words: "write probe.txt probe",
      steps: [{ calls: [agent.tools.shell("touch probe.txt")] }, { text: ["It was refused."] }],
    });
    model.play({ words: "count from 1 to 1000", steps: [{ text: ["one\n"], hangs: true }] });
    const document = process.env["AGENTD_PROBE_DOCUMENT"];
    const words = ["agents", "probe", name, "--full", "--yes", "--json"];
    const written =
      document === undefined ? [] : ["--write", fileURLToPath(new URL(`../../${document}`, import.meta.url))];
    // A fault of the agent makes the command exit with 1.
    const { stdout } = await mix([...words, ...written]);
    const { cells } = JSON.parse(stdout) as ProbeReply;
    const faults = cells.flatMap(({ step, result }) => (result === "failed" ? [step] : []));
    expect(habits.probeFaults).toEqual(expect.arrayContaining(faults));
    return faults.length === 0 ? "yes" : `faults: ${faults.join(", ")}`;
  });
}
