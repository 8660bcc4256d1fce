// SPDX-License-Identifier: MIT OR Apache-2.0
// A sub-agent that the agent starts, and the question of its tool call: whose it is, and whether anybody is asked.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import { type AgentSession, type Turn, turnDeadlineMs } from "./agent-session.ts";
import type { AgentHabits, ContractSetting } from "./contract-setting.ts";
import { type EntryOf, of } from "./log-faults.ts";
import type { Row } from "./rows.ts";

export function subAgentRow(row: Row, { subAgents }: AgentHabits, setting: ContractSetting): void {
  const { takeIdleSession, handBack, requestsOf } = setting;
  const task = "write the file of the sub-agent";

  /** Plays a sub-agent that writes a file, and the agent that starts it. */
  function play(session: AgentSession, words: string, file: string): void {
    const { agent, model } = setting.workshop;
    const { start, wait = [] } = agent.tools.subAgent;
    const write = agent.tools.write(join(session.cwd, file), "written\n");
    model.play({ words, steps: [{ calls: [start(task)] }, ...wait, { text: ["The sub-agent has ended."] }] });
    model.play({ words: task, steps: [{ calls: [write] }, { text: ["I am done."] }] });
  }

  async function toolCalls(session: AgentSession, turn: number): Promise<EntryOf<"tool_call">[]> {
    return of(await session.log(), "tool_call").filter((entry) => entry.turn === turn);
  }

  row("sub-agent", async () => {
    const session = await takeIdleSession();
    const words = "have a sub-agent write a file";
    play(session, words, "by-sub-agent.txt");
    const turn = await session.prompt(words);
    const seen = await outcomes[subAgents](session, turn);
    handBack(session);
    return seen;
  });

  const outcomes = {
    /** It asks, and agentd knows for whom. */
    "asks below its parent": async (session, turn) => {
      const permission = await turn.permission();
      const { stdout } = await setting.workshop.mix(["permit", "show", permission.request]);
      await permission.answer("allow_once");
      expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
      expect(existsSync(join(session.cwd, "by-sub-agent.txt"))).toBe(true);
      const calls = await toolCalls(session, turn.number);
      const [{ tool_call_id: parent } = { tool_call_id: "" }] = calls;
      const ofChild = calls.filter(({ tool_call_id }) => tool_call_id !== parent);
      expect(ofChild.length).toBeGreaterThan(1);
      for (const { parent_tool_call_id } of ofChild) expect(parent_tool_call_id).toBe(parent);
      expect(await questionsOf(session, turn.number)).toMatchObject([{ tool_call: { parent_tool_call_id: parent } }]);
      expect(stdout).toContain("asked by a sub-agent: a small task");
      return "yes, below the call that started it";
    },
    /** It asks, and the agent does not say for whom. */
    "asks as the agent": async (session, turn) => {
      const permission = await turn.permission();
      await permission.answer("allow_once");
      expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
      expect(existsSync(join(session.cwd, "by-sub-agent.txt"))).toBe(true);
      const calls = await toolCalls(session, turn.number);
      expect(new Set(calls.map(({ tool_call_id }) => tool_call_id)).size).toBe(3);
      expect(calls.filter((call) => call.parent_tool_call_id !== undefined)).toEqual([]);
      return "asks; the agent does not say that a sub-agent does";
    },
    /** Its question reaches nobody, and its turn waits until somebody cancels it. */
    "waits for ever": async (session, turn) => {
      const { model, user } = setting.workshop;
      await model.until(({ words, state }) => words === task && state === "answered", turnDeadlineMs);
      const isSaid = (entry: Entry): boolean => entry.kind === "diagnostic" && entry.what === "model-silent";
      await user.entry(session.id, isSaid, turnDeadlineMs);
      expect(requestsOf(task)).toHaveLength(1);
      expect(await questionsOf(session, turn.number)).toEqual([]);
      await session.cancel();
      expect(await turn.ended()).toMatchObject({ stop_reason: "cancelled" });
      expect(existsSync(join(session.cwd, "by-sub-agent.txt"))).toBe(false);
      // The session is as good as before.
      const next = join(session.cwd, "after.txt");
      const { tools } = setting.workshop.agent;
      model.play({ words: "write one yourself", steps: [{ calls: [tools.write(next, "x\n")] }, { text: ["Done."] }] });
      const own = await session.prompt("write one yourself");
      await (await own.permission()).answer("allow_once");
      expect(await own.ended()).toMatchObject({ stop_reason: "end_turn" });
      expect(existsSync(next)).toBe(true);
      return "its question reaches nobody; agentd says that it waits";
    },
    /** The agent refuses sub-agents that would have to ask. One that only reads works, and nothing is told of its calls. */
    "never asks": async (session, turn) => {
      const { agent, model } = setting.workshop;
      expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
      expect(requestsOf(task)).toEqual([]);
      expect(turn.toolCalls()).toEqual([{ status: "failed", by: "agent" }]);
      const { reader } = agent.tools.subAgent;
      if (reader === undefined) throw new Error(`${agent.name} has no sub-agent that only reads`);
      const looking = "look around as a sub-agent";
      model.play({
        words: looking,
        steps: [{ calls: [reader.read(session.cwd)] }, { calls: [reader.end("Nothing.")] }],
      });
      model.play({ words: "have one look", steps: [{ calls: [reader.start(looking)] }, { text: ["It has looked."] }] });
      const second = await session.prompt("have one look");
      expect(await second.ended()).toMatchObject({ stop_reason: "end_turn" });
      expect(requestsOf(looking).map(({ step }) => step)).toEqual([0, 1]);
      expect(second.toolCalls()).toEqual([{ status: "completed", by: "agent" }]);
      return "only one that reads; nothing is told of its calls";
    },
  } satisfies Record<AgentHabits["subAgents"], (session: AgentSession, turn: Turn) => Promise<string>>;

  async function questionsOf(session: AgentSession, turn: number): Promise<EntryOf<"permission">[]> {
    return of(await session.log(), "permission").filter((entry) => entry.turn === turn && entry.phase === "requested");
  }
}
