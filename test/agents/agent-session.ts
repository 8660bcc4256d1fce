// SPDX-License-Identifier: MIT OR Apache-2.0
// A session of a real agent and its turns, as somebody on the Bus sees and steers them.
import type { ContentBlock, Entry, SessionOption, SetConfigReply, VerbInput } from "../../agentd/vocabulary/index.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { agentProcesses, killProcesses, remainingProcesses, type SeenProcess } from "./agent-processes.ts";
import { type EntryOf, of } from "./log-faults.ts";

export interface AgentSession {
  readonly id: string;
  readonly cwd: string;
  /** The entry with which it came up. */
  readonly up: EntryOf<"state">;
  prompt(text: string | readonly ContentBlock[], when_busy?: "refuse" | "queue"): Promise<Turn>;
  /** The turns that it reached. */
  cancel(): Promise<readonly number[]>;
  /** Sets an option of the agent's; resolves with all of them as they are now. */
  setOption(option: string, value: string): Promise<readonly SessionOption[]>;
  state(): Promise<string>;
  /** Kills the agent's own process alone, and by SIGKILL. */
  killAgent(): Promise<void>;
  /** Which of these still run, and what else does for this session. */
  remaining(seen: readonly SeenProcess[]): Promise<readonly SeenProcess[]>;
  /** What runs for this session now. */
  processes(): Promise<readonly SeenProcess[]>;
  /** Closes it and waits until agentd says that it is closed. */
  close(): Promise<ClosedSession>;
  /** Everything that its log holds. */
  log(): Promise<readonly Entry[]>;
}

export interface ClosedSession {
  readonly log: readonly Entry[];
  /** Of that, what was logged since it was started, or brought back. */
  readonly life: readonly Entry[];
  /** What the topic brought of that. */
  readonly published: readonly unknown[];
  /** What still ran when agentd had said that it was closed. */
  readonly left: readonly SeenProcess[];
}

export interface Turn {
  readonly number: number;
  readonly ended: () => Promise<EntryOf<"turn">>;
  /** What the agent has said in this turn so far. */
  text(): string;
  said(words: string): Promise<void>;
  /** The first permission that this turn asks for. */
  permission(): Promise<OpenPermission>;
  /** Allows that many, one after another. */
  allowAll(count: number): Promise<void>;
  /** How each tool call of this turn stands, in the order in which they began. */
  toolCalls(): readonly ToolCallEnd[];
}

export interface ToolCallEnd {
  readonly status: string;
  /** Whose word the status is. */
  readonly by: "agent" | "agentd";
}

export interface OpenPermission {
  readonly request: string;
  readonly kinds: readonly string[];
  /** Chooses the one option of that kind. */
  answer(kind: "allow_once" | "reject_once"): Promise<void>;
}

/** Agents are slow to start where the machine is busy: OpenCode was seen to need 19 s to initialize. */
export const startDeadlineMs = 90_000;
export const turnDeadlineMs = 60_000;
/** Codex was seen to need 7 s from the end of its stdin to its own. */
const closeDeadlineMs = 30_000;

/** Starts the agent and waits until it takes prompts; rejects with the error of one that does not come up. */
export async function openSession(
  user: BusUser,
  how: VerbInput<"agent.session.start"> & { readonly cwd: string },
): Promise<AgentSession> {
  const id = await user.start(how);
  return await sessionThatComesUp(user, { id, cwd: how.cwd }, 0);
}

/** The same for a session that has ended; `fresh`: as a new one of its agent, which is told what was said. */
export async function resumeSession(
  user: BusUser,
  { id, cwd }: Pick<AgentSession, "id" | "cwd">,
  fresh: boolean,
): Promise<AgentSession> {
  const { seq } = await user.call<{ seq: number }>("agent.session.resume", { session: id, fresh });
  return await sessionThatComesUp(user, { id, cwd }, seq);
}

