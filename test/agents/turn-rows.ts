// SPDX-License-Identifier: MIT OR Apache-2.0
// What is said and written in a turn, and what becomes of it when the model fails.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { PermissionChoice } from "../../agentd/vocabulary/entries.ts";
import { type AgentSession, turnDeadlineMs } from "./agent-session.ts";
import type { AgentHabits, ContractSetting } from "./contract-setting.ts";
import { of } from "./log-faults.ts";
import type { Row } from "./rows.ts";
import { ownEntryOf } from "./workshop.ts";

export function turnRows(row: Row, habits: AgentHabits, setting: ContractSetting): void {
  const { idleSession, takeIdleSession, handBack, requestsOf } = setting;

  row("text", async () => {
    setting.workshop.model.play({ words: "say three words", steps: [{ text: ["one ", "two ", "three"] }] });
    const turn = await (await idleSession()).prompt("please say three words");
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn", sent: true });
    expect(turn.text()).toBe("one two three");
    // OpenCode adds a word of its own to the first prompt after a change of mode.
    const asked = requestsOf("say three words")[0]?.conversation.findLast(({ role }) => role === "user");
    expect(asked).toEqual({ role: "user", text: expect.stringMatching(/^please say three words(\n|$)/) });
  });

  row("thinking", async () => {
    const steps = [{ thinking: "It may be noon.", text: ["It is noon."] }] as const;
    setting.workshop.model.play({ words: "think of the hour", steps });
    const session = await idleSession();
    const turn = await session.prompt("think of the hour");
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(turn.text()).toBe("It is noon.");
    const thoughts = of(await session.log(), "message").filter(
      (entry) => entry.role === "thought" && entry.turn === turn.number,
    );
    expect(thoughts.map(({ content }) => content["text"]).join("")).toContain("It may be noon.");
  });

  row("queue", async () => {
    const { model } = setting.workshop;
    model.play({ words: "speak first and slowly", steps: [{ text: ["The ", "first."], pieceDelayMs: 300 }] });
    model.play({ words: "speak second", steps: [{ text: ["The second."] }] });
    const session = await idleSession();
    const first = await session.prompt("speak first and slowly");
    const second = await session.prompt("speak second", "queue");
    expect(await first.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(await second.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect([first.text(), second.text()]).toEqual(["The first.", "The second."]);
    const [asked] = requestsOf("speak second");
    expect(asked?.conversation.map(({ text }) => text).join("\n")).toContain("The first.");
  });

  row("image", async () => {
    setting.workshop.model.play({ words: "look at the picture", steps: [{ text: ["I see it."] }] });
    const session = await takeIdleSession();
    const turn = await session.prompt([
      { type: "text", text: "look at the picture" },
      { type: "image", mimeType: "image/png", data: onePixel },
    ]);
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(turn.text()).toBe("I see it.");
    expect(requestsOf("look at the picture")[0]?.images).toBe(1);
    handBack(session);
  });

  row("long-prompt", async () => {
    setting.workshop.model.play({ words: "read all of it", steps: [{ text: ["I have."] }] });
    setting.workshop.model.play({ words: "speak after the long one", steps: [{ text: ["Still here."] }] });
    // It stays in the session's history, and would be sent with every further prompt.
    const session = await takeIdleSession();
    const turn = await session.prompt(`${"long ".repeat(220_000)}read all of it`);
    const ended = await turn.ended();
    expect(ended).toMatchObject(habits.longPrompt);
    const next = await session.prompt("speak after the long one");
    expect(await next.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(next.text()).toBe("Still here.");
    await session.close();
    if (habits.longPrompt["stop_reason"] !== "end_turn") return `refused: ${ended.error?.message.slice(0, 80)}`;
    expect(turn.text()).toBe("I have.");
    const text = requestsOf("read all of it")[0]
      ?.conversation.map((entry) => entry.text)
      .join("\n");
    expect(text?.length).toBeGreaterThan(1_100_000);
    return undefined;
  });

  row("long-edit", async () => {
    const session = await takeIdleSession();
    const file = join(session.cwd, "long.txt");
    const content = "0123456789abcde\n".repeat(65_536);
    setting.workshop.model.play({
      words: "write a long file",
      steps: [{ calls: [setting.workshop.agent.tools.write(file, content)] }, { text: ["It is written."] }],
    });
    const turn = await session.prompt("write a long file");
    // The topic tells of an entry of this size in few words only.
    const { user } = setting.workshop;
    await user.wait(session.id, "waiting");
    const { requests } = await user.call<ListedPermissions>("agent.permission.list", { session: session.id });
    const [{ request, options } = { request: "", options: [] }] = requests;
    const option = options.find(({ kind }) => kind === "allow_once")?.option ?? "";
    await user.call("agent.permission.answer", { request, option });
    const { stop_reason } = await turn.ended();
    expect(await readFile(file, "utf8")).toBe(content);
    expect(stop_reason).toBe("end_turn");
    await session.close();
  });

  for (const { status, endsBy, end } of habits.failingModels) {
    row(`model-${status}`, async () => {
      const [failing, mended] = [`ask a model that answers ${status}`, `ask a model after ${status}`];
      setting.workshop.model.play({ words: failing, steps: [{ status, message: "the model is broken" }] });
      setting.workshop.model.play({ words: mended, steps: [{ text: ["Mended."] }] });
      const session = await idleSession();
      const turn = await session.prompt(failing);
      const isRefused = ({ words, state }: { words: string | null; state: string }): boolean =>
        words === failing && state === "refused";
      await setting.workshop.model.until(isRefused, turnDeadlineMs);
      if (endsBy === "cancel") await session.cancel();
      const ended = await turn.ended();
      expect(ended).toMatchObject(end);
      if (endsBy === "itself") expect([turn.text(), ended.error]).not.toEqual(["", undefined]);
      const next = await session.prompt(mended);
      expect(await next.ended()).toMatchObject({ stop_reason: "end_turn" });
      expect(next.text()).toBe("Mended.");
      const error = ended.error === undefined ? "" : ` ${ended.error.error_code}`;
      return endsBy === "cancel" ? "asks again until cancelled" : `${ended.stop_reason}${error}`;
    });
  }

  row("two-sessions", async () => {
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

  row("new-file-built-in", async () => await writesNewFile(await idleSession(), "by the built-in entry"));

  row("new-file-own", async () => {
    const { workshop } = setting;
    const session = await workshop.openSession({ agent: ownEntryOf(workshop.agent.name) });
    await writesNewFile(session, "by an own entry");
    expect((await session.close()).left).toEqual([]);
  });

  async function writesNewFile(session: AgentSession, how: string): Promise<void> {
    const { agent, model } = setting.workshop;
    const file = join(session.cwd, "new.txt");
    const words = `write a new file ${how}`;
    model.play({ words, steps: [{ calls: [agent.tools.write(file, "new\n")] }, { text: ["It is written."] }] });
    const turn = await session.prompt(words);
    await (await turn.permission()).answer("allow_once");
    expect(await turn.ended()).toMatchObject({ stop_reason: "end_turn" });
    expect(await readFile(file, "utf8")).toBe("new\n");
    expect(turn.toolCalls()).toEqual([{ status: "completed", by: "agent" }]);
  }
}

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

interface ListedPermissions {
  readonly requests: readonly { readonly request: string; readonly options: readonly PermissionChoice[] }[];
}
