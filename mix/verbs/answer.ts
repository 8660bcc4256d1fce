// SPDX-License-Identifier: MIT OR Apache-2.0
import type { VerbInput } from "../../agentd/vocabulary/verbs.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { formContent } from "../input/assignments.ts";
import { type LoggedRequest, findLoggedRequest } from "../../agent-client/entries/logged-question.ts";
import { sessionNames } from "../references/session-names.ts";
import { requestReference } from "../references/request-reference.ts";
import { usageError } from "../process/mix-error.ts";
import { commandIdFlag, type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { type ElicitationRequest, renderElicitation, renderElicitationResolution } from "../view/elicitation.ts";
import { sayHowToWatch } from "../watch/say-next-step.ts";
import { detectScreen } from "../view/live-view.ts";
import { detectFit } from "../view/table.ts";
import { formatElicitationTable, describeUnlisted } from "../view/reply-tables.ts";

export const spec: VerbSpec = {
  usage: "agent answer [request] [field=value…]",
  about:
    "Answers an elicitation: an agent's request for input. Alone, lists the open ones. A request is its id, `<session>-<number>`, its number, or, if only one is open, nothing. Repeat a field to give it several values. For a URL, answer with the request alone to agree to open it; mix does not open it.",
  flags: {
    decline: { kind: "switch", about: "decline to answer", isMain: true },
    cancel: { kind: "switch", about: "cancel the request without an answer", isMain: true },
    show: { kind: "switch", about: "show the question and its answer, if any", isMain: true },
    session: { kind: "text", value: "SESSION", about: "list only this session's requests" },
    ...tableFlag,
    ...commandIdFlag,
  },
  positionals: { min: 0, max: 1_000 },
  examples: ["mix agent answer abc-1 name=Ann colour=red colour=blue", "mix agent answer --decline"],
};

export async function run(invocation: Invocation): Promise<void> {
  const { args, connect, context } = invocation;
  const [first] = args.positionals;
  // No request's reference contains an equals sign.
  const isFirstField = first?.includes("=") === true;
  const words = isFirstField ? args.positionals : args.positionals.slice(1);
  const action = chooseAction(args.switch("decline"), args.switch("cancel"));
  if (words.length > 0 && (action !== "accept" || args.switch("show")))
    throw usageError("fields cannot be combined with --decline, --cancel or --show");
  if (first === undefined && action === "accept" && !args.switch("show")) return list(invocation);
  const bus = await connect("agentd");
  const wanted = isFirstField ? undefined : first;
  const { request } = await requestReference(invocation, bus, "elicitation", wanted);
  if (args.switch("show")) return show(invocation, await findElicitation(bus, request, context.now()));
  // The form is only needed to convert fields to values.
  const schema = words.length === 0 ? undefined : (await findElicitation(bus, request, context.now())).asked.schema;
  const content = words.length === 0 ? undefined : formContent(schema, words);
  return answer(invocation, bus, { request, action, content });
}

function chooseAction(declines: boolean, cancels: boolean): "accept" | "decline" | "cancel" {
  if (declines && cancels) throw usageError("--decline and --cancel exclude each other");
  return declines ? "decline" : cancels ? "cancel" : "accept";
}

async function list({ args, context, output, read }: Invocation): Promise<void> {
  const session = args.text("session");
  const bus = await read("agentd");
  const { requests, more } = await bus.ask("agent.elicitation.list", { session });
  if (more) output.notice(describeUnlisted("elicitation", session));
  if (output.mode === "json") await output.document("mix.elicitations.v1", more ? { requests, more } : { requests });
  else if (output.mode === "ids") for (const { request } of requests) await output.line(request);
  else if (requests.length === 0) output.word("no open questions");
  else {
    const fit = detectFit(context, args.switch("no-trunc"));
    for (const line of formatElicitationTable(requests, await sessionNames(bus), context.now(), fit))
      await output.line(line);
    output.word(`to answer: mix agent answer ${requests[0]?.request} --show`);
  }
}

async function show({ context, output }: Invocation, { asked, resolved }: FoundElicitation): Promise<void> {
  const { style } = detectScreen(context);
  const { schema: form, ...question } = asked;
  const document = { ...question, ...(form === undefined ? {} : { form }), resolved: resolved ?? null };
  if (output.mode === "json") await output.document("mix.elicitation.v1", document);
  else if (output.mode === "ids") await output.line(asked.request);
  else {
    for (const line of renderElicitation(asked, style, resolved === undefined)) await output.line(line);
    if (resolved !== undefined) await output.line(renderElicitationResolution(resolved, style));
  }
}

async function answer(
  invocation: Invocation,
  bus: AgentBus,
  input: VerbInput<"agent.elicitation.answer">,
): Promise<void> {
  const { args, output } = invocation;
  const reply = await bus.ask("agent.elicitation.answer", { ...input, command_id: args.text("id") });
  if (output.mode === "json") return output.document("mix.answered.v1", reply);
  if (output.mode === "ids") return output.line(input.request);
  const outcomes = { accept: "accepted", decline: "declined", cancel: "cancelled" };
  await output.line(`${input.request} ${outcomes[reply.outcome]}`);
  await sayHowToWatch(invocation, bus, reply.session);
}

interface FoundElicitation {
  readonly asked: ElicitationRequest;
  readonly resolved?: LoggedRequest<"elicitation">["resolved"];
}

async function findElicitation(bus: AgentBus, request: string, now: number): Promise<FoundElicitation> {
  const { requests } = await bus.ask("agent.elicitation.list", { request });
  const [open] = requests;
  if (open !== undefined) return { asked: { ...open, now: new Date(now).toISOString() } };
  const { requested, resolved } = await findLoggedRequest(bus, request, "elicitation", "mix agent answer");
  return { asked: requested, ...(resolved === undefined ? {} : { resolved }) };
}
