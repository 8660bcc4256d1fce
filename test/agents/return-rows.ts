// SPDX-License-Identifier: MIT OR Apache-2.0
// How an agent's sessions come back: when they were closed, and when the agent or agentd was killed under them.
import { expect } from "vitest";
import type { Entry, SessionOption } from "../../agentd/vocabulary/index.ts";
import type { AgentSession } from "./agent-session.ts";
import type { AgentHabits, ContractSetting } from "./contract-setting.ts";
import { logFaults, of } from "./log-faults.ts";
import type { ModelRequest } from "./model-server/model-server.ts";
import type { Row } from "./rows.ts";

export function returnRows(row: Row, habits: AgentHabits, setting: ContractSetting): void {
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

  /** Resumes an ended session in the same session of the agent, where the model knows what was said, and goes on in it. */
  async function comesBack(
    session: AgentSession,
    known: readonly string[],
    words: string,
    check: (back: AgentSession, asked: ModelRequest, before: readonly Entry[]) => unknown = () => undefined,
  ): Promise<AgentSession> {
    const before = await setting.workshop.user.log(session.id);
    const back = await setting.workshop.resumeSession(session);
    expect(habits.resumed.split(" or ")).toContain(back.up.resumed);
    const isSame = back.up.agent_session_id === session.up.agent_session_id;
    expect(isSame).toBe(back.up.resumed !== "fresh");
    const asked = await goOn(back, words);
    expect(saidIn(asked, [...known, words])).toEqual([...known, words].map(() => 1));
    const log = await back.log();
    expectNothingDoubled(before, log, [words]);
    expect(logFaults(log)).toEqual(["the last state is idle"]);
    check(back, asked, before);
    return back;
  }

  /** Resumed, closed and resumed again: what was said since the first time is known as well. */
  async function comesBackTwice(session: AgentSession, known: readonly string[], words: string): Promise<AgentSession> {
    const once = await comesBack(session, known, `first ${words}`);
    expect((await once.close()).left).toEqual([]);
    return await comesBack(once, [...known, `first ${words}`, answerTo(`first ${words}`)], `then ${words}`);
  }

  row("resume", async () => {
    const { workshop } = setting;
    workshop.model.play({ words: "remember the pelican", steps: [{ text: ["A pelican ", "it is."] }] });
    const { modes, option } = habits;
    const session = await takeIdleSession();
    await (await session.prompt("remember the pelican")).ended();
    await session.setOption("mode", modes.other);
    await session.setOption(option.name, option.other);
    expect((await session.close()).left).toEqual([]);

    // The options that were set are set again, since the agent itself forgets them.
    const options = [modes.other, option.other];
    const known = ["remember the pelican", "A pelican it is."];
    const first = "first go on after the pelican";
    const once = await comesBack(session, known, first, (_back, asked) => {
      expect(asked).toMatchObject(option.asked);
      if (modes.told !== null) expect(textSince(asked, "A pelican it is.")).toMatch(modes.told);
    });
    expect(lastOptions(await once.log(), ["mode", option.name])).toEqual(options);
    expect((await once.close()).left).toEqual([]);
    const twice = await comesBack(once, [...known, first, answerTo(first)], "then go on after the pelican");
    expect(lastOptions(await twice.log(), ["mode", option.name])).toEqual(options);
    await twice.setOption("mode", modes.start);
    await twice.setOption(option.name, option.start);
    handBack(twice);
    return `yes, by ${habits.resumed}`;
  });

  row("fresh", async () => {
    const { workshop } = setting;
    workshop.model.play({ words: "remember the heron", steps: [{ text: ["A heron ", "it is."] }] });
    const session = await takeIdleSession();
    await (await session.prompt("remember the heron")).ended();
    const { log: before } = await session.close();

    const back = await workshop.resumeSession(session, true);
    expect(back.up).toMatchObject({ resumed: "fresh", agent_session_id: expect.any(String) });
    expect(back.up.agent_session_id).not.toBe(session.up.agent_session_id);
    const first = await goOn(back, "go on after the heron");
    expect(first.conversation.filter(({ role, text }) => role === "assistant" && text.includes("heron"))).toEqual([]);
    const transcript = "[user] remember the heron\n\n[agent] A heron it is.";
    expect(saidIn(first, [transcript, "go on after the heron"])).toEqual([1, 1]);
    const second = await goOn(back, "go on once more");
    expect(saidIn(second, [transcript, answerTo("go on after the heron"), "go on once more"])).toEqual([1, 1, 1]);
    expectNothingDoubled(before, await back.log(), ["go on after the heron", "go on once more"]);
    handBack(back);
  });

  row("agent-killed", async () => {
    const { workshop } = setting;
    const session = await takeIdleSession();
    workshop.model.play({ words: "speak until the agent dies", steps: [{ text: ["Half a word"], hangs: true }] });
    const turn = await session.prompt("speak until the agent dies");
    await turn.said("Half a word");
    const seen = await session.processes();
    await session.killAgent();
    expect(await turn.ended()).toMatchObject({ stop_reason: "failed" });
    await workshop.user.wait(session.id, "ended");
    expect(await session.remaining(seen)).toEqual([]);
    handBack(await comesBackTwice(session, ["speak until the agent dies"], "go on from the dead agent"));
  });

  row("agentd-killed", async () => {
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
    for (const { id } of [speaking, working]) {
      const log = await user.log(id);
      expect(log.at(-1)).toMatchObject({ kind: "state", state: "lost", reason: "restart" });
      const end = of(log, "turn").at(-1);
      expect(end).toMatchObject({ phase: "ended", stop_reason: "interrupted", turn: expect.any(Number) });
    }
    const back = await Promise.all([
      comesBackTwice(speaking, ["speak until the kill"], "go on from the words"),
      comesBackTwice(working, ["run until the kill"], "go on from the command"),
    ]);
    for (const session of back) handBack(session);
    const told = of(await user.log(working.id), "diagnostic").map(({ what }) => what);
    expect(told).toEqual(["leftover-processes"]);
  });
}

function answerTo(words: string): string {
  return `${words.toUpperCase()}!`;
}

/** The values of these options as they were told last. */
function lastOptions(entries: readonly Entry[], names: readonly string[]): unknown[] {
  const options: readonly SessionOption[] = of(entries, "options").at(-1)?.options ?? [];
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
