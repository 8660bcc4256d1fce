// SPDX-License-Identifier: MIT OR Apache-2.0
// Posts acting commands to the mailbox, and waits for their replies.
import type { Answer } from "../../bus-client/index.ts";
import type { Command, SessionCommand } from "../session/core/input.ts";
import type { CallerToken } from "../session/core/state.ts";
import type { Input } from "../session/mailbox/posted-input.ts";
import { type Call, findSession } from "./call.ts";
import type { Instance } from "./instance.ts";

type Poster = Pick<Instance, "callers" | "mailbox">;
type SessionVerb = SessionCommand["verb"];

type VerbInSession =
  | "agent.session.cancel"
  | "agent.session.set_config"
  | "agent.session.close"
  | "agent.session.forget";

/** Handles the verbs that the session's step decides without further lookups. */
export function handleInSession<V extends VerbInSession>(
  instance: Poster & Pick<Instance, "log">,
  call: Call<V>,
): Answer | Promise<Answer> {
  const session = findSession(instance, call.args.session);
  return typeof session === "string" ? postToSession(instance, withSession(call, session), session) : session;
}

/** Names the session by its id, so that a retry by another name is the same command. */
export function withSession<V extends SessionVerb | "agent.session.resume">(call: Call<V>, session: string): Call<V> {
  return { ...call, args: { ...call.args, session } };
}

/** `session`: an id, or the instance for commands that concern no session. */
export function postToSession<V extends SessionVerb>(
  { callers, mailbox }: Poster,
  call: Call<V>,
  session: string,
): Promise<Answer> {
  return new Promise((resolve) => {
    const command = toCommand(call, callers.add(resolve)) as unknown as SessionCommand;
    mailbox.post(session, { type: "command", command });
  });
}

/**
 * Posts the input that `lookUp` returns. A retry is answered before, since lookups may have other results now. `scope`:
 * where the command id is unique.
 */
export function postLookedUp<
  V extends
    | "agent.session.start"
    | "agent.session.resume"
    | "agent.session.rename"
    | "agent.session.prompt"
    | "agent.probe",
>(
  { callers, mailbox }: Poster,
  call: Call<V>,
  scope: string,
  lookUp: (caller: CallerToken) => Answer | { readonly session: string; readonly input: Input },
): Promise<Answer> {
  return new Promise((resolve) => {
    const caller = callers.add(resolve);
    const stored = mailbox.findReply(scope, { ...call, caller });
    if (stored === "pending") return;
    if (stored) return callers.reply(stored);
    const found = lookUp(caller);
    if ("rc" in found) callers.reply({ caller, ...found });
    else mailbox.post(found.session, found.input);
  });
}

/** `logged`: the arguments that its entry shows, once they are redacted. */
export function toCommand<V extends Call["verb"]>(
  call: Call<V>,
  caller: CallerToken,
  logged: Readonly<Record<string, unknown>> = call.args,
): Command<V> {
  return { ...call, caller, redactedArgs: redactArguments(logged) };
}

const omittedArguments: ReadonlySet<string> = new Set(["command_id", "session", "prompt", "content", "mcp_servers"]);

interface ServerShape {
  readonly name: string;
  readonly type?: string;
  readonly url?: string;
  readonly env?: readonly { readonly name: string }[];
  readonly headers?: readonly { readonly name: string }[];
}

/**
 * Reduces a command's arguments to what its entry may show: no value that may be a secret, and neither a prompt's text
 * nor a form's content, which have entries of their own.
 */
function redactArguments(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const redacted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args))
    if (!omittedArguments.has(name) && value !== undefined) redacted[name] = value;
  const servers = args["mcp_servers"] as readonly ServerShape[] | undefined;
  if (servers !== undefined && servers.length > 0) redacted["mcp_servers"] = servers.map(redactServer);
  return redacted;
}

/** Keeps only names: arguments, URLs and values may contain a token. */
function redactServer(server: ServerShape): Record<string, unknown> {
  const { name, type, env, headers } = server;
  return {
    name,
    ...(type === undefined ? {} : { type }),
    ...(env === undefined ? {} : { env: env.map((variable) => variable.name) }),
    ...(headers === undefined ? {} : { headers: headers.map((header) => header.name) }),
  };
}
