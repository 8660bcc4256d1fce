// SPDX-License-Identifier: MIT OR Apache-2.0
// Decodes the login methods of an agent's response to initialize. They are kept, logged and shown to people, so there are
// only so many of them, and none is large.
import { isAbsolute } from "node:path";
import * as z from "zod";
import { isRecord } from "../../../json/record.ts";
import type { AuthMethod } from "../../model.ts";
import { acpObject, decode, decodeItems, identifier, optionalIdentifier, optionalText } from "../lenient.ts";
import { omitUndefined } from "../../../json/omit-undefined.ts";

const methodsMax = 64;
const variablesMax = 32;
const wordsMax = 64;
const wordCharactersMax = 4_096;

const word = z
  .string()
  .max(wordCharactersMax)
  .refine((text) => !text.includes("\0"));
const words = z.array(word).max(wordsMax);
const environment = z.record(word, word).refine((values) => Object.keys(values).length <= wordsMax);

export const AuthMethodAgent = acpObject({ id: identifier, name: identifier, description: optionalText });
export const AuthMethodTerminal = AuthMethodAgent.extend({
  type: z.literal("terminal"),
  args: words.nullish(),
  env: environment.nullish(),
});
/** Of the protocol's drafts. `varName` is the older spelling of a single variable. */
const AuthMethodEnvVar = AuthMethodAgent.extend({
  vars: z.unknown().optional(),
  varName: optionalIdentifier,
});
const AuthVariable = acpObject({ name: identifier });

/**
 * `_meta["terminal-auth"]`: how agents named a terminal login before ACP had the type for it. Its command is the whole one,
 * and no path that depends on the directory in which it is run.
 */
const TerminalAuth = z.object({
  command: word.refine((program) => program !== "" && (isAbsolute(program) || !program.includes("/"))),
  args: words.nullish(),
  env: environment.nullish(),
});

export function decodeAuthMethods(methods: unknown): readonly AuthMethod[] {
  return decodeItems(Array.isArray(methods) ? methods.slice(0, methodsMax) : undefined, decodeAuthMethod) ?? [];
}

/**
 * Treats an unknown type as `agent`. Drops an invalid `terminal` or `env_var` method, which must not be passed to the
 * agent.
 */
function decodeAuthMethod(item: unknown): AuthMethod | undefined {
  const common = decode(AuthMethodAgent, item);
  if (common === undefined || !isRecord(item)) return undefined;
  const { id, name, description, _meta: meta } = common;
  const said = { id, name, description: isShort(description) ? description : undefined };
  if (item["type"] === "terminal") {
    const method = decode(AuthMethodTerminal, item);
    return method && omitUndefined({ ...said, type: "terminal", args: method.args ?? [], env: method.env ?? {} });
  }
  if (item["type"] === "env_var") {
    const variables = decodeVariables(item);
    return variables && omitUndefined({ ...said, type: "env_var", variables });
  }
  const terminal = decode(TerminalAuth, meta?.["terminal-auth"]);
  if (terminal === undefined) return omitUndefined({ ...said, type: "agent" });
  const command = [terminal.command, ...(terminal.args ?? [])] as const;
  return omitUndefined({ ...said, type: "terminal", command, env: terminal.env ?? {} });
}

function decodeVariables(item: unknown): readonly string[] | undefined {
  const method = decode(AuthMethodEnvVar, item);
  if (method === undefined) return undefined;
  const { vars, varName } = method;
  const named = decodeItems(Array.isArray(vars) ? vars.slice(0, variablesMax) : undefined, decodeVariable) ?? [];
  return named.length > 0 || varName === undefined ? named : [varName];
}

function decodeVariable(variable: unknown): string | undefined {
  return decode(AuthVariable, variable)?.name;
}

function isShort(text: string | undefined): boolean {
  return text === undefined || text.length <= wordCharactersMax;
}