/** `since`: the `seq` of the command that began this life of the session; 0 for the first. */
async function sessionThatComesUp(
  user: BusUser,
  { id, cwd }: Pick<AgentSession, "id" | "cwd">,
  since: number,
): Promise<AgentSession> {
  const isUpOrOver = (entry: Entry): boolean =>
    entry.kind === "state" && entry.seq > since && entry.state !== "starting";
  const up = await user.entry<EntryOf<"state">>(id, isUpOrOver, startDeadlineMs);
  if (up.state !== "idle") throw new Error(`${id} came up ${up.state}: ${JSON.stringify(up.error)}`);
  const { log } = await user.get(id);
  const marker = `AGENTD_SESSION=${log}/${id}`;
  const root = seenOf(user, id, "state").findLast(({ process }) => process !== undefined)?.process?.pid;

  return {
    id,
    cwd,
    up,
    async prompt(text, when_busy = "refuse") {
      const prompt = typeof text === "string" ? text : [...text];
      const { turn } = await user.call<{ turn: number }>("agent.session.prompt", { session: id, prompt, when_busy });
      return openTurn(user, id, turn);
    },
    async cancel() {
      const { turns } = await user.call<{ turns: number[] }>("agent.session.cancel", { session: id });
      return turns;
    },
    async setOption(option, value) {
      const args = { session: id, option, value };
      const { options } = await user.call<SetConfigReply>("agent.session.set_config", args);
      return options;
    },
    state: async () => (await user.get(id)).state,
    async killAgent() {
      killProcesses((await agentProcesses({ marker, root })).filter(({ pid }) => pid === root));
    },
    remaining: (seen) => remainingProcesses(marker, seen, 0),
    processes: () => agentProcesses({ marker, root }),
    async close() {
      const seen = await agentProcesses({ marker, root });
      await user.call("agent.session.close", { session: id });
      const isClosed = (entry: Entry): boolean =>
        entry.kind === "state" && entry.seq > since && entry.state === "closed";
      await user.entry(id, isClosed, closeDeadlineMs);
      const left = await remainingProcesses(marker, seen, 0);
      const whole = await user.log(id);
      const isOfLife = ({ session, seq = 0 }: { readonly session?: string | undefined; readonly seq?: number }) =>
        session === id && seq >= since;
      return { log: whole, life: whole.filter(isOfLife), published: user.seen.filter(isOfLife), left };
    },
    log: () => user.log(id),
  };
}

function openTurn(user: BusUser, session: string, number: number): Turn {
  const own = (entry: Entry): boolean => entry.turn === number;
  const text = (): string =>
    seenOf(user, session, "message")
      .filter((entry) => own(entry) && entry.role === "agent")
      .map(({ content }) => (typeof content["text"] === "string" ? content["text"] : ""))
      .join("");
  return {
    number,
    async ended() {
      const isEnd = (entry: Entry): boolean => own(entry) && entry.kind === "turn" && entry.phase === "ended";
      return await user.entry<EntryOf<"turn">>(session, isEnd, turnDeadlineMs);
    },
    text,
    async said(words) {
      await user.entry(session, () => text().includes(words), turnDeadlineMs);
    },
    async permission() {
      const isRequest = (entry: Entry): boolean =>
        own(entry) && entry.kind === "permission" && entry.phase === "requested";
      return openPermission(user, await user.entry<EntryOf<"permission">>(session, isRequest, turnDeadlineMs));
    },
    async allowAll(count) {
      const answered = new Set<string>();
      while (answered.size < count) {
        const isNext = (entry: Entry): boolean =>
          own(entry) && entry.kind === "permission" && entry.phase === "requested" && !answered.has(entry.request);
        const asked = await user.entry<EntryOf<"permission">>(session, isNext, turnDeadlineMs);
        answered.add(asked.request);
        await openPermission(user, asked).answer("allow_once");
      }
    },
    toolCalls() {
      const calls = new Map<string, ToolCallEnd>();
      for (const { turn, tool_call_id, status, closed_by } of seenOf(user, session, "tool_call")) {
        if (turn !== number || typeof status !== "string") continue;
        calls.set(tool_call_id, { status, by: closed_by ?? "agent" });
      }
      return [...calls.values()];
    },
  };
}

function openPermission(user: BusUser, { request, options = [] }: EntryOf<"permission">): OpenPermission {
  return {
    request,
    kinds: options.map(({ kind }) => kind),
    async answer(kind) {
      const [chosen, ...more] = options.filter((option) => option.kind === kind);
      if (chosen === undefined || more.length > 0) throw new Error(`not one ${kind} in ${JSON.stringify(options)}`);
      await user.call("agent.permission.answer", { request, option: chosen.option });
    },
  };
}

function seenOf<K extends Entry["kind"]>(user: BusUser, session: string, kind: K): EntryOf<K>[] {
  const whole = user.seen.filter((entry): entry is Entry => entry.session === session && !("truncated" in entry));
  return of(whole, kind);
}
