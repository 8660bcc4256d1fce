// SPDX-License-Identifier: MIT OR Apache-2.0

import { isRecord } from "../json/record.ts";
import type { Frame } from "./wire.ts";

/** The description of one path. Its type and children are derived from the value. */
export interface PropDescription {
  readonly description: string;
  readonly mutable?: boolean;
  /** The value never leaves the process and is reported as null. */
  readonly sensitive?: boolean;
  readonly format?: string;
  readonly since?: string;
  readonly transient?: boolean;
}

export interface Props {
  /** Returns the current tree of plain JSON values. */
  read(): object;
  readonly describe?: Readonly<Record<string, PropDescription>>;
}

/** Answers `<service>.props.get`, `list` or `describe` with JSON text. */
export function answerProps(
  props: Props,
  subcommand: string,
  frame: Frame,
): { readonly rc: number; readonly body: string } {
  const path = requestedPath(frame);
  if (path !== undefined && !pathPattern.test(path)) return failed(`invalid path: ${path}`);
  const tree = withoutSecrets(props);
  switch (subcommand) {
    case "get": {
      const value = path === undefined ? tree : valueAt(tree, path);
      return value === undefined ? failed(`path not found: ${path}`) : found(value);
    }
    case "list":
      return found(leafPaths(tree));
    case "describe": {
      if (path === undefined) return failed("describe requires args.path");
      const value = valueAt(tree, path);
      return value === undefined ? failed(`unknown path: ${path}`) : found(descriptionOf(props, path, value));
    }
    default:
      return failed(`unknown props subcommand: ${subcommand}`);
  }
}

const pathPattern = /^[a-z0-9_]+(?:\.[a-z0-9_]+)*$/;

/** Reads the path from the header `args` or else the body. Either is a JSON object with `path`, or the bare path. */
function requestedPath({ headers, body }: Frame): string | undefined {
  const text = headers["args"] ?? body;
  if (text === "") return undefined;
  if (!text.startsWith("{")) return text;
  try {
    const { path } = JSON.parse(text) as { path?: unknown };
    return typeof path === "string" && path !== "" ? path : undefined;
  } catch {
    return text;
  }
}

function withoutSecrets(props: Props): object {
  const tree = structuredClone(props.read());
  for (const [path, { sensitive }] of Object.entries(props.describe ?? {})) {
    if (!sensitive) continue;
    const dot = path.lastIndexOf(".");
    const parent = dot < 0 ? tree : valueAt(tree, path.slice(0, dot));
    const key = path.slice(dot + 1);
    if (isRecord(parent) && Object.hasOwn(parent, key)) (parent as Record<string, unknown>)[key] = null;
  }
  return tree;
}

function valueAt(tree: object, path: string): unknown {
  let value: unknown = tree;
  for (const segment of path.split(".")) {
    if (!isRecord(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}

function leafPaths(value: object, prefix = ""): string[] {
  return Object.entries(value)
    .flatMap(([key, child]) => (isRecord(child) ? leafPaths(child, `${prefix}${key}.`) : [prefix + key]))
    .sort();
}

function descriptionOf(props: Props, path: string, value: unknown): object {
  const own = props.describe?.[path];
  return {
    path,
    type: typeOf(value),
    mutable: false,
    sensitive: false,
    description: "",
    ...own,
    ...(isRecord(value) ? { children: Object.keys(value).sort() } : {}),
  };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function found(value: unknown): { rc: number; body: string } {
  return { rc: 0, body: JSON.stringify(value) };
}

function failed(error: string): { rc: number; body: string } {
  return { rc: 10, body: JSON.stringify({ error }) };
}
