// SPDX-License-Identifier: MIT OR Apache-2.0
// session/new, session/load and session/resume, up to where the editor is answered.
import { setImmediate } from "node:timers/promises";
import type { McpServer } from "../../acp-client/model.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import type { NewSession, RestoredSession } from "../agent-side/agent.ts";
import { sessionNotFound } from "../face-error.ts";
import { findSession } from "../session-list.ts";
import { aborted } from "./aborted.ts";
import { FaceSession, type FaceSurroundings } from "./face-session.ts";

/** An editor may know a session only some time after the reply with its id, and drops updates until then. */
const knownAfterMs = 250;

/**
 * Starts a session of the agent. Its updates go out some time after the reply, or when the editor names it. When the
 * signal is aborted the session is closed.
 */
export async function startSession(
  around: FaceSurroundings,
  agent: string,
  { cwd, additionalDirectories, mcpServers = [] }: NewSession,
  signal: AbortSignal,
): Promise<FaceSession> {
  const { gateway, clock } = around;
  const { session: id } = await gateway.ask("agent.session.start", {
    agent,
    cwd,
    additional_dirs: [...additionalDirectories],
    mcp_servers: mcpServers.map(forAgentd),
    command_id: gateway.newCommandId(),
  });
  const session = new FaceSession(around, { id, agent, cwd, additionalDirs: additionalDirectories, isNew: true });
  try {
    session.follow(0);
    const ready = session.attach().then(() => session.commands.ready());
    await Promise.race([ready, aborted(signal)]);
    signal.throwIfAborted();
  } catch (error) {
    await session.end();
    throw error;
  }
  clock.after(knownAfterMs, () => session.release());
  return session;
}

/**
 * Opens a session that is there, and resumes it if it has ended. With `replays` its history is written. What comes after
 * that goes out when the reply is written. The agent keeps the directories with which the session was started.
 */
export async function restoreSession(
  around: FaceSurroundings,
  { sessionId: id, cwd, additionalDirectories }: RestoredSession,
  { replays }: { readonly replays: boolean },
): Promise<FaceSession> {
  const before = await findSession(around.gateway, id);
  if (before === undefined) throw sessionNotFound(id);
  const { agent } = before;
  const additionalDirs = [...before.additional_dirs, ...additionalDirectories];
  const session = new FaceSession(around, { id, agent, cwd, additionalDirs, isNew: false });
  try {
    session.facts.adopt(before);
    session.follow(before.last_seq);
    if (session.facts.isLive) await session.attach();
    else await session.commands.resume();
    await session.commands.ready();
    if (replays) await session.replay(before.running?.turn, before.last_seq);
  } catch (error) {
    await session.end();
    throw error;
  }
  releaseAfterReply(session, before);
  return session;
}

/** Writes the history of a session again that is open here already. */
export async function reloadSession(session: FaceSession): Promise<void> {
  await session.hold();
  try {
    await session.replay(session.facts.running);
  } finally {
    releaseAfterReply(session);
  }
}

function releaseAfterReply(session: FaceSession, before?: SessionSnapshot): void {
  void setImmediate().then(() => session.release(before));
}

function forAgentd(server: McpServer) {
  if ("command" in server) return { ...server, args: [...server.args], env: [...server.env] };
  return { ...server, headers: [...server.headers] };
}
