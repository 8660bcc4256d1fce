// SPDX-License-Identifier: MIT OR Apache-2.0
// Says what to do about a refusal in terms of this command line. A message from the Bus can only speak of the Bus's
// verbs and arguments.
import { closestWord } from "../../display/closest-word.ts";
import type { ErrorCode } from "../../agentd/vocabulary/errors.ts";
import type { NotifyErrorCode } from "../../agentd/vocabulary/notify.ts";
import type { AgentError } from "../../agent-client/agent-error.ts";

/** Returns lines to show below the message. */
export function errorHints({ code, message, details }: AgentError): string[] {
  const { install, available, values, options } = details;
  // A refusal carries at most one of these: a service's verbs, an option's values or an agent's options.
  const offered = [available, values, options].find((one) => Array.isArray(one)) ?? [];
  const names = offered.filter((one: unknown) => typeof one === "string");
  const hint = Object.hasOwn(hints, code) ? hints[code as HintedCode] : undefined;
  // The refusal of a value names the option and its values, that of an option the options; only the caller knows the value.
  const typed = Array.isArray(options) ? details["option"] : details["value"];
  const meant = typeof typed === "string" ? closestWord(typed, names) : undefined;
  return [
    ...(meant === undefined ? [] : [`did you mean ${meant}?`]),
    ...(typeof install === "string" && !message.includes(install) ? [`to install it: ${install}`] : []),
    ...(names.every((name) => message.includes(name)) ? [] : [`there are: ${names.join(", ")}`]),
    ...(hint === undefined || message.includes("`mix ") ? [] : [hint]),
  ];
}

type HintedCode = ErrorCode | NotifyErrorCode;

const hints: Readonly<Partial<Record<HintedCode, string>>> = {
  ASK_UNKNOWN: "`mix notify ls` lists the open ones, `mix notify ls --all` lists all",
  AGENT_BUSY: "`mix agent send --queue` queues it, if there is room; `mix agent cancel` ends the running turn",
  AGENTD_OUTDATED: "`mix agent stop` ends it, and the next `mix agent` command starts the installed one",
  AGENT_LIMIT: "`mix agent ls` lists live sessions, `mix agent close` ends one",
  REQUEST_UNKNOWN: "`mix agent permit ls` and `mix agent answer` list the open ones",
  SESSION_UNKNOWN: "`mix agent ls --all` lists sessions",
};
