// SPDX-License-Identifier: MIT OR Apache-2.0
// What `mix agent acp` is to every client: one test for each row of the table.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import { isInstalled, repositoryInstallation } from "../agents/installation.ts";
import { type EntryOf, of } from "../agents/log-faults.ts";
import { ownEntryOf } from "../agents/workshop.ts";
import { type DriverProgram, type EditorSetting, prepareEditorSetting } from "./editor-setting.ts";
import { type ClientInTable, type Row, rowsOf } from "./rows.ts";

/** Where the clients differ, and ACP lets them. */
export interface ClientHabits extends ClientInTable {
  /** Undefined where the client is not installed. */
  readonly driver: DriverProgram | undefined;
  /** How the client tells the end of a turn, and of one that was cancelled. */
  readonly turnEnd: string;
  readonly cancelledEnd: string;
  /** Whether it tells which permissions it was asked for. */
  readonly tellsQuestions: boolean;
  /** Whether the rows with OpenCode are run: slow ones, and the clients that are libraries differ in nothing there. */
  readonly runsRealAgent: boolean;
  /** Whether it shows what was said in a session that it brings back. */
  readonly showsHistory: boolean;
}

const greeting = "Hello! I am the demo agent.";
const hasRealAgents = await isInstalled(repositoryInstallation);

export function clientContract(habits: ClientHabits): void {
  if (habits.driver === undefined) return test("the client", ({ skip }) => skip(`${habits.name} is not installed`));
  const setting = prepareEditorSetting(habits.driver);
  const row = rowsOf(habits);
  turnRows(row, habits, setting);
  sessionRows(row, habits, setting);
  if (hasRealAgents && habits.runsRealAgent) realAgentRows(row, habits, setting);
}

function turnRows(row: Row, habits: ClientHabits, setting: EditorSetting): void {
  const { turnEnd, cancelledEnd } = habits;

  row("text", async () => {
    const { workshop } = setting;
    await using editor = await setting.start(workshop.place.directory());
    const session = await editor.open();
    const turn = editor.prompt("hello");
    expect(await turn.ended()).toMatchObject({ end: turnEnd });
    await turn.said(greeting);
    expect(await turnEnds(setting, session, 1)).toMatchObject([{ turn: 1, stop_reason: "end_turn" }]);
  });

  for (const [id, answer] of [
    ["allowed", "allow_once"],
    ["rejected", "reject_once"],
  ] as const) {
    row(id, async () => {
      const cwd = setting.workshop.place.directory();
      await using editor = await setting.start(cwd);
      await editor.open();
      const turn = editor.prompt("ask write asked.txt yes", answer);
      expect(await turn.ended()).toMatchObject({ end: turnEnd });
      if (habits.tellsQuestions)
        expect(editor.questions().map((kinds) => kinds.toSorted())).toEqual([
          ["allow_always", "allow_once", "reject_once"],
        ]);
      const file = join(cwd, "asked.txt");
      expect(existsSync(file) ? readFileSync(file, "utf8") : null).toBe(answer === "allow_once" ? "yes\n" : null);
    });
  }

  row("cancel", async () => {
    await using editor = await setting.start(setting.workshop.place.directory());
    const session = await editor.open();
    const turn = editor.prompt("slow 600");
    await turn.said("600…");
    editor.tell({ do: "cancel" });
    expect(await turn.ended()).toMatchObject({ end: cancelledEnd });
    expect(await turnEnds(setting, session, 1)).toMatchObject([{ turn: 1, stop_reason: "cancelled" }]);
  });

  row("again", async () => {
    await using editor = await setting.start(setting.workshop.place.directory());
    const session = await editor.open();
    const first = editor.prompt("slow 600");
    await first.said("600…");
    editor.tell({ do: "cancel" });
    const second = editor.prompt("hello");
    await second.said(greeting);
    expect(await second.ended()).toMatchObject({ end: turnEnd });
    expect(await turnEnds(setting, session, 2)).toMatchObject([
      { turn: 1, stop_reason: "cancelled" },
      { turn: 2, stop_reason: "end_turn" },
    ]);
  });
}

