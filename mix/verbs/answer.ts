// SPDX-License-Identifier: MIT OR Apache-2.0
import type { VerbInput } from "../../agentd/vocabulary/verbs.ts";
import type { AgentBus } from "../bus/ask.ts";
import { done } from "../process/exit-codes.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { formContent } from "../form-fields.ts";
import { type LoggedRequest, loggedRequest } from "../questions/logged-question.ts";
import { usageError } from "../process/mix-error.ts";
import { commandIdFlag, commandIdMember } from "../input/verb.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { type ElicitationQuestion, renderElicitation, renderElicitationResolution } from "../view/elicitation.ts";
import { detectScreen } from "../view/live-view.ts";
import { formatElicitationTable, describeUnlisted } from "../view/reply-tables.ts";

export const spec: VerbSpec = {
  usage: "agent answer [request] [field=value…]",
  about:
    "Tells an agent what it wants to be told. Without a request, lists what is asked; a field that takes several values is written several times. Of an address, the bare request says that you will open it: nothing here does.",
  flags: {
    decline: { kind: "switch", about: "say no" },
    cancel: { kind: "switch", about: "leave it without an answer" },
    show: { kind: "switch", about: "show the question, and how it was answered" },
    session: { kind: "text", value: "SESSION", about: "of the list: of this session" },
    ...commandIdFlag,
  },
  positionals: { min: 0, max: 1_000 },
  examples: ["mix agent answer", "mix agent answer abcdefghijkl-1 name=Ann colour=red colour=blue"],
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, connect, context } = invocation;
  const [request, ...words] = args.positionals;
  const action = chooseAction(args.switch("decline"), args.switch("cancel"));
  if (words.length > 0 && (action !== "accept" || args.switch("show")))
    throw usageError("fields go with an answer alone");
  if (request === undefined) return list(invocation);
  const bus = await connect("agentd");
  if (args.switch("show")) return show(invocation, await findElicitation(bus, request, context.now()));
  // Only fields are turned into values by the form.
  const content =
    words.length === 0
      ? {}
      : { content: formContent((await findElicitation(bus, request, context.now())).asked.schema, words) };
  return answer(invocation, bus, { request, action, ...content });
}

function chooseAction(declines: boolean, cancels: boolean): "accept" | "decline" | "cancel" {
  if (declines && cancels) throw usageError("--decline and --cancel exclude each other");
  return declines ? "decline" : cancels ? "cancel" : "accept";
}

async function list({ args, context, output, read }: Invocation): Promise<Outcome> {
  const session = args.text("session");
  const bus = await read("agentd");
  const { requests, more } = await bus.ask("agent.elicitation.list", session === undefined ? {} : { session });
  if (more) output.notice(describeUnlisted("elicitation", session));
  if (output.mode === "json") await output.document("mix.elicitations.v1", more ? { requests, more } : { requests });
  else if (output.mode === "ids") for (const { request } of requests) await output.line(request);
  else if (requests.length === 0) output.word("no open questions");
  else for (const line of formatElicitationTable(requests, context.now())) await output.line(line);
  return done;
}

async function show({ context, output }: Invocation, { asked, resolved }: FoundElicitation): Promise<Outcome> {
  const { style } = detectScreen(context);
  const { schema: form, ...question } = asked;
  const shown = { ...question, ...(form === undefined ? {} : { form }), resolved: resolved ?? null };
  if (output.mode === "json") await output.document("mix.elicitation.v1", shown);
  else if (output.mode === "ids") await output.line(asked.request);
  else {
    for (const line of renderElicitation(asked, style, resolved === undefined)) await output.line(line);
    if (resolved !== undefined) await output.line(renderElicitationResolution(resolved, style));
  }
  return done;
}

async function answer(
  { args, output }: Invocation,
  bus: AgentBus,
  given: VerbInput<"agent.elicitation.answer">,
): Promise<Outcome> {
  const reply = await bus.ask("agent.elicitation.answer", { ...given, ...commandIdMember(args) });
  if (output.mode === "json") await output.document("mix.answered.v1", reply);
  else if (output.mode === "people") output.word(`${given.request}: ${reply.outcome}`);
  return done;
}

interface FoundElicitation {
  readonly asked: ElicitationQuestion;
  readonly resolved?: LoggedRequest<"elicitation">["resolved"];
}

async function findElicitation(bus: AgentBus, request: string, now: number): Promise<FoundElicitation> {
  const { requests } = await bus.ask("agent.elicitation.list", { request });
  const [open] = requests;
  if (open !== undefined) return { asked: { ...open, now: new Date(now).toISOString() } };
  const { requested, resolved } = await loggedRequest(bus, request, "elicitation", "mix agent answer");
  return { asked: requested, ...(resolved === undefined ? {} : { resolved }) };
}
