// SPDX-License-Identifier: MIT OR Apache-2.0
// The MCP servers that agentd hands to an agent: the Bus tools, and one of the user's own.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { VerbInput } from "../../agentd/vocabulary/index.ts";
import { type AgentSession, startDeadlineMs, turnDeadlineMs } from "./agent-session.ts";
import type { AgentHabits, ContractSetting } from "./contract-setting.ts";
import { type EntryOf, of } from "./log-faults.ts";
import type { Row } from "./rows.ts";
import { probeSecret } from "./workshop.ts";

type HandedServer = NonNullable<VerbInput<"agent.session.start">["mcp_servers"]>[number];

/**
 * `listed`: the file that it makes when an agent has its tools. The secret is named by a variable of agentd's
 * environment, so that it does not travel over the Bus.
 */
function probeServer(listed: string): HandedServer {
  const program = fileURLToPath(new URL("probe-server.ts", import.meta.url));
  return {
    name: "probe",
    command: process.execPath,
    args: ["--import", import.meta.resolve("tsx"), program, listed],
    env: [{ name: "PROBE_SECRET", value: { env: probeSecret.name } }],
  };
}

export function serverRows(row: Row, habits: AgentHabits, setting: ContractSetting): void {
  const { idleSession, requestsOf } = setting;

  /** A session whose agent has the tools of the server: Codex opens one, and takes prompts, before it has. */
  async function openWithProbe(): Promise<AgentSession> {
    const { workshop } = setting;
    const cwd = workshop.place.directory();
    const listed = join(workshop.place.home, `${basename(cwd)}-listed`);
    const session = await workshop.openSession({ cwd, mcp_servers: [probeServer(listed)] });
    await expect.poll(() => existsSync(listed), { timeout: startDeadlineMs }).toBe(true);
    return session;
  }

  row("bus", async () => {
    const session = await idleSession();
    const bus = (command: string, args: Readonly<Record<string, unknown>>) =>
      setting.workshop.agent.tools.mcp("mixos", "bus_call", { service: "agent", command, args });
    setting.workshop.model.play({
      words: "ask the bus",
      steps: [
        { calls: [bus("agent.session.list", {})] },
        { calls: [bus("agent.session.close", { session: session.id })] },
        { text: ["I have asked."] },
      ],
    });
    const turn = await session.prompt("ask the bus");
    if (habits.asksForMcpCalls) await turn.allowAll(2);
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(turn.text()).toBe("I have asked.");
    const told = requestsOf("ask the bus").map(({ conversation }) =>
      conversation.findLast(({ role }) => role === "tool")?.text.replaceAll("\\", ""),
    );
    expect(told[1]).toContain(`"session":"${session.id}"`);
    expect(told[2]).toContain("AGENT_SELF");
    const faults = of(await session.log(), "diagnostic").map(({ what }) => what);
    expect(faults).not.toContain("bus-tools-not-seen");
    return habits.asksForMcpCalls ? "yes, asks first" : "yes, does not ask";
  });

  row("own-server", async () => {
    const { workshop } = setting;
    const { agent, model } = workshop;
    model.play({
      words: "prove the secret",
      steps: [{ calls: [agent.tools.mcp("probe", "prove_secret", {})] }, { text: ["It is proved."] }],
    });
    const session = await openWithProbe();
    const turn = await session.prompt("prove the secret");
    if (habits.asksForMcpCalls) await turn.allowAll(1);
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    const told = requestsOf("prove the secret")[1]?.conversation.findLast(({ role }) => role === "tool");
    expect(told?.text).toContain(createHash("sha256").update(probeSecret.value).digest("hex"));
    const { log, published, left } = await session.close();
    expect(left).toEqual([]);
    expect(JSON.stringify([log, published])).not.toContain(probeSecret.value);
  });

  row("elicitation", async () => {
    const { workshop } = setting;
    const { agent, model, user } = workshop;
    model.play({
      words: "ask for a colour",
      steps: [{ calls: [agent.tools.mcp("probe", "ask_colour", {})] }, { text: ["Thank you."] }],
    });
    const session = await openWithProbe();
    const turn = await session.prompt("ask for a colour");
    if (habits.asksForMcpCalls) await turn.allowAll(1);
    if (habits.showsForms) {
      const isForm = (entry: { kind: string; turn?: number | undefined }): boolean =>
        entry.kind === "elicitation" && entry.turn === turn.number;
      const { request, message } = await user.entry<EntryOf<"elicitation">>(session.id, isForm, turnDeadlineMs);
      expect(message).toContain("Which colour?");
      await user.call("agent.elicitation.answer", { request, action: "accept", content: { colour: "teal" } });
    }
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    const told = requestsOf("ask for a colour")[1]?.conversation.findLast(({ role }) => role === "tool")?.text;
    expect(told).toContain(habits.showsForms ? "accept teal" : "the client shows no forms");
    expect((await session.close()).left).toEqual([]);
    return habits.showsForms ? "yes" : "tells the server that it shows none";
  });
}