function sessionRows(row: Row, habits: ClientHabits, setting: EditorSetting): void {
  row("load", async () => {
    const cwd = setting.workshop.place.directory();
    const session = await sessionThatSaidHello(setting, cwd);
    await using editor = await setting.start(cwd);
    expect(await editor.load(session)).toBe(session);
    if (habits.showsHistory) expect(editor.text()).toContain(greeting);
    const turn = editor.prompt("write again.txt once more");
    await turn.ended();
    expect(readFileSync(join(cwd, "again.txt"), "utf8")).toBe("once more\n");
    expect(await turnEnds(setting, session, 2)).toHaveLength(2);
  });

  row("list", async () => {
    const cwd = setting.workshop.place.directory();
    const session = await sessionThatSaidHello(setting, cwd);
    await using editor = await setting.start(cwd);
    // One that is never prompted: nobody looks for it.
    const unused = await editor.open();
    const listed = await editor.list();
    expect(listed).toContain(session);
    expect(listed).not.toContain(unused);
  });

  row("mode", async () => {
    await using editor = await setting.start(setting.workshop.place.directory());
    const session = await editor.open();
    await editor.setMode("ask");
    expect(await optionsOf(setting, session)).toMatchObject({ mode: "ask" });
  });

  row("option", async () => {
    await using editor = await setting.start(setting.workshop.place.directory());
    const session = await editor.open();
    await editor.setOption("pace", "fast");
    expect(await optionsOf(setting, session)).toMatchObject({ pace: "fast" });
  });

  row("end", async () => {
    await using editor = await setting.start(setting.workshop.place.directory());
    const session = await editor.open();
    const turn = editor.prompt("slow 600");
    await turn.said("600…");
    await editor.end();
    await setting.expectNothingLeft();
    expect(await turnEnds(setting, session, 1)).toMatchObject([{ stop_reason: "cancelled" }]);
  });
}

function realAgentRows(row: Row, habits: ClientHabits, setting: EditorSetting): void {
  row("opencode", async () => {
    const { agent, model, place } = setting.workshop;
    const cwd = place.directory();
    const file = join(cwd, "real.txt");
    model.play({ words: "say it plainly", steps: [{ text: ["It is ", "plain."] }] });
    const steps = [{ calls: [agent.tools.write(file, "written\n")] }, { text: ["It is written."] }] as const;
    model.play({ words: "write the real file", steps });
    await using editor = await setting.start(cwd, ownEntryOf("opencode"));
    await editor.open();
    const answered = editor.prompt("say it plainly");
    expect(await answered.ended()).toMatchObject({ end: habits.turnEnd });
    await answered.said("It is plain.");
    const allowed = editor.prompt("write the real file", "allow_once");
    expect(await allowed.ended()).toMatchObject({ end: habits.turnEnd });
    await allowed.said("It is written.");
    expect(readFileSync(file, "utf8")).toBe("written\n");
  });
}

/** A session with one turn, made by a client that has ended. */
async function sessionThatSaidHello(setting: EditorSetting, cwd: string): Promise<string> {
  await using editor = await setting.start(cwd);
  const session = await editor.open();
  await editor.prompt("hello").ended();
  await editor.end();
  await setting.expectNothingLeft();
  return session;
}

/** The ends of that many turns: a client may show one before agentd has written it. */
async function turnEnds({ workshop }: EditorSetting, session: string, count: number): Promise<EntryOf<"turn">[]> {
  const isLast = (entry: Entry): boolean => entry.kind === "turn" && entry.phase === "ended" && entry.turn === count;
  await workshop.user.entry(session, isLast);
  return of(await workshop.user.log(session, ["turn"]), "turn").filter(({ phase }) => phase === "ended");
}

async function optionsOf({ workshop }: EditorSetting, session: string): Promise<Record<string, unknown>> {
  const { options } = await workshop.user.get(session);
  return Object.fromEntries((options ?? []).map(({ option, value }) => [option, value]));
}
