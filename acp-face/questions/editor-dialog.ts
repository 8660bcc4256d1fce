// SPDX-License-Identifier: MIT OR Apache-2.0
// Asks the editor one question and turns its answer into arguments of agentd's verbs. Nothing but an option that was
// shown allows: an error, another option and anything malformed deny. An editor that does not have the method has not
// answered, and the question is left to others: the call rejects.
import type { VerbInput } from "../../agentd/vocabulary/verbs.ts";
import type { ElicitationEntry, PermissionEntry } from "../../agentd/vocabulary/entries.ts";
import { decisionFor, type Decision } from "../../agent-client/view/decision.ts";
import { numberOf } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";
import type { Client } from "../agent-side/client.ts";
import { shownOptions } from "../mapping/permission-options.ts";
import type { ToolCallMembers } from "../mapping/update.ts";

export type EditorClient = Pick<Client, "capabilities" | "askPermission" | "elicit" | "completeElicitation">;

/** Whether the editor can be asked: by what it offers, and by what it would have to choose from. */
export function canAsk({ capabilities }: EditorClient, asked: PermissionEntry | ElicitationEntry): boolean {
  if (asked.kind === "permission") return shownOptions(asked.options ?? []).options.length > 0;
  // A schema that is too long is left out where questions are listed.
  if (asked.mode === "form") return capabilities.forms && isRecord(asked.schema);
  return asked.mode === "url" && capabilities.urls && asked.url !== undefined && asked.elicitation_id !== undefined;
}

export interface AskedPermission {
  readonly asked: PermissionEntry;
  readonly call: ToolCallMembers;
  readonly session: string;
}

export async function askPermission(
  client: EditorClient,
  { asked, call, session }: AskedPermission,
  signal: AbortSignal,
): Promise<Decision> {
  const { options, choiceOf } = shownOptions(asked.options ?? []);
  const answer = await client.askPermission({ sessionId: session, toolCall: call, options }, signal);
  if (answer.outcome === "cancelled") return { cancelled: true };
  const choice = answer.outcome === "selected" ? choiceOf(answer.option) : undefined;
  return choice ? { option: choice.option } : (decisionFor("deny", asked.options ?? []) ?? { cancelled: true });
}

type FormAnswer = Pick<VerbInput<"agent.elicitation.answer">, "action" | "content">;

export interface AskedElicitation {
  readonly asked: ElicitationEntry;
  readonly session: string;
  /** Why an earlier answer was refused. */
  readonly refusal: string | undefined;
}

export async function askElicitation(
  client: EditorClient,
  { asked, session, refusal }: AskedElicitation,
  signal: AbortSignal,
): Promise<FormAnswer> {
  const { mode = "form", message = "", schema, url, elicitation_id: elicitationId, tool_call_id: toolCallId } = asked;
  const question = {
    sessionId: session,
    // The editor does not know the calls of a sub-agent.
    ...(toolCallId === undefined || asked.agent_session !== undefined ? {} : { toolCallId }),
    message: refusal === undefined ? message : `${refusal}\n\n${message}`,
  };
  const answer = await client.elicit(
    mode === "form" ? { ...question, mode, requestedSchema: schema } : { ...question, mode, url, elicitationId },
    signal,
  );
  if (answer.outcome !== "accept") return { action: answer.outcome };
  if (mode === "url") return { action: "accept" };
  const { content = {} } = answer;
  return isFormContent(content) ? { action: "accept", content } : { action: "cancel" };
}

/** Only values of the types that ACP has for forms; agentd compares them with the form. */
function isFormContent(content: Readonly<Record<string, unknown>>): content is NonNullable<FormAnswer["content"]> {
  return Object.values(content).every((value) => {
    if (Array.isArray(value)) return value.every((item) => typeof item === "string");
    return ["string", "number", "boolean"].includes(typeof numberOf(value));
  });
}
