// SPDX-License-Identifier: MIT OR Apache-2.0
// Validates the params of an agent's `fs/*` and `terminal/*` requests. Unknown members are ignored, since agents add
// their own.
import * as z from "zod";
import { numberOf } from "../../json/raw-json.ts";
import type { Limits } from "../config/limits.ts";

/** An optional member that is null counts as absent. */
export type ClientSideCall =
  | { readonly method: "fs/read_text_file"; readonly path: string; readonly line?: number; readonly limit?: number }
  | { readonly method: "fs/write_text_file"; readonly path: string; readonly content: string }
  | TerminalCreateCall
  | {
      readonly method: "terminal/output" | "terminal/wait_for_exit" | "terminal/kill" | "terminal/release";
      readonly terminalId: string;
    };

export interface TerminalCreateCall {
  readonly method: "terminal/create";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly cwd?: string;
  readonly outputByteLimit?: number;
}

export type ParsedCall =
  | { readonly ok: true; readonly call: ClientSideCall }
  | { readonly ok: false; readonly message: string };

export type CallParser = (method: string, params: unknown) => ParsedCall;

export function callParser(limits: Limits): CallParser {
  const schemas = schemasWithin(limits);
  return (method, params) => {
    const schema = schemas[method];
    if (!schema) return { ok: false, message: `${method} is not served` };
    const parsed = schema.safeParse(params);
    if (parsed.success) return { ok: true, call: { method, ...withoutNulls(parsed.data) } as ClientSideCall };
    return { ok: false, message: `Invalid params of ${method}: ${reasonOf(parsed.error)}` };
  };
}

function schemasWithin(limits: Limits): Readonly<Record<string, z.ZodType<Readonly<Record<string, unknown>>>>> {
  const { requestPathBytesMax, terminalArgumentsMax, terminalVariablesMax, terminalTextBytesMax } = limits;
  const path = boundedText(requestPathBytesMax).refine((text) => text.startsWith("/"), "must be an absolute path");
  const text = boundedText(terminalTextBytesMax);
  const terminal = z.object({ terminalId: boundedText(terminalIdBytesMax) });
  return {
    "fs/read_text_file": z.object({ path, line: wholeNumber(unsigned32), limit: wholeNumber(unsigned32) }),
    "fs/write_text_file": z.object({ path, content: z.string() }),
    "terminal/create": z.object({
      command: text.refine((command) => command !== "", "must not be empty"),
      args: boundedList(text, terminalArgumentsMax),
      env: boundedList(z.object({ name: text.regex(/^[^=]+$/u, "must be a name"), value: text }), terminalVariablesMax),
      cwd: path.nullish(),
      outputByteLimit: wholeNumber(Number.MAX_VALUE),
    }),
    "terminal/output": terminal,
    "terminal/wait_for_exit": terminal,
    "terminal/kill": terminal,
    "terminal/release": terminal,
  };
}

/** ACP's schema: `line` and `limit` are uint32. */
const unsigned32 = 2 ** 32 - 1;
const terminalIdBytesMax = 1024;

/** Refuses NUL, which neither a path nor an argument of a process can contain. */
function boundedText(bytesMax: number) {
  return z
    .string()
    .refine((text) => Buffer.byteLength(text) <= bytesMax, `must have at most ${bytesMax} bytes`)
    .refine((text) => !text.includes("\0"), "must have no NUL");
}

/** Accepts integers beyond 2^53 too: rounded, they are still valid as limits. */
function wholeNumber(max: number) {
  const whole = z
    .number()
    .refine((value) => Number.isInteger(value) && value >= 0 && value <= max, "must be a whole number, not negative");
  return z.preprocess(numberOf, whole.nullish());
}

function boundedList<T extends z.ZodType>(member: T, max: number) {
  return z
    .array(member)
    .max(max)
    .nullish()
    .transform((list) => list ?? []);
}

function withoutNulls(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null && value !== undefined));
}

/** Names the first issue only, and never quotes a value: it may hold anything. */
function reasonOf(error: z.ZodError): string {
  const [first] = error.issues;
  if (!first) return "invalid";
  const where = first.path.map(String).join(".");
  return where === "" ? first.message : `${where}: ${first.message}`;
}
