// SPDX-License-Identifier: MIT OR Apache-2.0
// Which open request a word means: its id, `<session>-<number>` with any reference to the session, the number alone, a
// beginning of the id or the session's name; without a word the only open one, in all or of this directory.
import { livePhases } from "../../agentd/vocabulary/entries.ts";
import type { ListedElicitation, ListedPermission } from "../../agentd/vocabulary/replies.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import { listSessions } from "../../agent-client/requests/sessions.ts";
import type { Invocation } from "../input/verb.ts";
import { ownError, usageError } from "../process/mix-error.ts";
import { subjectOfRequest } from "../questions/subject.ts";
import { formatTable } from "../view/table.ts";
import { lastSession } from "./last-session.ts";
import { directoriesOf, sessionsOfDirectory } from "./sessions-of-directory.ts";

type Asking = Pick<ReadingBus, "ask">;
type Open = ListedPermission | ListedElicitation;
export type RequestKind = Open["kind"];

export interface FoundRequest {
  readonly request: string;
  /** Whether session and number were given. Otherwise what is open now may not be what the person has read. */
  readonly isNamed: boolean;
}

/** Throws REQUEST_UNKNOWN if none fits, and a usage error that lists them if several do. */
export async function requestReference(
  { context }: Pick<Invocation, "context">,
  bus: Asking,
  kind: RequestKind,
  word: string | undefined,
): Promise<FoundRequest> {
  if (word !== undefined && isRequestId(word)) return { request: word, isNamed: true };
  const { requests, more } =
    kind === "permission" ? await bus.ask("agent.permission.list", {}) : await bus.ask("agent.elicitation.list", {});
  const wanted = word === "-" ? (lastSession(context) ?? word) : word;
  const [, session, number] = /^(?:(.+)-)?(\d+)$/.exec(wanted ?? "") ?? [];
  const matching = await fitting(bus, requests, wanted, session, number);
  const here = matching.length < 2 ? matching : await ofThisDirectory(bus, context.cwd(), matching);
  const [found] = here;
  // An incomplete list cannot tell that a request is the only one.
  const isNamed = session !== undefined;
  if (found !== undefined && here.length === 1 && (isNamed || more !== true))
    return { request: found.request, isNamed };
  if (matching.length > 0) {
    const count = `${matching.length}${more === true ? " or more" : ""} ${kind}s are open`;
    throw usageError(`${count}${wanted === undefined ? "" : ` that fit ${wanted}`}; name one:\n${listed(matching)}`);
  }
  if (session !== undefined && number !== undefined) return closedRequest(bus, session, number, kind);
  throw unknown(kind, wanted);
}

/** Whether the word is the whole id of a request. */
export function isRequestId(word: string): boolean {
  return /^[a-z2-7]{12}-\d+$/.test(word);
}

async function fitting(
  bus: Asking,
  open: readonly Open[],
  wanted: string | undefined,
  session: string | undefined,
  number: string | undefined,
): Promise<readonly Open[]> {
  if (wanted === undefined) return open;
  const numbered = open.filter((one) => number !== undefined && one.request === `${one.session}-${number}`);
  if (number !== undefined && session === undefined) return numbered;
  const known = numbered.filter((one) => session !== undefined && one.session.startsWith(session));
  if (known.length > 0) return known;
  const beginning = open.filter((one) => one.request.startsWith(wanted));
  if (beginning.length > 0 || open.length === 0) return beginning;
  const named = (await listSessions(bus, { state: [...livePhases] })).filter(({ name }) => name !== undefined);
  const idOf = (name: string | undefined): string | undefined => named.find((one) => one.name === name)?.session;
  const ofNamed = numbered.filter((one) => session !== undefined && one.session === idOf(session));
  return ofNamed.length > 0 ? ofNamed : open.filter((one) => one.session === idOf(wanted));
}

async function ofThisDirectory(bus: Asking, cwd: string, open: readonly Open[]): Promise<readonly Open[]> {
  const live = await listSessions(bus, { state: [...livePhases] });
  const here = new Set(sessionsOfDirectory(live, directoriesOf(cwd)).map(({ session }) => session));
  return open.filter(({ session }) => here.has(session));
}

/** agentd says of a request that is no longer open how it ended. */
async function closedRequest(bus: Asking, session: string, number: string, kind: RequestKind): Promise<FoundRequest> {
  try {
    const { session: id } = await bus.ask("agent.session.get", { session });
    return { request: `${id}-${number}`, isNamed: true };
  } catch (error) {
    if (error instanceof AgentError && error.code === "SESSION_UNKNOWN") throw unknown(kind, `${session}-${number}`);
    throw error;
  }
}

function unknown(kind: RequestKind, wanted: string | undefined): AgentError {
  const list = kind === "permission" ? "`mix agent permit ls`" : "`mix agent answer`";
  if (wanted === undefined)
    return ownError("REQUEST_UNKNOWN", `no ${kind} is open, so there is nothing to answer; ${list} lists what is open`);
  return ownError("REQUEST_UNKNOWN", `no open ${kind} ${wanted}; ${list} lists what is open`);
}

function listed(requests: readonly Open[]): string {
  return formatTable(requests.slice(0, listedMax).map((one) => [one.request, subjectOfRequest(one)])).join("\n");
}

const listedMax = 16;
