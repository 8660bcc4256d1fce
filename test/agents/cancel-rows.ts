// SPDX-License-Identifier: MIT OR Apache-2.0
// A turn that is cancelled, whatever it is at.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type AgentSession, type Turn, turnDeadlineMs } from "./agent-session.ts";
import type { ContractSetting } from "./contract-setting.ts";
import type { Row } from "./rows.ts";

export function cancelRows(row: Row, setting: ContractSetting): void {
  const { idleSession, requestsOf, runForAnHour } = setting;

  /** The turn ends by the agent's own word, the request to the model is dropped, and the session goes on. */
  async function expectCancelled(session: AgentSession, turn: Turn, asked: string): Promise<void> {
    expect(await session.cancel()).toEqual([turn.number]);
    const ended = await turn.ended();
    expect(ended).toMatchObject({ stop_reason: "cancelled" });
    expect(ended.forced).toBeUndefined();
    const words = `go on after ${asked}`;
    setting.workshop.model.play({ words, steps: [{ text: ["Once more."] }] });
    const next = await session.prompt(words);
    expect(await next.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(next.text()).toBe("Once more.");
  }

  async function expectDropped(asked: string): Promise<void> {
    const isDropped = ({ words, state }: { words: string | null; state: string }): boolean =>
      words === asked && state === "client left";
    await setting.workshop.model.until(isDropped, turnDeadlineMs);
  }

  row("cancel-streaming", async () => {
    setting.workshop.model.play({ words: "speak without end", steps: [{ text: ["And then"], hangs: true }] });
    const session = await idleSession();
    const turn = await session.prompt("speak without end");
    await turn.said("And then");
    await expectCancelled(session, turn, "the endless speech");
    await expectDropped("speak without end");
  });

  row("cancel-silent", async () => {
    setting.workshop.model.play({ words: "say nothing at all", steps: [{ hangs: true }] });
    const session = await idleSession();
    const turn = await session.prompt("say nothing at all");
    await setting.workshop.model.until(({ words }) => words === "say nothing at all", turnDeadlineMs);
    await expectCancelled(session, turn, "the silence");
    expect(turn.text()).toBe("");
    await expectDropped("say nothing at all");
  });

  row("cancel-question", async () => {
    const session = await idleSession();
    const [file, later] = [join(session.cwd, "cancelled.txt"), join(session.cwd, "later.txt")];
    const { tools } = setting.workshop.agent;
    const steps = [{ calls: [tools.write(file, "written\n")] }] as const;
    setting.workshop.model.play({ words: "write the cancelled file", steps });
    setting.workshop.model.play({
      words: "write a later file",
      steps: [{ calls: [tools.write(later, "written\n")] }, { text: ["It is written."] }],
    });
    const turn = await session.prompt("write the cancelled file");
    await turn.permission();
    await expectCancelled(session, turn, "the open question");
    expect(existsSync(file)).toBe(false);
    expect(requestsOf("write the cancelled file")).toHaveLength(1);
    // It asks again: the question that nobody answered does not stand in the way.
    const next = await session.prompt("write a later file");
    await (await next.permission()).answer("allow_once");
    expect(await next.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(existsSync(later)).toBe(true);
  });

  row("cancel-command", async () => {
    const session = await idleSession();
    const turn = await runForAnHour(session, "run for an hour");
    await expectCancelled(session, turn, "the command");
  });
}
