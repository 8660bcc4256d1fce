// SPDX-License-Identifier: MIT OR Apache-2.0
// How an agent's sessions come back, when they were closed and when agentd was killed under them.
import { expect, test } from "vitest";
import type { Entry, SessionOption } from "../../agentd/vocabulary/index.ts";
import type { AgentHabits, ContractSetting } from "./contract-setting.ts";
import type { AgentSession } from "./agent-session.ts";
import { logFaults, of } from "./log-faults.ts";
import type { ModelRequest } from "./model-server/model-server.ts";
import type { RealAgentName } from "./real-agents.ts";

export function returnContract(name: RealAgentName, habits: AgentHabits, setting: ContractSetting): void {
  const { takeIdleSession, handBack, requestsOf, runForAnHour } = setting;

  /** One more turn; with what the model was asked in it. */
  async function goOn(session: AgentSession, words: string): Promise<ModelRequest> {
    setting.workshop.model.play({ words, steps: [{ text: [answerTo(words)] }] });
    const turn = await session.prompt(words);
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(turn.text()).toBe(answerTo(words));
    const [asked, ...more] = requestsOf(words);
    expect(more).toEqual([]);
    if (asked === undefined) throw new Error(`the model was not asked to ${words}`);
    return asked;
  }

  test(`${name} knows what was said when its closed session is resumed, with the options set before`, async () => {
    const { workshop } = setting;
    workshop.model.play({ words: "remember the pelican", steps: [{ text: ["A pelican ", "it is."] }] });
    const { modes, option } = habits;
    const session = await takeIdleSession();
    await (await session.prompt("remember the pelican")).ended();
    await session.setOption("mode", modes.other);
    await session.setOption(option.name, option.other);
    const { log: before, left } = await session.close();
    expect(left).toEqual([]);

    const back = await workshop.resumeSession(session);
    expect(back.up).toMatchObject({ resumed: "resume", agent_session_id: session.up.agent_session_id });
    // The agent itself has forgotten them.
    const told = of((await back.log()).slice(before.length), "options").map(({ options }) =>
      valuesOf(options, ["mode", option.name]),
    );
    expect(told[0]).toEqual([modes.start, option.start]);
    expect(told.at(-1)).toEqual([modes.other, option.other]);
    const asked = await goOn(back, "go on after the pelican");
    expect(saidIn(asked, ["remember the pelican", "A pelican it is.", "go on after the pelican"])).toEqual([1, 1, 1]);
    expect(asked).toMatchObject(option.asked);
    expect(textSince(asked, "A pelican it is.")).toMatch(modes.told);
    expectNothingDoubled(before, await back.log(), ["go on after the pelican"]);
    await back.setOption("mode", modes.start);
    await back.setOption(option.name, option.start);
    handBack(back);
  });

  test(`${name} is told what was said, once, when its closed session is resumed afresh`, async () => {
    const { workshop } = setting;
    workshop.model.play({ words: "remember the heron", steps: [{ text: ["A heron ", "it is."] }] });
    const session = await takeIdleSession();
    await (await session.prompt("remember the heron")).ended();
    const { log: before } = await session.close();

    const back = await workshop.resumeSession(session, true);
    expect(back.up).toMatchObject({ resumed: "fresh", agent_session_id: expect.any(String) });
    expect(back.up.agent_session_id).not.toBe(session.up.agent_session_id);
    const first = await goOn(back, "go on after the heron");
    expect(first.conversation.filter(({ role }) => role === "assistant")).toEqual([]);
    const transcript = "[user] remember the heron\n\n[agent] A heron it is.";
    expect(saidIn(first, [transcript, "go on after the heron"])).toEqual([1, 1]);
    const second = await goOn(back, "go on once more");
    expect(saidIn(second, [transcript, answerTo("go on after the heron"), "go on once more"])).toEqual([1, 1, 1]);
    expectNothingDoubled(before, await back.log(), ["go on after the heron", "go on once more"]);
    handBack(back);
  });

  test(`${name}, whose agentd is killed in the middle of two turns, leaves no process to the next, and both sessions come back`, async () => {
    const { workshop } = setting;
    const [speaking, working] = [await takeIdleSession(), await takeIdleSession()];
    workshop.model.play({ words: "speak until the kill", steps: [{ text: ["Half a sen"], hangs: true }] });
    await (await speaking.prompt("speak until the kill")).said("Half a sen");
    // In a session of its own, it ends with no parent of it.
    await runForAnHour(working, "run until the kill", "setsid -f sleep 3609 >/dev/null 2>&1 </dev/null; ");
    const seen = [...(await speaking.processes()), ...(await working.processes())];
    setting.takeAllSessions();
    await workshop.killDaemon();
    expect((await workshop.remaining(seen)).map(({ command }) => command)).toContain("sleep 3609");
    const user = await workshop.restartDaemon();
    expect(await workshop.remaining(seen)).toEqual([]);

    async function comesBack(session: AgentSession, asked: string, words: string): Promise<void> {
      const before = await user.log(session.id);
      expect(before.at(-1)).toMatchObject({ kind: "state", state: "lost", reason: "restart" });
      const end = of(before, "turn").at(-1);
      expect(end).toMatchObject({ phase: "ended", stop_reason: "interrupted", turn: expect.any(Number) });
      const back = await workshop.resumeSession(session);
      expect(back.up).toMatchObject({ resumed: "resume", agent_session_id: session.up.agent_session_id });
      const request = await goOn(back, words);
      expect(saidIn(request, [asked, words])).toEqual([1, 1]);
      const log = await back.log();
      expectNothingDoubled(before, log, [words]);
      expect(logFaults(log)).toEqual(["the last state is idle"]);
      handBack(back);
    }
    await Promise.all([
      comesBack(speaking, "speak until the kill", "go on from the words"),
      comesBack(working, "run until the kill", "go on from the command"),
    ]);
    const ended = of(await user.log(working.id), "diagnostic").map(({ what }) => what);
    expect(ended).toEqual(["leftover-processes"]);
  });
}

