// SPDX-License-Identifier: MIT OR Apache-2.0
// Validates messages by the official JSON schema of ACP v1.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

const folder = new URL("../../test/data/acp-schema/v1/", import.meta.url);

export interface OfficialSchema {
  readonly $defs: Readonly<Record<string, object>>;
}

export const officialSchema = JSON.parse(readFileSync(new URL("schema.json", folder), "utf8")) as OfficialSchema;

interface MethodTypes {
  readonly request?: string;
  readonly response?: string;
  readonly notification?: string;
}

const methods = (
  JSON.parse(readFileSync(new URL("methods.json", folder), "utf8")) as {
    stable: Record<"agent" | "client" | "protocol", Record<string, MethodTypes>>;
  }
).stable;

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...officialSchema, $id: "acp" });

/** Returns the errors of a value; empty if it is valid. */
export function objections(type: string, value: unknown): string[] {
  const validate = ajv.getSchema(`acp#/$defs/${type}`);
  if (validate === undefined) throw new Error(`The schema has no ${type}`);
  return validate(value) === true ? [] : [`${type}: ${ajv.errorsText(validate.errors)}`];
}

/** A part of a schema, as far as it says which members an object has. */
interface ObjectSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
  readonly allOf?: readonly ObjectSchema[];
  readonly anyOf?: readonly ObjectSchema[];
  readonly oneOf?: readonly ObjectSchema[];
}

const { $defs: extendedTypes } = JSON.parse(readFileSync(new URL("schema.unstable.json", folder), "utf8")) as {
  readonly $defs: Readonly<Record<string, ObjectSchema>>;
};

/**
 * Returns the members of an object that ACP does not have, not even as unstable ones: they belong in `_meta`. The schema
 * itself allows any.
 */
export function unknownMembers(type: string, value: object): string[] {
  const known = new Set(membersOf({ $ref: `#/$defs/${type}` }, value));
  return Object.keys(value).filter((name) => !known.has(name));
}

function membersOf(
  { $ref, properties = {}, allOf = [], anyOf = [], oneOf = [] }: ObjectSchema,
  value: object,
): string[] {
  const members = new Map(Object.entries(value));
  if (Object.entries(properties).some(([name, { const: only }]) => only !== undefined && members.get(name) !== only))
    return [];
  const referred = $ref === undefined ? undefined : extendedTypes[$ref.replace("#/$defs/", "")];
  const parts = [...(referred === undefined ? [] : [referred]), ...allOf, ...anyOf, ...oneOf];
  return [...Object.keys(properties), ...parts.flatMap((part) => membersOf(part, value))];
}

/** Methods that agents of today know, and the schema no longer does. */
const earlierMethods: ReadonlySet<string> = new Set(["session/set_model"]);

/**
 * Returns the errors of a message that a client sends. `asked` is the method that a response answers. Unknown methods
 * are errors.
 */
export function objectionsToClientFrame(frame: Readonly<Record<string, unknown>>, asked: string | undefined): string[] {
  if (frame["jsonrpc"] !== "2.0") return ["no jsonrpc 2.0"];
  const { method } = frame;
  if (typeof method === "string") {
    if (earlierMethods.has(method)) return [];
    // An extension, of which the schema says nothing.
    if (method.startsWith("_")) return [];
    const types = methods.agent[method] ?? methods.protocol[method];
    const type = "id" in frame ? types?.request : types?.notification;
    return type === undefined ? [`${method} is not a method of an agent`] : objections(type, frame["params"]);
  }
  if ("error" in frame) return objections("Error", frame["error"]);
  const type = asked === undefined ? undefined : methods.client[asked]?.response;
  return type === undefined ? [`a result for ${asked}`] : objections(type, frame["result"]);
}
