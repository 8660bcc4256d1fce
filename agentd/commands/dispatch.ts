// SPDX-License-Identifier: MIT OR Apache-2.0
// Dispatches a request of the Bus to the handler of its verb. Arguments are parsed here, and trusted from here on.
import * as z from "zod";
import type { Answer, Request, Verb as BusVerb } from "../../bus-client/index.ts";
import { LogError } from "../log/log-error.ts";
import { OwnFileGone } from "../own-file-gone.ts";
import {
  type ErrorBody,
  errorBody,
  isActing,
  parseArguments,
  type Verb,
  verbArguments,
  verbDescriptions,
  verbs,
} from "../vocabulary/index.ts";
import { answerRequest } from "./answer-request.ts";
import { type Call, type Handler, refusal, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { login } from "./login.ts";
import { prune, purge, redact, stats, verify } from "./log-maintenance.ts";
import { listElicitations, listPermissions } from "./list-requests.ts";
import { testPolicy } from "./policy-test.ts";
import { probe } from "./probe.ts";
import { prompt } from "./session-prompt.ts";
import { checkSender } from "./sender.ts";
import { handleInSession } from "./post-command.ts";
import { getSession } from "./session-get.ts";
import { listSessions } from "./session-list.ts";
import { readLog } from "./session-log.ts";
import { rename } from "./session-rename.ts";
import { resume } from "./session-resume.ts";
import { start } from "./session-start.ts";
import { attach, detach } from "./session-attach.ts";
import { waitForSession } from "./session-wait.ts";
import { listAgents, status } from "./status.ts";

const handlers: { readonly [V in Verb]: Handler<V> } = {
  "agent.session.start": start,
  "agent.session.resume": resume,
  "agent.session.prompt": prompt,
  "agent.session.cancel": handleInSession,
  "agent.session.set_config": handleInSession,
  "agent.session.close": handleInSession,
  "agent.session.rename": rename,
  "agent.session.forget": handleInSession,
  "agent.session.attach": attach,
  "agent.session.detach": detach,
  "agent.permission.answer": answerRequest,
  "agent.elicitation.answer": answerRequest,
  "agent.login": login,
  "agent.session.purge": purge,
  "agent.log.prune": prune,
  "agent.log.redact": redact,
  "agent.probe": probe,
  "agent.list": listAgents,
  "agent.status": status,
  "agent.session.list": listSessions,
  "agent.session.get": getSession,
  "agent.session.log": readLog,
  "agent.session.wait": waitForSession,
  "agent.log.verify": verify,
  "agent.log.stats": stats,
  "agent.permission.list": listPermissions,
  "agent.elicitation.list": listElicitations,
  "agent.policy.test": testPolicy,
};

/** Waits have a concurrency limit of their own, so that they never crowd out a cancel. */
export const waitPool = "wait";

export function busVerbs(instance: Instance): BusVerb[] {
  return verbs.map((name) => ({
    name,
    args: argumentNames(name),
    description: verbDescriptions[name],
    readOnly: !isActing(name),
    ...(name === "agent.session.wait" ? { pool: waitPool } : {}),
    handler: (request) => dispatch(instance, name, request),
  }));
}

async function dispatch(instance: Instance, verb: Verb, request: Request): Promise<Answer> {
  const parsed = parseArguments(verbArguments[verb], request.args);
  if (!parsed.ok) return refuse("ARGUMENT", parsed.error.message, { field: parsed.error.field });
  const call = { verb, args: parsed.args, by: request.from, origin: request.origin };
  // The table gives each verb the handler of its own arguments; the compiler cannot follow that through a union.
  const handler = handlers[verb] as Handler<Verb>;
  try {
    // Inside the `try`, since the check reads the log.
    const refused = isActing(verb) ? checkMayAct(instance, call) : undefined;
    if (refused) return refusal(refused);
    instance.mailbox.endOverdue();
    return withConfigProblem(instance, await handler(instance, call));
  } catch (error) {
    const gone = isModuleGone(error) ? new OwnFileGone("a part of agentd", { cause: error }) : error;
    if (gone instanceof OwnFileGone) return refuse("AGENTD_OUTDATED", gone.message);
    if (!(error instanceof LogError)) throw error;
    return refuse("STORE_FAILED", `the log cannot be read or written: ${error.message}`, { reason: error.code });
  }
}

/** Says so if the refusal may come from settings that a refused edit of the configuration was to change. */
function withConfigProblem({ configProblem }: Pick<Instance, "configProblem">, answer: Answer): Answer {
  const problem = answer.rc < 10 ? undefined : configProblem();
  if (problem === undefined) return answer;
  const body = JSON.parse(answer.body) as ErrorBody;
  if (!isOfSettings(body)) return answer;
  const message = `${body.message}; the configuration file was changed and refused, so earlier settings are in force: ${problem}`;
  return refusal({ ...body, message, config_problem: problem });
}

function isOfSettings({ error_code: code, field, reason }: ErrorBody): boolean {
  if (code === "ARGUMENT") return field === "policy" || field === "env";
  return settingsCodes.has(code) || reason === "quota";
}

const settingsCodes: ReadonlySet<string> = new Set([
  "AGENT_UNKNOWN",
  "AGENT_UNAVAILABLE",
  "AGENT_LIMIT",
  "ROOT_REFUSED",
]);

/** True if a module that is loaded lazily is no longer on disk. */
function isModuleGone(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}

function checkMayAct(
  instance: Pick<Instance, "log" | "sessions" | "settings" | "quota" | "stopping">,
  call: Call,
): ErrorBody | undefined {
  const refused = checkSender(instance, call);
  if (refused) return refused;
  if (instance.stopping()) return errorBody("BUSY", "agentd is stopping");
  return growingVerbs.has(call.verb) ? checkQuota(instance) : undefined;
}

/** Verbs that make the log grow. A full log refuses only these, not those that end things or make room. */
const growingVerbs: ReadonlySet<Verb> = new Set([
  "agent.session.start",
  "agent.session.resume",
  "agent.session.prompt",
]);

function checkQuota({ quota, settings }: Pick<Instance, "quota" | "settings">): ErrorBody | undefined {
  const level = quota.level();
  if (level === "plenty" || level === "warning") return undefined;
  return errorBody("STORE_FAILED", "the log has reached its quota; purge or prune old sessions, or raise log_quota", {
    reason: "quota",
    used_bytes: quota.used(),
    quota_bytes: settings().logQuotaBytes,
  });
}

/** Lists a verb's arguments for HELP. A trailing question mark marks an optional one. */
function argumentNames(verb: Verb): string[] {
  const schema = z.toJSONSchema(verbArguments[verb], { io: "input", unrepresentable: "any" });
  const branches = (schema.anyOf ?? [schema]) as { properties?: Record<string, unknown>; required?: string[] }[];
  const names = new Set(branches.flatMap(({ properties }) => Object.keys(properties ?? {})));
  return [...names].map((name) => (branches.every(({ required }) => required?.includes(name)) ? name : `${name}?`));
}
