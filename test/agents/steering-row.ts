// SPDX-License-Identifier: MIT OR Apache-2.0
// A prompt for the turn that runs: it goes into that turn, or it waits for its end, and whoever sent it is told which.
import { join } from "node:path";
import { expect } from "vitest";
import { turnDeadlineMs } from "./agent-session.ts";
import type { AgentHabits, ContractSetting } from "./contract-setting.ts";
import { type EntryOf, of } from "./log-faults.ts";
import type { Row } from "./rows.ts";

export function steeringRow(row: Row, { steered }: AgentHabits, setting: ContractSetting): void {
  row("steering", async () => {
    const { agent, model, mix, user } = setting.workshop;
    const words = "paint the fence";
    const more = "use green for it";
    const session = await setting.idleSession();
    const write = agent.tools.write(join(session.cwd, "fence.txt"), "red\n");
    model.play({ words, steps: [{ calls: [write] }, { text: ["It is red."] }] });
    model.play({ words: more, steps: [{ text: ["It is green."] }] });
    const turn = await session.prompt(words);
    const permission = await turn.permission();
    const sent = await mix(["send", session.id, more, "--steer", "--no-wait", "--json"]);
    const reply = JSON.parse(sent.stdout) as { readonly turn: number };
    const wanted = steered
      ? { queued: true, steering: true, steered: "injected", into: turn.number }
      : { queued: true, steering: false };
    expect(reply).toMatchObject(wanted);
    expect(setting.requestsOf(more)).toEqual([]);
    await permission.answer("allow_once");
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    const end = await user.entry<EntryOf<"turn">>(
      session.id,
      (entry) => entry.kind === "turn" && entry.turn === reply.turn && entry.phase === "ended",
      turnDeadlineMs,
    );
    expect(end.stop_reason).toBe(steered ? "steered" : "end_turn");

    const log = await session.log();
    const said = (number: number, role: string): string =>
      of(log, "message")
        .filter((entry) => entry.turn === number && entry.role === role)
        .map(({ content }) => content["text"])
        .join("");
    expect(said(reply.turn, "user")).toBe(more);
    expect(said(turn.number, "agent")).toContain(steered ? "It is green." : "It is red.");
    expect(said(reply.turn, "agent")).toBe(steered ? "" : "It is green.");
    // The model gets it once, as the user's words, and knows what it has done by then.
    const [asked, ...others] = setting.requestsOf(more);
    expect(others).toEqual([]);
    expect(asked?.conversation.filter(({ role, text }) => role === "user" && text.includes(more))).toHaveLength(1);
    expect(asked?.conversation.map(({ role }) => role)).toContain("tool");
    return steered ? "yes, in the running turn" : "queued: cannot be steered";
  });
}
