// SPDX-License-Identifier: MIT OR Apache-2.0
// What agentd makes of every agent, run over the Bus against the real ones.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionOption } from "../../agentd/vocabulary/index.ts";
import { type AgentSession, turnDeadlineMs } from "./agent-session.ts";
import { prepareSetting, type AgentHabits } from "./contract-setting.ts";
import { logFaults, of } from "./log-faults.ts";
import type { RealAgentName } from "./real-agents.ts";
import { returnContract } from "./return-contract.ts";
import { userName } from "./workshop.ts";

export function agentContract(name: RealAgentName, habits: AgentHabits): void {
  const setting = prepareSetting(name);
  const { idleSession, takeIdleSession, handBack, requestsOf, runForAnHour } = setting;

  test(`${name} says the model's words in the order of their pieces and ends the turn`, async () => {
    setting.workshop.model.play({ words: "say three words", steps: [{ text: ["one ", "two ", "three"] }] });
    const turn = await (await idleSession()).prompt("please say three words");
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn", sent: true });
    expect(turn.text()).toBe("one two three");
    // OpenCode adds a word of its own to the first prompt after a change of mode.
    const asked = requestsOf("say three words")[0]?.conversation.at(-1);
    expect(asked).toEqual({ role: "user", text: expect.stringMatching(/^please say three words(\n|$)/) });
  });

  test(`${name} writes a file when its permission is allowed, not before, and tells the model`, async () => {
    const session = await idleSession();
    const file = join(session.cwd, "allowed.txt");
    setting.workshop.model.play({
      words: "write the allowed file",
      steps: [{ calls: [setting.workshop.agent.tools.write(file, "written\n")] }, { text: ["It is written."] }],
    });
    const turn = await session.prompt("write the allowed file");
    const permission = await turn.permission();
    expect(await session.state()).toBe("waiting");
    expect(existsSync(file)).toBe(false);
    await permission.answer("allow_once");
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(await readFile(file, "utf8")).toBe("written\n");
    expect(turn.text()).toBe("It is written.");
    expect(turn.toolCalls()).toEqual([{ status: "completed", by: "agent" }]);
    const told = requestsOf("write the allowed file").find(({ step }) => step === 1);
    expect(told?.conversation.at(-1)).toMatchObject({ role: "tool", text: expect.stringMatching(/success/i) });
    const resolved = of(await session.log(), "permission").filter(({ request }) => request === permission.request);
    expect(resolved[1]).toMatchObject({ phase: "resolved", outcome: "selected", by: userName });
  });

  test(`${name} leaves a file unwritten when its permission is rejected, and does not ask the model again`, async () => {
    const session = await idleSession();
    const file = join(session.cwd, "rejected.txt");
    setting.workshop.model.play({
      words: "write the rejected file",
      steps: [{ calls: [setting.workshop.agent.tools.write(file, "written\n")] }, { text: ["The model went on."] }],
    });
    const turn = await session.prompt("write the rejected file");
    await (await turn.permission()).answer("reject_once");
    expect(await turn.ended()).toMatchObject({ stop_reason: habits.stopReasonOfRejection });
    expect(existsSync(file)).toBe(false);
    expect(turn.toolCalls()).toEqual([habits.rejected]);
    expect(requestsOf("write the rejected file")).toHaveLength(1);
  });

  test(`${name}, whose question nobody answers, is told no in time, and the log says that it was nobody's no`, async () => {
    const session = await idleSession();
    const file = join(session.cwd, "unanswered.txt");
    setting.workshop.model.play({
      words: "write the unanswered file",
      steps: [{ calls: [setting.workshop.agent.tools.write(file, "written\n")] }, { text: ["The model went on."] }],
    });
    await setting.workshop.waitForPeople("2s");
    const turn = await session.prompt("write the unanswered file");
    const permission = await turn.permission();
    expect(await turn.ended()).toMatchObject({ stop_reason: habits.stopReasonOfRejection });
    await setting.workshop.waitForPeople("10m");
    expect(existsSync(file)).toBe(false);
    const resolved = of(await session.log(), "permission").filter(({ request }) => request === permission.request);
    expect(resolved[1]).toMatchObject({ phase: "resolved", outcome: "selected", via: "timeout", by: null });
    const chosen = resolved[0]?.options?.find(({ option }) => option === resolved[1]?.option);
    expect(chosen).toMatchObject({ kind: "reject_once" });
  });

  test(`${name} runs an allowed shell command in the session's directory`, async () => {
    const session = await idleSession();
    setting.workshop.model.play({
      words: "run a command",
      steps: [{ calls: [setting.workshop.agent.tools.shell("pwd > where.txt")] }, { text: ["It ran."] }],
    });
    const turn = await session.prompt("run a command");
    await (await turn.permission()).answer("allow_once");
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(await readFile(join(session.cwd, "where.txt"), "utf8")).toBe(`${session.cwd}\n`);
  });

  test(`${name} asks another citizen by its Bus tools, and is refused its own session`, async () => {
    const session = await idleSession();
    const { tools } = setting.workshop.agent;
    setting.workshop.model.play({
      words: "ask the bus",
      steps: [
        { calls: [tools.bus("agent", "agent.session.list", {})] },
        { calls: [tools.bus("agent", "agent.session.close", { session: session.id })] },
        { text: ["I have asked."] },
      ],
    });
    const turn = await session.prompt("ask the bus");
    if (habits.asksForBusCalls) await turn.allowAll(2);
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(turn.text()).toBe("I have asked.");
    const told = requestsOf("ask the bus").map(({ conversation }) => conversation.at(-1)?.text);
    expect(told[1]).toContain(`"session":"${session.id}"`);
    expect(told[2]).toContain("AGENT_SELF");
    const faults = of(await session.log(), "diagnostic").map(({ what }) => what);
    expect(faults).not.toContain("bus-tools-not-seen");
  });

  test(`${name} runs no shell command that was rejected`, async () => {
    const session = await idleSession();
    setting.workshop.model.play({
      words: "run a rejected command",
      steps: [{ calls: [setting.workshop.agent.tools.shell("touch ran.txt")] }, { text: ["The model went on."] }],
    });
    const turn = await session.prompt("run a rejected command");
    await (await turn.permission()).answer("reject_once");
    expect(await turn.ended()).toMatchObject({ stop_reason: habits.stopReasonOfRejection });
    expect(existsSync(join(session.cwd, "ran.txt"))).toBe(false);
  });

  test(`${name}, cancelled while the model speaks, ends the turn as cancelled, drops the request and can go on`, async () => {
    setting.workshop.model.play({ words: "speak without end", steps: [{ text: ["And then"], hangs: true }] });
    setting.workshop.model.play({ words: "speak after that", steps: [{ text: ["Once more."] }] });
    const session = await idleSession();
    const turn = await session.prompt("speak without end");
    await turn.said("And then");
    expect(await session.cancel()).toEqual([turn.number]);
    expect(await turn.ended()).toMatchObject({ stop_reason: "cancelled" });
    const isDropped = ({ words, state }: { words: string | null; state: string }): boolean =>
      words === "speak without end" && state === "client left";
    await setting.workshop.model.until(isDropped, turnDeadlineMs);
    const next = await session.prompt("speak after that");
    expect(await next.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(next.text()).toBe("Once more.");
  });

  test(`${name}, cancelled while the model is silent, ends the turn as cancelled`, async () => {
    setting.workshop.model.play({ words: "say nothing at all", steps: [{ hangs: true }] });
    const session = await idleSession();
    const turn = await session.prompt("say nothing at all");
    await setting.workshop.model.until(({ words }) => words === "say nothing at all", turnDeadlineMs);
    await session.cancel();
    const ended = await turn.ended();
    expect(ended).toMatchObject({ stop_reason: "cancelled" });
    expect(ended.forced).toBeUndefined();
    expect(turn.text()).toBe("");
  });

  test(`${name}, cancelled while a permission is open, does not do what it asked for and asks again later`, async () => {
    const session = await idleSession();
    const [file, later] = [join(session.cwd, "cancelled.txt"), join(session.cwd, "later.txt")];
    const { tools } = setting.workshop.agent;
    setting.workshop.model.play({
      words: "write the cancelled file",
      steps: [{ calls: [tools.write(file, "written\n")] }],
    });
    setting.workshop.model.play({
      words: "write a later file",
      steps: [{ calls: [tools.write(later, "written\n")] }, { text: ["It is written."] }],
    });
    const turn = await session.prompt("write the cancelled file");
    await turn.permission();
    await session.cancel();
    const ended = await turn.ended();
    expect(ended).toMatchObject({ stop_reason: "cancelled" });
    expect(ended.forced).toBeUndefined();
    expect(existsSync(file)).toBe(false);
    const next = await session.prompt("write a later file");
    await (await next.permission()).answer("allow_once");
    expect(await next.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(existsSync(later)).toBe(true);
  });

  test(`${name}, cancelled while a command runs, ends the turn as cancelled and can go on`, async () => {
    setting.workshop.model.play({ words: "speak after the command", steps: [{ text: ["Still here."] }] });
    const session = await idleSession();
    const turn = await runForAnHour(session, "run for an hour");
    await session.cancel();
    const ended = await turn.ended();
    expect(ended).toMatchObject({ stop_reason: "cancelled" });
    expect(ended.forced).toBeUndefined();
    const next = await session.prompt("speak after the command");
    expect(await next.ended()).toMatchObject({ stop_reason: "end_turn" });
  });

  test.each(habits.failingModels)(
    `${name}, whose model answers $status, ends the turn by $endsBy and can go on`,
    async ({ status, endsBy, end }) => {
      const [failing, mended] = [`ask a model that answers ${status}`, `ask a model after ${status}`];
      setting.workshop.model.play({ words: failing, steps: [{ status, message: "the model is broken" }] });
      setting.workshop.model.play({ words: mended, steps: [{ text: ["Mended."] }] });
      const session = await idleSession();
      const turn = await session.prompt(failing);
      await setting.workshop.model.until(
        ({ words, state }) => words === failing && state === "refused",
        turnDeadlineMs,
      );
      if (endsBy === "cancel") await session.cancel();
      const ended = await turn.ended();
      expect(ended).toMatchObject(end);
      if (endsBy === "itself") expect([turn.text(), ended.error]).not.toEqual(["", undefined]);
      const next = await session.prompt(mended);
      expect(await next.ended()).toMatchObject({ stop_reason: "end_turn" });
      expect(next.text()).toBe("Mended.");
    },
  );

  test(`${name} works in another mode once it is set, and a mode that it does not offer is refused`, async () => {
    setting.workshop.model.play({ words: "work in another mode", steps: [{ text: ["In this one."] }] });
    const session = await idleSession();
    const { start, other, told } = habits.modes;
    expect(modeOf(await session.setOption("mode", other))).toBe(other);
    expect(modeOf(of(await session.log(), "options").at(-1)?.options ?? [])).toBe(other);
    const turn = await session.prompt("work in another mode");
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    const [asked] = requestsOf("work in another mode");
    expect(asked?.conversation.map(({ text }) => text).join("\n")).toMatch(told);
    await expect(session.setOption("mode", "no-such-mode")).rejects.toMatchObject({ code: "OPTION_UNKNOWN" });
    expect(modeOf(await session.setOption("mode", start))).toBe(start);
  });

  test(`${name} answers two sessions that are prompted at once, each with its own words`, async () => {
    setting.workshop.model.play({ words: "answer left", steps: [{ text: ["left"] }] });
    setting.workshop.model.play({ words: "answer right", steps: [{ text: ["right"] }] });
    const left = await takeIdleSession();
    const right = await idleSession();
    handBack(left);
    const turns = await Promise.all([left.prompt("answer left"), right.prompt("answer right")]);
    const ends = await Promise.all(turns.map((turn) => turn.ended()));
    expect(ends.map(({ stop_reason }) => stop_reason)).toEqual(["end_turn", "end_turn"]);
    expect(turns.map((turn) => turn.text())).toEqual(["left", "right"]);
  });

  test(`${name}, whose session is closed while it is idle, leaves no process, and its log is whole`, async () => {
    await expectCleanClose(await takeIdleSession());
  });

  test(`${name}, whose session is closed while a command runs, leaves no process, and its log is whole`, async () => {
    const session = await takeIdleSession();
    const turn = await runForAnHour(session, "run until the end");
    await expectCleanClose(session);
    expect(await turn.ended()).toMatchObject({ stop_reason: "cancelled", sent: true });
  });

  test(`${name}, cancelled late in a command and then closed, leaves no process, and its log is whole`, async () => {
    const session = await takeIdleSession();
    const turn = await runForAnHour(session, "run for some seconds and an hour", "sleep 2; ");
    await session.cancel();
    expect(await turn.ended()).toMatchObject({ stop_reason: "cancelled" });
    await expectCleanClose(session);
  });

  test(`agentd, stopped while a command of ${name} runs, leaves no process, and tells of it when it is back`, async () => {
    const session = await takeIdleSession();
    await runForAnHour(session, "run until agentd stops");
    const stopped = await setting.workshop.stopDaemon();
    const sessions = [session, ...setting.takeAllSessions()];
    const user = await setting.workshop.restartDaemon();
    expect(stopped).toEqual({ code: 0, left: [] });
    for (const { id } of sessions) {
      const log = await user.log(id);
      expect(logFaults(log)).toEqual([]);
      expect(of(log, "state").at(-1)).toMatchObject({ state: "closed", reason: "stop" });
    }
    const ends = of(await user.log(session.id), "turn").filter(({ phase }) => phase === "ended");
    expect(ends.at(-1)).toMatchObject({ stop_reason: "interrupted", sent: true });
  });

  returnContract(name, habits, setting);
}

function modeOf(options: readonly SessionOption[]): unknown {
  return options.find(({ option }) => option === "mode")?.value;
}

/** Closed, with nothing left running, and everything told in a log that misses nothing. */
async function expectCleanClose(session: AgentSession): Promise<void> {
  expect(await session.processes()).not.toEqual([]);
  const { log, life, published, left } = await session.close();
  expect(left).toEqual([]);
  expect(logFaults(log)).toEqual([]);
  expect(published).toEqual(life);
}
