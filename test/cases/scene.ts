// SPDX-License-Identifier: MIT OR Apache-2.0
// One agentd with scripted agents, and somebody who watches: what nearly every case needs.
import type { Clock } from "../../bus-client/index.ts";
import type { Limits } from "../../agentd/config/limits.ts";
import type { Scenario, Step } from "../scripted-agent/scenario.ts";
import type { AgentCommand } from "../../agentd/demo-agent/testing/demo-agent-command.ts";
import { scriptedAgent, type ScriptedAgentFiles } from "../scripted-agent/agent-files.ts";
import type { Entry, EntryKind, VerbInput } from "../../agentd/vocabulary/index.ts";
import { BusUser } from "../harness/bus-user.ts";
import { type DaemonHere, startDaemonHere } from "../harness/daemon-here.ts";
import { type DaemonProcess, startDaemonProcess } from "../harness/daemon-process.ts";
import { makePlace, type Place } from "../harness/place.ts";

export type Script = Scenario | ((directory: string) => Scenario);

export interface Cast extends Disposable {
  readonly place: Place;
  /** What the agent of that name got, and its own directory. */
  agent(name?: string): ScriptedAgentFiles;
}

export interface Scene extends AsyncDisposable {
  readonly place: Place;
  readonly daemon: DaemonHere;
  /** Watches the topic. */
  readonly user: BusUser;
  agent(name?: string): ScriptedAgentFiles;
  /** One more who watches, on a connection of its own. */
  somebody(name?: string | null): Promise<BusUser>;
  /** A session that is idle, of the agent "scripted" unless told otherwise. */
  idle(more?: Partial<VerbInput<"agent.session.start">>): Promise<string>;
}

export interface SceneOptions {
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** More of the instance's file. */
  readonly settings?: string;
  /** How the scripted agents are started, when not directly. */
  readonly wrap?: (command: AgentCommand) => readonly string[];
  /** Agents that are no scripted ones. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
}

/** Ends come soon where an agent does not leave by itself; the real graces are the process tests' matter. */
export const shortGraces = { closeRequestTimeoutMs: 500, stdinGraceMs: 1_000, termGraceMs: 500 } as const;

/** A place whose catalogue has the scripted agents; no agentd runs there yet. */
export function makeCast(
  scripts: Readonly<Record<string, Script>>,
  { settings = "", commands = {}, wrap = (command) => command }: Omit<SceneOptions, "limits" | "clock"> = {},
): Cast {
  const agents = new Map(Object.entries(scripts).map(([name, script]) => [name, scriptedAgent(script)]));
  const all = { ...Object.fromEntries([...agents].map(([name, { command }]) => [name, wrap(command)])), ...commands };
  const place = makePlace(all, settings);
  return {
    place,
    agent(name = "scripted") {
      const found = agents.get(name);
      if (!found) throw new Error(`no agent ${name} in this scene`);
      return found;
    },
    [Symbol.dispose]() {
      for (const agent of agents.values()) agent.remove();
      place[Symbol.dispose]();
    },
  };
}

/** agentd in this process, its graces short. */
export async function openScene(scripts: Readonly<Record<string, Script>>, options: SceneOptions = {}): Promise<Scene> {
  const { limits, clock } = options;
  const cast = makeCast(scripts, options);
  try {
    const daemon = await startDaemonHere(cast.place, {
      limits: { ...shortGraces, ...limits },
      ...(clock === undefined ? {} : { clock }),
    });
    const somebody = async (name?: string | null): Promise<BusUser> =>
      await BusUser.watching(await daemon.connect(name));
    const user = await somebody();
    return {
      place: cast.place,
      daemon,
      user,
      agent: (name) => cast.agent(name),
      somebody,
      async idle(more = {}) {
        const session = await user.start({ agent: "scripted", cwd: cast.place.directory(), ...more });
        await user.wait(session, "idle");
        return session;
      },
      async [Symbol.asyncDispose]() {
        await daemon[Symbol.asyncDispose]();
        cast[Symbol.dispose]();
      },
    };
  } catch (error) {
    cast[Symbol.dispose]();
    throw error;
  }
}

/** The built agentd in a process of its own, and somebody who watches. */
export async function startWatched(
  place: Place,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly daemon: DaemonProcess; readonly user: BusUser }> {
  const daemon = await startDaemonProcess(place, environment);
  return { daemon, user: await BusUser.watching(await daemon.connect()) };
}

export type EntryOf<K extends EntryKind> = Extract<Entry, { readonly kind: K }>;

export function ofKind<K extends EntryKind>(entries: readonly Entry[], kind: K): EntryOf<K>[] {
  return entries.filter((entry): entry is EntryOf<K> => entry.kind === kind);
}

/** What the agent has said in the turn, or in all of them. */
export function agentText(entries: readonly Entry[], turn?: number): string {
  return ofKind(entries, "message")
    .filter((entry) => entry.role === "agent" && (turn === undefined || entry.turn === turn))
    .map(({ content }) => String(content["text"]))
    .join("");
}

/** The entry that ends the turn, when it has come. */
export async function turnEnd(user: BusUser, session: string, turn = 1, ms?: number): Promise<EntryOf<"turn">> {
  const hasEnded = (entry: Entry) => entry.kind === "turn" && entry.turn === turn && entry.phase === "ended";
  return await user.entry<EntryOf<"turn">>(session, hasEnded, ms);
}

/** The question, when it has come. */
export async function question(user: BusUser, session: string, nth = 1): Promise<EntryOf<"permission">> {
  return await user.entry<EntryOf<"permission">>(
    session,
    (entry) => entry.kind === "permission" && entry.phase === "requested" && entry.request === `${session}-${nth}`,
  );
}

/** An agent that does this whenever it is prompted. */
export function onPrompt(...steps: Step[]): Scenario {
  return { rules: [{ on: "session/prompt", do: steps }] };
}

/** The session's state, when it has come to it. */
export async function stateOf(user: BusUser, session: string, state: string): Promise<EntryOf<"state">> {
  return await user.entry<EntryOf<"state">>(session, (entry) => entry.kind === "state" && entry.state === state);
}