function answerTo(words: string): string {
  return `${words.toUpperCase()}!`;
}

function valuesOf(options: readonly SessionOption[], names: readonly string[]): unknown[] {
  return names.map((name) => options.find(({ option }) => option === name)?.value);
}

/** How often the model was told each of these. */
function saidIn({ conversation }: ModelRequest, texts: readonly string[]): number[] {
  const all = conversation.map(({ text }) => text).join("\n");
  return texts.map((text) => all.split(text).length - 1);
}

/** What the model was told after the last of these words. */
function textSince({ conversation }: ModelRequest, words: string): string {
  const all = conversation.map(({ text }) => text).join("\n");
  return all.slice(all.lastIndexOf(words) + words.length);
}

/** What was logged before stands as it stood, and since then these words alone and their answers, in turns of their own. */
function expectNothingDoubled(before: readonly Entry[], now: readonly Entry[], words: readonly string[]): void {
  expect(now.slice(0, before.length)).toEqual(before);
  const lastTurn = Math.max(...of(before, "turn").map(({ turn }) => turn ?? 0));
  const since = now.slice(before.length);
  expect(messagesOf(since)).toEqual(words.flatMap((asked) => [asked, answerTo(asked)]));
  const spoken = since.filter(({ kind }) => kind === "message" || kind === "tool_call" || kind === "turn");
  expect(spoken.filter(({ turn = 0 }) => turn <= lastTurn)).toEqual([]);
}

/** What people and the agent said, each message whole. */
function messagesOf(entries: readonly Entry[]): string[] {
  const messages = new Map<string, string>();
  for (const { message_id, content } of of(entries, "message")) {
    const text = typeof content["text"] === "string" ? content["text"] : "";
    messages.set(message_id, (messages.get(message_id) ?? "") + text);
  }
  return [...messages.values()];
}
