// SPDX-License-Identifier: MIT OR Apache-2.0
import { RPC } from "../acp-client/jsonrpc/message.ts";
import type { SessionSnapshot } from "../agentd/vocabulary/replies.ts";
import { RequestError } from "./agent-side/request-error.ts";
import { isRefusal } from "./face-error.ts";
import type { Gateway } from "./gateway.ts";
import type { SessionPage } from "./agent-side/agent.ts";
import { sessionPage } from "./mapping/session-page.ts";

export interface ListFilter {
  readonly agent: string | undefined;
  readonly cwd: string | undefined;
  readonly cursor: string | undefined;
}

/** Sessions in a page. One client reads a single one. */
const pageMax = 50;
/** So many pages of agentd are read for one, since sessions that an editor is not told of are left out. */
const readsMax = 10;

/** Reads on until there is something to show, so that an editor which reads one page sees the newest sessions. */
export async function listPage(gateway: Gateway, { agent, cwd, cursor }: ListFilter): Promise<SessionPage> {
  let after = cursor;
  for (let reads = 1; ; reads += 1) {
    const page = sessionPage(await gateway.ask("agent.session.list", { agent, cwd, after, limit: pageMax }));
    if (page.sessions.length > 0 || page.nextCursor === undefined || reads === readsMax) return page;
    after = page.nextCursor;
  }
}

/** A live session in which nothing runs is closed before. One that does not exist is forgotten already. */
export async function forgetSession(gateway: Gateway, session: string): Promise<void> {
  const found = await findSession(gateway, session);
  if (found === undefined) return;
  const forget = () => gateway.ask("agent.session.forget", { session, command_id: gateway.newCommandId() });
  try {
    await forget();
  } catch (error) {
    if (!isRefusal(error, "SESSION_STATE")) throw error;
    if (found.running !== null) throw new RequestError(RPC.invalidParams, "the session is in use: a turn is running");
    await gateway.ask("agent.session.close", { session, command_id: gateway.newCommandId() });
    await gateway.ask("agent.session.wait", { session, until: "ended", timeout_ms: endedMsMax });
    await forget();
  }
}

/** Returns undefined for a session that is forgotten, or that agentd found by its name or the beginning of its id. */
export async function findSession(gateway: Gateway, id: string): Promise<SessionSnapshot | undefined> {
  try {
    const snapshot = await gateway.ask("agent.session.get", { session: id });
    return snapshot.session === id && snapshot.forgotten !== true ? snapshot : undefined;
  } catch (error) {
    if (isRefusal(error, "SESSION_UNKNOWN")) return undefined;
    throw error;
  }
}

/** How long an idle agent may take to end. */
const endedMsMax = 20_000;
