// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import { objections, unknownMembers } from "../../../acp-client/testing/official-schema.ts";
import { isRecord } from "../../../json/record.ts";
import type { Asked, Frame } from "./driver.ts";

interface MethodTypes {
  readonly request?: string;
  readonly response?: string;
  readonly notification?: string;
}

const methodsFile = new URL("../../../test/data/acp-schema/v1/methods.json", import.meta.url);
const { stable } = JSON.parse(readFileSync(methodsFile, "utf8")) as {
  stable: Record<"agent" | "client" | "protocol", Record<string, MethodTypes>>;
};

/**
 * Validates a frame from an agent by the official schema of ACP v1, and that what is not of ACP stands in `_meta`.
 * Returns the objections.
 */
export function objectionsToAgentFrame(frame: Frame, asked: Asked): string[] {
  if (frame["jsonrpc"] !== "2.0") return ["no jsonrpc 2.0"];
  const { method } = frame;
  if (typeof method === "string") {
    const types = stable.client[method] ?? stable.protocol[method];
    const type = "id" in frame ? types?.request : types?.notification;
    return type === undefined ? [`${method} is no method of a client`] : objectionsTo(type, frame["params"]);
  }
  if ("error" in frame) return objections("Error", frame["error"]);
  const type = stable.agent[asked.get(frame["id"]) ?? ""]?.response;
  return type === undefined ? [`a result for ${String(frame["id"])}`] : objectionsTo(type, frame["result"]);
}

/** Also objects to members of its own, and of its update, that ACP does not have. */
function objectionsTo(type: string, value: unknown): string[] {
  const { update } = isRecord(value) ? value : {};
  const unknown = [
    ...(isRecord(value) ? unknownMembers(type, value) : []),
    ...(isRecord(update) ? unknownMembers("SessionUpdate", update) : []),
  ];
  return [...objections(type, value), ...unknown.map((name) => `${type}: no member ${name}`)];
}
