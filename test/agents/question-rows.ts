// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent's questions: what people are shown of them, and what becomes of each answer.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { callNotify } from "../harness/notify-user.ts";
import { startNotifydProcess } from "../harness/notifyd-process.ts";
import { type AgentSession, type OpenPermission, type Turn, turnDeadlineMs } from "./agent-session.ts";
import type { AgentHabits, ContractSetting } from "./contract-setting.ts";
import { of } from "./log-faults.ts";
import type { ModelToolCall } from "./model-server/script.ts";
import type { Row } from "./rows.ts";
import { userName } from "./workshop.ts";

export function questionRows(row: Row, habits: AgentHabits, setting: ContractSetting): void {
  const { idleSession, requestsOf } = setting;
  const { rejection } = habits;

  async function ask(session: AgentSession, words: string, call: ModelToolCall): Promise<Turn> {
    setting.workshop.model.play({ words, steps: [{ calls: [call] }, { text: ["The model went on."] }] });
    return await session.prompt(words);
  }

  /** The turn ends as one with a rejected tool call. */
  async function expectRejected(turn: Turn, words: string, call = rejection.call): Promise<string> {
    expect(await turn.ended()).toMatchObject({ stop_reason: rejection.stopReason });
    expect(turn.toolCalls()).toEqual([call]);
    expect(requestsOf(words).map(({ step }) => step)).toEqual(rejection.modelGoesOn ? [0, 1] : [0]);
    expect(turn.text()).toBe(rejection.modelGoesOn ? "The model went on." : "");
    return rejection.modelGoesOn ? "model goes on" : `turn ends: ${rejection.stopReason}`;
  }

  row("allowed", async () => {
    const session = await idleSession();
    const file = join(session.cwd, "allowed.txt");
    const turn = await ask(session, "write the allowed file", setting.workshop.agent.tools.write(file, "written\n"));
    const permission = await turn.permission();
    expect(await session.state()).toBe("waiting");
    expect(existsSync(file)).toBe(false);
    await permission.answer("allow_once");
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(await readFile(file, "utf8")).toBe("written\n");
    expect(turn.text()).toBe("The model went on.");
    expect(turn.toolCalls()).toEqual([{ status: "completed", by: "agent" }]);
    const told = requestsOf("write the allowed file").find(({ step }) => step === 1);
    const result = told?.conversation.findLast(({ role }) => role === "tool");
    expect(result?.text).toMatch(/success/i);
    const resolved = of(await session.log(), "permission").filter(({ request }) => request === permission.request);
    expect(resolved[1]).toMatchObject({ phase: "resolved", outcome: "selected", by: userName });
  });

  row("rejected", async () => {
    const session = await idleSession();
    const file = join(session.cwd, "rejected.txt");
    const words = "write the rejected file";
    const turn = await ask(session, words, setting.workshop.agent.tools.write(file, "written\n"));
    await (await turn.permission()).answer("reject_once");
    const seen = await expectRejected(turn, words);
    expect(existsSync(file)).toBe(false);
    return seen;
  });

  row("expired", async () => {
    const session = await idleSession();
    const file = join(session.cwd, "unanswered.txt");
    const words = "write the unanswered file";
    await setting.workshop.waitForPeople("2s");
    const turn = await ask(session, words, setting.workshop.agent.tools.write(file, "written\n"));
    const permission = await turn.permission();
    const seen = await expectRejected(turn, words);
    await setting.workshop.waitForPeople("10m");
    expect(existsSync(file)).toBe(false);
    const resolved = of(await session.log(), "permission").filter(({ request }) => request === permission.request);
    expect(resolved[1]).toMatchObject({ phase: "resolved", outcome: "selected", via: "timeout", by: null });
    const chosen = resolved[0]?.options?.find(({ option }) => option === resolved[1]?.option);
    expect(chosen).toMatchObject({ kind: "reject_once" });
    return seen;
  });

  row("dismissed", async () => {
    const session = await idleSession();
    const file = join(session.cwd, "dismissed.txt");
    const words = "write the dismissed file";
    const turn = await ask(session, words, setting.workshop.agent.tools.write(file, "written\n"));
    const { request } = await turn.permission();
    await setting.workshop.user.call("agent.permission.answer", { request, cancelled: true });
    const seen = await expectRejected(turn, words);
    expect(existsSync(file)).toBe(false);
    return seen;
  });

  row("command-allowed", async () => {
    const session = await idleSession();
    const turn = await ask(session, "run a command", setting.workshop.agent.tools.shell("pwd > where.txt"));
    await (await turn.permission()).answer("allow_once");
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(await readFile(join(session.cwd, "where.txt"), "utf8")).toBe(`${session.cwd}\n`);
  });

  row("command-rejected", async () => {
    const session = await idleSession();
    const words = "run a rejected command";
    const turn = await ask(session, words, setting.workshop.agent.tools.shell("touch ran.txt"));
    await (await turn.permission()).answer("reject_once");
    const seen = await expectRejected(turn, words, rejection.command);
    expect(existsSync(join(session.cwd, "ran.txt"))).toBe(false);
    return seen;
  });

  /** Each question of the agent's tools, with words that tell tool and arguments. */
  function questions(session: AgentSession, by: string): readonly (readonly [ModelToolCall, readonly string[]])[] {
    const { tools } = setting.workshop.agent;
    const file = `shown-by-${by}.txt`;
    const busCall = { service: "agent", command: "agent.session.get", args: { session: session.id } };
    const all: (readonly [ModelToolCall, readonly string[]])[] = [
      [tools.write(join(session.cwd, file), "a line to be shown\n"), [file, "a line to be shown"]],
      [tools.shell(`touch ran-for-${by}.txt`), [`touch ran-for-${by}.txt`]],
    ];
    if (habits.asksForMcpCalls)
      all.push([tools.mcp("mixos", "bus_call", busCall), ["bus_call", "agent.session.get", session.id]]);
    return all;
  }

  async function expectShown(by: string, show: (permission: OpenPermission) => Promise<string>): Promise<string> {
    const session = await idleSession();
    const seen = questions(session, by);
    for (const [at, [call, words]] of seen.entries()) {
      const turn = await ask(session, `have question ${at} shown by ${by}`, call);
      const permission = await turn.permission();
      const shown = await show(permission);
      await permission.answer("reject_once");
      await turn.ended();
      for (const word of words) expect(shown).toContain(word);
    }
    if (!habits.asksForMcpCalls) return "file, command; MCP calls are not asked about";
    return "file, command, MCP call";
  }

  row("shown", async () => {
    return await expectShown("permit", async ({ request }) => {
      return (await setting.workshop.mix(["permit", "show", request])).stdout;
    });
  });

  row("notified", async () => {
    const { place, user } = setting.workshop;
    await using notifyd = await startNotifydProcess(place.environment);
    expect(notifyd.child.pid).toBeDefined();
    return await expectShown("notify", async ({ request }) => {
      const asks = async () => (await callNotify(user.client, "list", {})).asks.filter(({ ref }) => ref === request);
      await expect.poll(asks, { timeout: turnDeadlineMs }).toHaveLength(1);
      const [asked] = await asks();
      return `${asked?.title}\n${asked?.body}`;
    });
  });
}
