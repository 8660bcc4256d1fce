// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent without a login says so and what to do about it; once that is done, the same session goes on.
import { expect } from "vitest";
import type { Entry, LoginReply } from "../../agentd/vocabulary/index.ts";
import { openShell } from "../harness/shell.ts";
import { startDeadlineMs, turnDeadlineMs } from "./agent-session.ts";
import type { AgentHabits, LoginHabits } from "./contract-setting.ts";
import { type EntryOf } from "./log-faults.ts";
import { modelKey, type RealAgentName } from "./real-agents.ts";
import type { Row } from "./rows.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

const terminal = { columns: 100, rows: 30, stopsAgentd: false } as const;
const words = "answer when you are logged in";

export function loginRow(row: Row, name: RealAgentName, { login }: AgentHabits): void {
  row("login", async () => {
    await using workshop = await openWorkshop(name, { isLoggedIn: false });
    const { model, user, place } = workshop;
    model.play({ words, steps: [{ text: ["I am logged in."] }] });
    const session = await user.start({ agent: name, cwd: place.directory() });
    const isUpOrOver = (entry: Entry): boolean => entry.kind === "state" && ["idle", "failed"].includes(entry.state);
    const up = await user.entry<EntryOf<"state">>(session, isUpOrOver, startDeadlineMs);
    expect(up.state).toBe(login.missing === "start fails" ? "failed" : "idle");
    const error = up.state === "failed" ? up.error : await failTurn(workshop, session, login);
    if (login.missing !== "asks the model again and again") {
      expect(error).toMatchObject({ error_code: "AGENT_AUTH", agent: name });
      expect(error?.message).toContain(`run \`mix agent agents login ${name}\``);
      const offered = (error?.["methods"] ?? []) as readonly { readonly id: string }[];
      expect(login.methods).toEqual(expect.arrayContaining(offered.map(({ id }) => id)));
    }
    const { methods = [] } = await user.call<LoginReply>("agent.login", { agent: name });
    expect(methods.map(({ method }) => method)).toEqual(login.methods);
    if (login.unreachable !== undefined) await giveUp(workshop, login.unreachable);

    await logIn(workshop, login.remedy);
    // As the words after a login and after `env set` say.
    if (up.state === "idle") expect((await workshop.mix(["close", session])).code).toBe(0);
    else expect((await workshop.mix(["resume", session])).code).toBe(0);
    const sent = await workshop.mix(["send", session, words]);
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining("I am logged in.") as string });
    expect(JSON.stringify(await user.log(session))).not.toContain(modelKey);
    return describe(login);
  });
}

/** The error of a turn that needs the login. */
async function failTurn({ user, model }: Workshop, session: string, { missing }: LoginHabits) {
  const turn = await user.prompt(session, words);
  if (missing === "asks the model again and again") {
    await user.entry(session, (entry) => entry.kind === "diagnostic" && entry.what === "model-silent", turnDeadlineMs);
    await user.call("agent.session.cancel", { session });
  }
  const isEnd = (entry: Entry): boolean => entry.kind === "turn" && entry.turn === turn && entry.phase === "ended";
  const { error, stop_reason } = await user.entry<EntryOf<"turn">>(session, isEnd, turnDeadlineMs);
  expect(stop_reason).toBe(missing === "turn fails" ? "failed" : "cancelled");
  expect(model.requests).toEqual([]);
  return error;
}

async function logIn(workshop: Workshop, remedy: LoginHabits["remedy"]): Promise<void> {
  const { agent, mix, place } = workshop;
  if ("terminal" in remedy) {
    await using shell = await openShell(place, terminal);
    await shell.run(`mix agent agents login ${agent.name} ${remedy.terminal}`, "running:");
    for (const [shown, typed] of remedy.types) {
      await shell.window.shows(shown);
      await shell.window.type(typed);
      await shell.window.press("Enter");
    }
    await shell.window.shows(`logged in to ${agent.name}`);
    return;
  }
  const { variable, method } = remedy;
  const stored = await mix(["env", "set", variable, "--agent", agent.name], modelKey);
  expect(stored).toMatchObject({ code: 0, stderr: expect.stringContaining("stored") as string });
  if (method === undefined) return;
  const loggedIn = await mix(["agents", "login", agent.name, method]);
  expect(loggedIn).toMatchObject({ code: 0, stderr: expect.stringContaining(`logged in to ${agent.name}`) as string });
}

/** The agent's own login program gets the terminal, and its end is told and leaves nothing. */
async function giveUp(
  workshop: Workshop,
  { method, runs, says }: NonNullable<LoginHabits["unreachable"]>,
): Promise<void> {
  const { agent, place } = workshop;
  await using shell = await openShell(place, terminal);
  const before = await workshop.remaining([]);
  await shell.run(`mix agent agents login ${agent.name} ${method}`, says);
  const started = (await workshop.remaining([])).filter(({ pid }) => !before.some((one) => one.pid === pid));
  expect(started.filter(({ command }) => command.endsWith(runs))).not.toEqual([]);
  await shell.window.press("C-c");
  await shell.window.shows(/AGENT_AUTH: the login of \w+ ended with [^]*\(exit 7\)/);
  expect(await workshop.remaining([])).toEqual(before);
}

function describe({ missing, remedy, unreachable }: LoginHabits): string {
  const how =
    "terminal" in remedy
      ? `login in the terminal (${remedy.terminal})`
      : `key in ${remedy.variable}${remedy.method === undefined ? "" : `, login ${remedy.method}`}`;
  return `${missing}; ${how}${unreachable === undefined ? "" : "; its program runs in the terminal"}`;
}
