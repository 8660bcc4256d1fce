// SPDX-License-Identifier: MIT OR Apache-2.0
// What open tool calls have put out so far, so that an output which is sent again and longer is logged as what came to
// it. Bounded: what is too big, too deep or too much to remember is logged whole each time.
import type { TextGrowth, ToolCallFields } from "../vocabulary/index.ts";
import { growths } from "./growth.ts";

/** By tool call, the one that was remembered last at the end. */
export type ToolOutputs = ReadonlyMap<string, ToolOutput>;

type ToolOutput = { readonly [M in Member]: Remembered | undefined };

interface Remembered {
  readonly value: unknown;
  /** As `unitsOf` counts them. */
  readonly units: number;
}

type Member = (typeof members)[number];
const members = ["content", "raw_output"] as const;

export const noOutputs: ToolOutputs = new Map();

/** UTF-16 code units of one value, and of all of a session. */
const valueUnitsMax = 4 * 1024 * 1024;
const sessionUnitsMax = 16 * 1024 * 1024;
const callsMax = 64;
const depthMax = 16;
const textsMax = 1024;

/** A growth is told only of a value that is longer than what is told instead of it. */
const unitsMin = 256;
const unitsPerGrowth = 64;

/** The fields as they are logged: of a value that only grew, what it grew by; nothing of one that is what it was. */
export function loggedFields(
  outputs: ToolOutputs,
  fields: ToolCallFields,
): ToolCallFields & { readonly grow?: readonly TextGrowth[] } {
  const known = outputs.get(fields.tool_call_id);
  if (!known) return fields;
  let logged: Partial<ToolCallFields> | undefined;
  const grow: TextGrowth[] = [];
  for (const name of members) {
    const old = known[name];
    const next = fields[name];
    if (!old || next === undefined || next === null) continue;
    const grown = growths(old.value, next, [name]);
    if (!grown || old.units < unitsMin + unitsPerGrowth * grown.length) continue;
    logged ??= { ...fields };
    delete logged[name];
    grow.push(...grown);
  }
  if (!logged) return fields;
  return { ...(logged as ToolCallFields), ...(grow.length > 0 ? { grow } : {}) };
}

/** After an update of an open tool call; the same where it said nothing of its output. */
export function rememberOutput(outputs: ToolOutputs, fields: ToolCallFields): ToolOutputs {
  if (members.every((name) => fields[name] === undefined)) return outputs;
  const id = fields.tool_call_id;
  const before = outputs.get(id);
  const output: ToolOutput = {
    content: remembered(before?.content, fields.content),
    raw_output: remembered(before?.raw_output, fields.raw_output),
  };
  const next = new Map(outputs);
  next.delete(id);
  if (output.content || output.raw_output) next.set(id, output);
  return withinBounds(next);
}

function remembered(before: Remembered | undefined, value: unknown): Remembered | undefined {
  if (value === undefined) return before;
  const units = value === null ? undefined : unitsOf(value);
  return units === undefined ? undefined : { value, units };
}

/** After the call was closed. */
export function forgetOutput(outputs: ToolOutputs, id: string): ToolOutputs {
  if (!outputs.has(id)) return outputs;
  const next = new Map(outputs);
  next.delete(id);
  return next;
}

function withinBounds(outputs: Map<string, ToolOutput>): ToolOutputs {
  let units = 0;
  for (const output of outputs.values()) for (const name of members) units += output[name]?.units ?? 0;
  for (const [id, output] of outputs) {
    if (outputs.size <= callsMax && units <= sessionUnitsMax) break;
    for (const name of members) units -= output[name]?.units ?? 0;
    outputs.delete(id);
  }
  return outputs;
}

/** What its JSON has, roughly; undefined where it is not to be remembered. Stops at the first bound that it meets. */
function unitsOf(value: unknown): number | undefined {
  let units = 0;
  let texts = 0;
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { depth } = next;
    units += 4;
    if (typeof next.value === "string") {
      units += next.value.length;
      texts += 1;
    } else if (typeof next.value === "object" && next.value !== null) {
      for (const [name, inner] of Object.entries(next.value)) {
        units += name.length;
        waiting.push({ value: inner, depth: depth + 1 });
      }
    }
    if (units + waiting.length > valueUnitsMax || texts > textsMax || depth > depthMax) return undefined;
  }
  return units;
}
