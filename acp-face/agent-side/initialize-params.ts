// SPDX-License-Identifier: MIT OR Apache-2.0
// Decodes the params of initialize by hand: loading a schema library would take as long as the rest of a program's start.
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import { numberOf } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";
import type { ClientCapabilities, InitializeRequest, Meta } from "./agent.ts";
import { RequestError } from "./request-error.ts";

export function invalidParams(field: string, problem: string, data: object = {}): RequestError {
  return new RequestError(RPC.invalidParams, `Invalid params: ${field} ${problem}`.trimEnd(), { field, ...data });
}

export function decodeInitialize(params: unknown): InitializeRequest {
  if (params !== undefined && params !== null && !isRecord(params)) throw invalidParams("params", "must be an object");
  const { protocolVersion, clientInfo } = params ?? {};
  const version = numberOf(protocolVersion);
  if (typeof version !== "number" || !Number.isInteger(version) || version < 0 || version > protocolVersionMax)
    throw invalidParams("protocolVersion", `must be a whole number from 0 to ${protocolVersionMax}`);
  return { protocolVersion: version, client: decodeClientInfo(clientInfo), meta: metaOf(params) };
}

const protocolVersionMax = 65_535;

function decodeClientInfo(info: unknown): InitializeRequest["client"] {
  const { name, version } = isRecord(info) ? info : {};
  return isShort(name) && isShort(version) ? { name, version } : undefined;
}

function isShort(value: unknown): value is string {
  return typeof value === "string" && value.length <= 1024;
}

export function decodeClientCapabilities(params: unknown): ClientCapabilities {
  const at = (...path: string[]): unknown =>
    ["clientCapabilities", ...path].reduce((value, name) => (isRecord(value) ? value[name] : undefined), params);
  return {
    readsFiles: at("fs", "readTextFile") === true,
    writesFiles: at("fs", "writeTextFile") === true,
    terminal: at("terminal") === true,
    forms: isRecord(at("elicitation", "form")),
    urls: isRecord(at("elicitation", "url")),
    booleanOptions: isRecord(at("session", "configOptions", "boolean")),
    notices: isRecord(at("session", "notices")),
    compaction: isRecord(at("session", "compaction")),
    terminalLogin: at("auth", "terminal") === true,
    meta: metaOf(at()),
  };
}

export function metaOf(value: unknown): Meta {
  const meta = isRecord(value) ? value["_meta"] : undefined;
  return isRecord(meta) ? meta : {};
}
