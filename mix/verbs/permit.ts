// SPDX-License-Identifier: MIT OR Apache-2.0
import { type PermissionChoice, type PermissionEntry, titleWithName } from "../../agentd/vocabulary/entries.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { printableLine } from "../../display/printable.ts";
import { wrapped } from "../../display/styled.ts";
import { findLoggedRequest, withFullToolCall } from "../../agent-client/entries/logged-question.ts";
import { askYesOrNo } from "../attach/ask-yes-or-no.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { sessionNames } from "../references/session-names.ts";
import { requestReference } from "../references/request-reference.ts";
import { misused } from "../input/arguments.ts";
import { withKind } from "../questions/subject.ts";
import { decisionFor } from "../questions/permission-decision.ts";
import { commandIdFlag, type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { sayHowToWatch } from "../watch/say-next-step.ts";
import { detectScreen } from "../view/live-view.ts";
import { renderPermission, renderPermissionResolution, type PermissionRequest } from "../view/permission.ts";
import { detectFit } from "../view/table.ts";
import { formatPermissionTable, describeUnlisted } from "../view/reply-tables.ts";

export const spec: VerbSpec = {
  usage: "agent permit ls | show [request] | allow [request] | deny [request]",
  about:
    "Lists and answers agents' permission requests. `allow` takes the only option that allows once; `deny` takes the first that rejects once, or else cancels. Choose any other with --option: `deny` takes only kinds reject_…, `allow` all other kinds, even one that mix does not know. A request is its id, `<session>-<number>`, its number, or, if only one is open, nothing.",
  flags: {
    option: { kind: "text", value: "OPTION", about: "choose this option, as `permit show` lists it", isMain: true },
    session: { kind: "text", value: "SESSION", about: "with ls: only this session's requests" },
    ...tableFlag,
    ...commandIdFlag,
  },
  positionals: { min: 1, max: 2 },
  examples: ["mix agent permit allow", "mix agent permit deny abc-1"],
};

export async function run(invocation: Invocation): Promise<Outcome | void> {
  const { args, context } = invocation;
  const action = args.word(0);
  if (action === "ls" && args.positionals.length === 1) return list(invocation);
  if (action !== "show" && action !== "allow" && action !== "deny")
    throw misused(spec.usage, `unknown command ${action}`);
  const bus = await invocation.connect("agentd");
  const { request, isNamed } = await requestReference(invocation, bus, "permission", args.positionals[1]);
  const found = await findPermission(bus, request, context.now());
  if (action === "show") return show(invocation, found);
  // Another request may have taken the place of the one that the person has read.
  if (action === "allow" && !isNamed && isInteractive(invocation)) {
    await show(invocation, found, false);
    if (!(await askYesOrNo(context, "allow it?"))) return leftOpen(invocation, request);
  }
  return answer(invocation, bus, action, found.permission);
}

interface FoundPermission {
  readonly permission: PermissionRequest & { readonly options: readonly PermissionChoice[] };
  /** The entry that resolved the request, if it is resolved. */
  readonly resolved?: PermissionEntry;
}

async function list({ args, context, output, read }: Invocation): Promise<void> {
  const session = args.text("session");
  const bus = await read("agentd");
  const { requests, more } = await bus.ask("agent.permission.list", { session });
  if (more) output.notice(describeUnlisted("permission", session));
  if (output.mode === "json") await output.document("mix.requests.v1", more ? { requests, more } : { requests });
  else if (output.mode === "ids") for (const { request } of requests) await output.line(request);
  else if (requests.length === 0) output.word("no open requests");
  else {
    const fit = detectFit(context, args.switch("no-trunc"));
    for (const line of formatPermissionTable(requests, await sessionNames(bus), context.now(), fit))
      await output.line(line);
    output.word(`to answer: mix agent permit show ${requests[0]?.request}   then: allow or deny`);
  }
}

function leftOpen({ output }: Invocation, request: string): Outcome {
  output.word(`${request} is still open; to deny it: mix agent permit deny ${request}`);
  return { kind: "refused", code: "UNANSWERED" };
}

async function show(
  { context, output }: Invocation,
  { permission, resolved }: FoundPermission,
  namesCommands = resolved === undefined,
): Promise<void> {
  if (output.mode === "json") return output.document("mix.request.v1", { ...permission, resolved: resolved ?? null });
  if (output.mode === "ids") return output.line(permission.request);
  const screen = detectScreen(context);
  // Everything is shown in full, because a person decides by it.
  const options = { ...screen, isWhole: true, isOpen: namesCommands };
  for (const line of renderPermission(permission, options)) await output.line(wrapped(line, screen.columns, 2));
  if (resolved !== undefined) await output.line(renderPermissionResolution(resolved, screen.style));
}

async function answer(
  invocation: Invocation,
  bus: AgentBus,
  action: "allow" | "deny",
  { request, options, tool_call: tool }: FoundPermission["permission"],
): Promise<void> {
  const { args, output } = invocation;
  const decision = decisionFor(action, options, args.text("option"));
  const reply = await bus.ask("agent.permission.answer", {
    request,
    ...decision,
    command_id: args.text("id"),
  });
  if (output.mode === "json") return output.document("mix.answered.v1", reply);
  if (output.mode === "ids") return output.line(request);
  const chosen = options.find(({ option }) => option === reply.option);
  const verdict = reply.option === undefined ? reply.outcome : action === "allow" ? "allowed" : "denied";
  const about = withKind(tool?.tool_kind, titleWithName(tool ?? {}));
  // Of an option that answers once, the verdict says it all.
  const choice = chosen === undefined || chosen.kind.endsWith("_once") ? "" : ` (${chosen.name})`;
  await output.line(printableLine(`${request} ${verdict}${about === "" ? "" : `: ${about}`}${choice}`));
  await sayHowToWatch(invocation, bus, reply.session);
}

async function findPermission(bus: AgentBus, request: string, now: number): Promise<FoundPermission> {
  const { requests } = await bus.ask("agent.permission.list", { request });
  const [open] = requests;
  const present = open === undefined ? {} : { now: new Date(now).toISOString() };
  if (open !== undefined) return { permission: { ...(await withFullToolCall(bus, open)), ...present } };
  const { requested, resolved } = await findLoggedRequest(bus, request, "permission", "mix agent permit ls");
  const { options = [], ...permission } = await withFullToolCall(bus, requested, requested.seq);
  return { permission: { ...permission, options }, ...(resolved === undefined ? {} : { resolved }) };
}
