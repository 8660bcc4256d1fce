// SPDX-License-Identifier: MIT OR Apache-2.0
// What to do about a refusal, in the words of this command line: a message that came over the Bus speaks of verbs and
// arguments there.
import type { ErrorCode } from "../../agentd/vocabulary/errors.ts";
import type { NotifyErrorCode } from "../../agentd/vocabulary/notify.ts";
import type { MixError } from "./mix-error.ts";

/** Lines to be said below the message. */
export function errorHints({ code, message, details }: MixError): string[] {
  const { install, available, values, options } = details;
  // The verbs of a service, the values of an option, or the options of an agent: a refusal brings one of these.
  const offered = [available, values, options].find((one) => Array.isArray(one)) ?? [];
  const names = offered.filter((one: unknown) => typeof one === "string");
  const hint = Object.hasOwn(hints, code) ? hints[code as HintedCode] : undefined;
  return [
    ...(typeof install === "string" && !message.includes(install) ? [`to install it: ${install}`] : []),
    ...(names.every((name) => message.includes(name)) ? [] : [`there are: ${names.join(", ")}`]),
    ...(hint === undefined || message.includes("`mix ") ? [] : [hint]),
  ];
}

type HintedCode = ErrorCode | NotifyErrorCode;

const hints: Readonly<Partial<Record<HintedCode, string>>> = {
  ASK_UNKNOWN: "`mix notify ls` lists the open ones, `mix notify ls --all` all",
  AGENT_BUSY: "with `mix agent send --queue` it waits, if there is room; `mix agent cancel` ends what runs",
  AGENTD_OUTDATED: "`mix agent stop` ends it, and the next `mix agent` command starts the one that is installed",
  AGENT_LIMIT: "`mix agent ls` lists live sessions, `mix agent close` ends one",
  REQUEST_UNKNOWN: "`mix agent permit ls` and `mix agent answer` list what is open",
  SESSION_NOT_RESUMABLE: "`mix agent resume --fresh` begins anew",
  SESSION_UNKNOWN: "`mix agent ls --all` lists sessions",
};
