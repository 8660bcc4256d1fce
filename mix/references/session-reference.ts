// SPDX-License-Identifier: MIT OR Apache-2.0
// Which session a verb acts on: the one that was named, the last one used (`-`), or the only one of this directory.
import { endedPhases, livePhases } from "../../agentd/vocabulary/entries.ts";
import type { SessionSummary } from "../../agentd/vocabulary/replies.ts";
import type { AgentError } from "../../agent-client/agent-error.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import { listSessions } from "../../agent-client/requests/sessions.ts";
import { closestWord } from "../../display/closest-word.ts";
import type { Invocation, Sessions } from "../input/verb.ts";
import { homePath } from "../process/home-path.ts";
import { ownError, usageError } from "../process/mix-error.ts";
import { formatTable } from "../view/table.ts";
import { lastSession } from "./last-session.ts";
import { directoriesOf, realDirectory, sessionsOfDirectory } from "./sessions-of-directory.ts";

interface Chooser extends Pick<Invocation, "context"> {
  readonly output: Pick<Invocation["output"], "word">;
}
type Asking = Pick<ReadingBus, "ask">;

/** Returns what to pass to agentd as `session`. Says on stderr which one was taken, if none was named. */
export async function sessionReference(
  chooser: Chooser,
  bus: Asking,
  word: string | undefined,
  meant: Sessions = "live",
): Promise<string> {
  if (word === "-") return lastUsed(chooser);
  return word ?? (await sessionOfThisDirectory(chooser, bus, meant)).session;
}

function lastUsed({ context, output }: Chooser): string {
  const session = lastSession(context);
  if (session === undefined) throw usageError("no session was used yet: - is the last one used");
  output.word(`session ${session}, the last one used`);
  return session;
}

/** Throws a usage error that lists the sessions if it is not clear which one is meant. */
async function sessionOfThisDirectory(
  { context, output }: Chooser,
  bus: Asking,
  meant: Sessions,
): Promise<SessionSummary> {
  const directories = directoriesOf(context.cwd());
  const live = (await listSessions(bus, { state: [...livePhases] })).filter(({ state }) => state !== "closing");
  const liveHere = sessionsOfDirectory(live, directories);
  const takesEnded = meant === "ended" || (meant !== "live" && liveHere.length === 0);
  const endedHere = takesEnded ? await newestEnded(bus, directories, meant === "resumable" ? listedMax : 1) : [];
  const [found, another] = meant === "ended" ? endedHere : [...liveHere, ...endedHere];
  if (found === undefined) throw noneHere(context, meant === "ended" ? liveHere : live, meant);
  if (another !== undefined && liveHere.length === 0) {
    const none = `no live session has this directory, ${homePath(found.cwd, context)}, and several ended ones do`;
    throw ownError("SESSION_UNKNOWN", `${none}; name one of them:\n${listed(endedHere)}`);
  }
  if (another !== undefined) {
    throw usageError(`${liveHere.length} live sessions have this directory; name one of them:\n${listed(liveHere)}`);
  }
  const what = `${found.agent}${found.name === undefined ? "" : ` ${found.name}`}, ${found.state}`;
  const ofEnded = meant === "resumable" ? "the only ended one" : "the latest ended one";
  const which = endedHere.length > 0 ? ofEnded : "the only live one";
  output.word(`session ${found.session} (${what}), ${which} in ${homePath(found.cwd, context)}`);
  return found;
}

/** The sessions that were started last, of the first directory that has an ended one. */
async function newestEnded(bus: Asking, directories: readonly string[], limit: number): Promise<SessionSummary[]> {
  for (const cwd of directories) {
    const { sessions } = await bus.ask("agent.session.list", { state: [...endedPhases], cwd, limit });
    const newest = sessions.filter((one) => one.cwd === cwd).slice(0, limit);
    if (newest.length > 0) return newest;
  }
  return [];
}

function noneHere(context: Chooser["context"], live: readonly SessionSummary[], meant: Sessions): AgentError {
  const directory = homePath(realDirectory(context.cwd()), context);
  if (meant === "ended") {
    const hint = live.length === 0 ? "" : `; these are live:\n${listed(live)}`;
    return ownError("SESSION_UNKNOWN", `no ended session has this directory, ${directory}${hint}`);
  }
  const last = lastSession(context);
  const others =
    live.length === 0
      ? "; to start one: `mix agent start <agent>`"
      : `; name one${last === undefined ? "" : `, or - for ${last}`}:\n${listed(live)}`;
  return ownError("SESSION_UNKNOWN", `no live session has this directory, ${directory}${others}`);
}

function listed(sessions: readonly SessionSummary[]): string {
  const rows = sessions.map(({ session, name = "", agent, state, title = "" }) => {
    return [session, name, agent, state, title];
  });
  return formatTable(rows.slice(0, listedMax)).join("\n");
}

const listedMax = 16;

/** The session that a word names, as agentd finds it, among the newest 200. */
export async function sessionNamed(bus: Asking, word: string): Promise<SessionSummary | undefined> {
  const { sessions } = await bus.ask("agent.session.list", { limit: sessionsMax });
  const beginning = sessions.filter(({ session }) => word.length >= prefixLengthMin && session.startsWith(word));
  return (
    sessions.find(({ session, name }) => session === word || name === word) ??
    (beginning.length === 1 ? beginning[0] : undefined)
  );
}

/** Shorter words are rather words of a prompt. */
const prefixLengthMin = 3;

/** Finds the session whose name or id was mistyped. */
export async function similarSession(bus: Asking, word: string): Promise<string | undefined> {
  const { sessions } = await bus.ask("agent.session.list", { limit: sessionsMax });
  const names = sessions.flatMap(({ name, session }) => (name === undefined ? [session] : [name, session]));
  return closestWord(word, names);
}

const sessionsMax = 200;
