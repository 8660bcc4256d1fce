// SPDX-License-Identifier: MIT OR Apache-2.0
// What agentd relies on of every agent, run against the real ones.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentDriver, startDeadlineMs, turnDeadlineMs } from "./agent-driver.ts";
import type { RealAgentName } from "./real-agents.ts";
import { endDeadlineMs, goneDeadlineMs, openWorkshop, type Workshop } from "./workshop.ts";

/** Where the agents differ, and ACP lets them. */
export interface AgentHabits {
  /** The stop reason of a turn in which the user rejected a tool call. The model is not asked again in either case. */
  readonly stopReasonOfRejection: "end_turn" | "cancelled";
  /** The last status told of a tool call that the user rejected. */
  readonly statusOfRejection: "failed" | "in_progress";
}

export function agentContract(name: RealAgentName, habits: AgentHabits): void {
  let workshop: Workshop;
  let agent: AgentDriver;

  beforeAll(async () => {
    workshop = await openWorkshop(name);
    agent = await workshop.startAgent();
  }, startDeadlineMs);
  afterAll(async () => {
    await (workshop as Workshop | undefined)?.[Symbol.asyncDispose]();
  });

  async function openSession() {
    const cwd = await workshop.directory();
    return { cwd, session: await agent.openSession(cwd) };
  }

  test(`${name} says the model's words in the order of their pieces and ends the turn`, async () => {
    workshop.model.play({ words: "say three words", steps: [{ text: ["one ", "two ", "three"] }] });
    const { session } = await openSession();
    const turn = session.prompt("please say three words");
    expect(await turn.ended).toBe("end_turn");
    expect(turn.text()).toBe("one two three");
    const asked = workshop.model.requests.find(({ words }) => words === "say three words");
    expect(asked?.conversation.at(-1)).toEqual({ role: "user", text: "please say three words" });
  });

  test(`${name} writes a file when its permission is allowed, not before, and tells the model`, async () => {
    const { cwd, session } = await openSession();
    const file = join(cwd, "allowed.txt");
    workshop.model.play({
      words: "write the allowed file",
      steps: [{ calls: [workshop.agent.tools.write(file, "written\n")] }, { text: ["It is written."] }],
    });
    const turn = session.prompt("write the allowed file");
    const permission = await turn.permission(turnDeadlineMs);
    expect(existsSync(file)).toBe(false);
    expect(permission.kinds).toEqual(expect.arrayContaining(["allow_once", "reject_once"]));
    permission.answer("allow_once");
    expect(await turn.ended).toBe("end_turn");
    expect(await readFile(file, "utf8")).toBe("written\n");
    expect(turn.text()).toBe("It is written.");
    expect(turn.toolCallStatuses()).toEqual(["completed"]);
    const told = workshop.model.requests.find(({ words, step }) => words === "write the allowed file" && step === 1);
    expect(told?.conversation.at(-1)).toMatchObject({ role: "tool", text: expect.stringMatching(/success/i) });
  });

  test(`${name} leaves a file unwritten when its permission is rejected, and does not ask the model again`, async () => {
    const { cwd, session } = await openSession();
    const file = join(cwd, "rejected.txt");
    workshop.model.play({
      words: "write the rejected file",
      steps: [{ calls: [workshop.agent.tools.write(file, "written\n")] }, { text: ["The model went on."] }],
    });
    const turn = session.prompt("write the rejected file");
    (await turn.permission(turnDeadlineMs)).answer("reject_once");
    expect(await turn.ended).toBe(habits.stopReasonOfRejection);
    expect(existsSync(file)).toBe(false);
    expect(turn.toolCallStatuses()).toEqual([habits.statusOfRejection]);
    expect(workshop.model.requests.filter(({ words }) => words === "write the rejected file")).toHaveLength(1);
  });

  test(`${name} runs an allowed shell command in the session's directory`, async () => {
    const { cwd, session } = await openSession();
    workshop.model.play({
      words: "run a command",
      steps: [{ calls: [workshop.agent.tools.shell("pwd > where.txt")] }, { text: ["It ran."] }],
    });
    const turn = session.prompt("run a command");
    (await turn.permission(turnDeadlineMs)).answer("allow_once");
    expect(await turn.ended).toBe("end_turn");
    expect(await readFile(join(cwd, "where.txt"), "utf8")).toBe(`${cwd}\n`);
  });

  test(`${name} runs no shell command that was rejected`, async () => {
    const { cwd, session } = await openSession();
    workshop.model.play({
      words: "run a rejected command",
      steps: [{ calls: [workshop.agent.tools.shell("touch ran.txt")] }, { text: ["The model went on."] }],
    });
    const turn = session.prompt("run a rejected command");
    (await turn.permission(turnDeadlineMs)).answer("reject_once");
    expect(await turn.ended).toBe(habits.stopReasonOfRejection);
    expect(existsSync(join(cwd, "ran.txt"))).toBe(false);
  });

  test(`${name}, cancelled while the model speaks, ends the turn as cancelled, drops the request and can go on`, async () => {
    workshop.model.play({ words: "speak without end", steps: [{ text: ["And then"], hangs: true }] });
    workshop.model.play({ words: "speak after that", steps: [{ text: ["Once more."] }] });
    const { session } = await openSession();
    const turn = session.prompt("speak without end");
    await turn.said("And then", turnDeadlineMs);
    session.cancel();
    expect(await turn.ended).toBe("cancelled");
    await workshop.model.until(
      ({ words, state }) => words === "speak without end" && state === "client left",
      turnDeadlineMs,
    );
    const next = session.prompt("speak after that");
    expect(await next.ended).toBe("end_turn");
    expect(next.text()).toBe("Once more.");
  });

  test(`${name}, cancelled while the model is silent, ends the turn as cancelled`, async () => {
    workshop.model.play({ words: "say nothing at all", steps: [{ hangs: true }] });
    const { session } = await openSession();
    const turn = session.prompt("say nothing at all");
    await workshop.model.until(({ words }) => words === "say nothing at all", turnDeadlineMs);
    session.cancel();
    expect(await turn.ended).toBe("cancelled");
    expect(turn.text()).toBe("");
  });

  test(`${name}, cancelled while a permission is open, does not do what it asked for`, async () => {
    const { cwd, session } = await openSession();
    const file = join(cwd, "cancelled.txt");
    workshop.model.play({
      words: "write the cancelled file",
      steps: [{ calls: [workshop.agent.tools.write(file, "written\n")] }, { text: ["The model went on."] }],
    });
    const turn = session.prompt("write the cancelled file");
    const permission = await turn.permission(turnDeadlineMs);
    session.cancel();
    permission.answer("cancelled");
    expect(await turn.ended).toBe("cancelled");
    expect(existsSync(file)).toBe(false);
  });

  test(`${name}, cancelled while a command runs, ends the turn as cancelled and the command with it`, async () => {
    const { cwd, session } = await openSession();
    const started = join(cwd, "started.txt");
    workshop.model.play({
      words: "run for an hour",
      steps: [{ calls: [workshop.agent.tools.shell(`touch '${started}'; sleep 3607`)] }, { text: ["An hour passed."] }],
    });
    const turn = session.prompt("run for an hour");
    (await turn.permission(turnDeadlineMs)).answer("allow_once");
    await expect.poll(() => existsSync(started), { timeout: turnDeadlineMs }).toBe(true);
    session.cancel();
    expect(await turn.ended).toBe("cancelled");
    const sleeping = async () => (await workshop.processes()).filter(({ command }) => command === "sleep 3607");
    await expect.poll(sleeping, { timeout: goneDeadlineMs }).toEqual([]);
  });

  test(`${name}, whose model fails, ends the turn when it is cancelled, if it has not before`, async () => {
    workshop.model.play({ words: "ask a failing model", steps: [{ status: 500, message: "the model is broken" }] });
    const { session } = await openSession();
    const turn = session.prompt("ask a failing model");
    await workshop.model.until(
      ({ words, state }) => words === "ask a failing model" && state === "refused",
      turnDeadlineMs,
    );
    session.cancel();
    // Codex says the error as its own words and ends; OpenCode asks again and again, and calls the cancelled turn ended.
    expect(["end_turn", "cancelled"]).toContain(await turn.ended);
  });

  test(`${name} answers two sessions that are prompted at once, each with its own words`, async () => {
    const [left, right] = [await openSession(), await openSession()];
    workshop.model.play({ words: "answer left", steps: [{ text: ["left"] }] });
    workshop.model.play({ words: "answer right", steps: [{ text: ["right"] }] });
    const turns = [left.session.prompt("answer left"), right.session.prompt("answer right")];
    expect(await Promise.all(turns.map((turn) => turn.ended))).toEqual(["end_turn", "end_turn"]);
    expect(turns.map((turn) => turn.text())).toEqual(["left", "right"]);
  });

  test(`${name} ends with its stdin, leaves no process, and a new one loads the session with its history`, async () => {
    await using own = await openWorkshop(name);
    own.model.play({ words: "remember a word", steps: [{ text: ["I keep marzipan."] }] });
    own.model.play({ words: "which word was it", steps: [{ text: ["Marzipan."] }] });
    const cwd = await own.directory();
    const first = await own.startAgent();
    const session = await first.openSession(cwd);
    expect(await session.prompt("remember a word").ended).toBe("end_turn");
    expect(await own.processes()).not.toEqual([]);
    await first.end(endDeadlineMs);
    expect(await own.remaining(goneDeadlineMs)).toEqual([]);

    const second = await own.startAgent();
    const loaded = await second.loadSession(session.id, cwd);
    // Not equal: Codex adds its own warnings to what the agent says.
    expect(loaded.replayed).toContain("remember a wordI keep marzipan.");
    const turn = loaded.session.prompt("which word was it");
    expect(await turn.ended).toBe("end_turn");
    expect(turn.text()).toBe("Marzipan.");
    const asked = own.model.requests.find(({ words }) => words === "which word was it");
    expect(asked?.conversation).toContainEqual({ role: "assistant", text: "I keep marzipan." });
  });
}
