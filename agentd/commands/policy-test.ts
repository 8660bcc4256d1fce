// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.policy.test: shows what a policy would answer to a logged or made-up request. It resolves no request.
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Answer } from "../../bus-client/index.ts";
import type { PolicySettings } from "../config/settings.ts";
import { realPathOf } from "../instance/directories.ts";
import type { Log } from "../log/open.ts";
import { parseWhole, readPages } from "../log/read.ts";
import { collectEvidence } from "../people/policy-evidence.ts";
import { evaluatePolicy, foreignSessionReason } from "../session/core/requests/policy.ts";
import { noFacts, type ToolCallReport, type ToolCallFacts, ToolCallHistory } from "../people/tool-call-facts.ts";
import { sessionOfRequest } from "../session/session-id.ts";
import { type Entry, isAnnouncement, type PolicyTestReply, type ToolCallFields } from "../vocabulary/index.ts";
import { unknownRequest } from "./answer-request.ts";
import { type Call, type Handler, ok, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { unknownPolicy } from "./session-start.ts";

type Parts = Pick<Instance, "log" | "sessions" | "limits" | "settings" | "directoryRules">;

export const testPolicy: Handler<"agent.policy.test", keyof Parts> = async (instance, { args }) => {
  const { policy: name, request } = args;
  const policy = instance.settings().policies.get(name);
  if (!policy) return unknownPolicy(instance, name);
  const asked = typeof request === "string" ? await readLoggedRequest(instance, request) : readMadeUpRequest(request);
  return "rc" in asked ? asked : ok(answerRequest(name, policy, asked, instance));
};

interface TestedRequest {
  /** Earlier updates of the tool call. */
  readonly before: ToolCallFacts;
  readonly call: Partial<ToolCallFields>;
  /** The kind that the request itself gives. */
  readonly kind: string | null | undefined;
  readonly options: readonly { readonly option: string; readonly kind: string }[];
  readonly sessionDirectories: readonly string[];
  /** The request came from a session of the agent that agentd did not open. */
  readonly isForeign?: boolean;
}

function answerRequest(
  name: string,
  policy: PolicySettings,
  asked: TestedRequest,
  { directoryRules, limits }: Parts,
): PolicyTestReply {
  const { before, call, kind, options, sessionDirectories, isForeign } = asked;
  if (isForeign) return { policy: name, outcome: "ask", why: foreignSessionReason };
  const { reserved } = directoryRules();
  const evidence = collectEvidence(before, toSaid(call), { policy, reserved, pathsMax: limits.policyPathsMax });
  const answer = evaluatePolicy(policy, { kind, options, sessionDirectories, evidence });
  if ("ask" in answer) return { policy: name, outcome: "ask", why: answer.ask };
  return { policy: name, outcome: "allow_once", option: answer.answer, rule: answer.rule, why: answer.why };
}

type MadeUpRequest = Exclude<Call<"agent.policy.test">["args"]["request"], string>;

function readMadeUpRequest({ tool_call: call, options, cwd }: MadeUpRequest): TestedRequest | Answer {
  const directory = cwd === undefined ? undefined : realPathOf(cwd);
  if (cwd !== undefined && directory === undefined) {
    return refuse("ARGUMENT", "request.cwd: must be an absolute path of a directory", { field: "request.cwd" });
  }
  const sessionDirectories = directory === undefined ? [] : [directory];
  return { before: noFacts, call, kind: call.tool_kind, options, sessionDirectories };
}

/** Reads the request from the log, with the updates that its agent had sent for the tool call by then. */
async function readLoggedRequest({ log, sessions, limits }: Parts, request: string): Promise<TestedRequest | Answer> {
  const session = sessionOfRequest(request);
  const state = session === undefined ? undefined : sessions.get(session);
  if (session === undefined || !state) return unknownRequest(request);
  let sights = new ToolCallHistory(limits.openToolCallsMax, limits.policyPathsMax);
  for await (const entry of readEntries(log, session)) {
    // Updates of an earlier run do not count.
    if (entry.kind === "state" && entry.agent !== undefined) {
      sights = new ToolCallHistory(limits.openToolCallsMax, limits.policyPathsMax);
    }
    const call = entry.kind === "permission" ? entry.tool_call : entry.kind === "tool_call" ? entry : undefined;
    if (!call) continue;
    // Tool call ids are unique only within one session of the agent.
    const isForeign = entry.kind === "permission" && entry.agent_session !== undefined;
    const before = isForeign ? noFacts : sights.record(call.tool_call_id, toSaid(call, entry.kind === "tool_call"));
    if (entry.kind !== "permission" || entry.request !== request) continue;
    const { cwd, additionalDirs } = state;
    const kind = entry.said_before?.includes("tool_kind") === true ? undefined : call.tool_kind;
    const sessionDirectories = [cwd, ...additionalDirs];
    return { before, call, kind, options: entry.options ?? [], sessionDirectories, isForeign };
  }
  return unknownRequest(request);
}

async function* readEntries({ entries }: Log, session: string): AsyncGenerator<Entry> {
  for (const page of readPages(entries, { session, kinds: ["state", "tool_call", "permission"] })) {
    for (const text of page.entries) {
      const entry = parseWhole(entries, session, text);
      if (entry !== undefined) yield entry;
    }
    await yieldToEventLoop();
  }
}

function toSaid(call: Partial<ToolCallFields>, isUpdate = false): ToolCallReport {
  const { title, tool_kind: kind, status, locations, content } = call;
  return { kind, locations, content, announces: isUpdate && isAnnouncement(title, kind, status) };
}
