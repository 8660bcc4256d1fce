// SPDX-License-Identifier: MIT OR Apache-2.0
// What the editor is answered when its turn has ended.
import type { TurnEntry } from "../../agentd/vocabulary/entries.ts";
import type { ErrorBody } from "../../agentd/vocabulary/errors.ts";
import type { TokenCounts } from "../../agentd/vocabulary/usage.ts";
import { isRecord } from "../../json/record.ts";
import { type StopReason, isOneOf, stopReasons } from "./update.ts";

export type TurnOutcome =
  /** Answered as an error with the code -32000, from which editors offer the login. */
  | { readonly authRequired: { readonly message: string } }
  | {
      readonly stopReason: StopReason;
      /** Facts of a failure, from closed lists: never a message, which may have anything in it. */
      readonly failure?: TurnFailure;
      /** What went wrong, for a person. To be written before the reply if the agent wrote no text in this turn. */
      readonly text?: string;
      /** The member `usage` of ACP's unstable schema, if the agent has told all that it needs. */
      readonly usage?: Readonly<Record<string, number>>;
    };

export interface TurnFailure {
  readonly terminal_status: TerminalStatus;
  /** An identifier, of at most 64 characters. */
  readonly error_kind?: string;
}

const terminalStatuses = ["configuration_error", "provider_error", "tool_error", "interrupted"] as const;
type TerminalStatus = (typeof terminalStatuses)[number];

/** For an entry of the phase `ended`. */
export function turnOutcome(entry: TurnEntry): TurnOutcome {
  const { stop_reason: reason, error } = entry;
  if (error?.error_code === "AGENT_AUTH") return { authRequired: { message: error.message } };
  const stopReason = isOneOf(stopReasons, reason) ? reason : "end_turn";
  const usage = usageMember(entry);
  if (reason !== "failed" && reason !== "interrupted") return { stopReason, ...usage };
  const text = error?.message ?? "The turn was interrupted: agentd or the agent ended.";
  return { stopReason, failure: turnFailure(reason, error), text, ...usage };
}

function turnFailure(reason: "failed" | "interrupted", error: ErrorBody | undefined): TurnFailure {
  const { terminal_status: told, error_kind: kind = error?.error_code.toLowerCase() } = factsOfAgent(error);
  const status = isOneOf(terminalStatuses, told) ? told : terminalStatus(reason, error);
  // The identifier may come from the agent.
  const isIdentifier = typeof kind === "string" && /^[a-z][a-z0-9_]{0,63}$/.test(kind) && !kind.endsWith("\n");
  return { terminal_status: status, ...(isIdentifier ? { error_kind: kind } : {}) };
}

/** Members that an agent may have put into the `data` of its error. */
function factsOfAgent(error: ErrorBody | undefined): Readonly<Record<string, unknown>> {
  const rpc = error?.["rpc"];
  const data = isRecord(rpc) ? rpc["data"] : undefined;
  return isRecord(data) ? data : {};
}

const configurationErrors: ReadonlySet<ErrorBody["error_code"]> = new Set([
  "AGENT_UNKNOWN",
  "AGENT_UNAVAILABLE",
  "UNSUPPORTED",
]);

function terminalStatus(reason: "failed" | "interrupted", error: ErrorBody | undefined): TerminalStatus {
  if (reason === "interrupted") return "interrupted";
  return error !== undefined && configurationErrors.has(error.error_code) ? "configuration_error" : "provider_error";
}

const usageNames = {
  input_tokens: "inputTokens",
  output_tokens: "outputTokens",
  thought_tokens: "thoughtTokens",
  cached_read_tokens: "cachedReadTokens",
  cached_write_tokens: "cachedWriteTokens",
  total_tokens: "totalTokens",
} as const satisfies Record<keyof TokenCounts, string>;

function usageMember({ usage }: TurnEntry): { readonly usage?: Readonly<Record<string, number>> } {
  const { input_tokens: inputs, output_tokens: outputs, total_tokens: total } = usage ?? {};
  if (inputs === undefined || outputs === undefined || total === undefined) return {};
  const counts = Object.entries(usageNames).flatMap(([name, acp]) => {
    const count = usage?.[name as keyof TokenCounts];
    return count === undefined ? [] : [[acp, count] as const];
  });
  return { usage: Object.fromEntries(counts) };
}
