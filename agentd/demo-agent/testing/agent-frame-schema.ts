// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import { objections } from "../../../acp-client/testing/official-schema.ts";
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

/** Validates a frame from an agent against the official schema of ACP v1. Returns the objections. */
export function objectionsToAgentFrame(frame: Frame, asked: Asked): string[] {
  if (frame["jsonrpc"] !== "2.0") return ["no jsonrpc 2.0"];
  const { method } = frame;
  if (typeof method === "string") {
    const types = stable.client[method] ?? stable.protocol[method];
    const type = "id" in frame ? types?.request : types?.notification;
    return type === undefined ? [`${method} is no method of a client`] : objections(type, frame["params"]);
  }
  if ("error" in frame) return objections("Error", frame["error"]);
  const type = stable.agent[asked.get(frame["id"]) ?? ""]?.response;
  return type === undefined ? [`a result for ${String(frame["id"])}`] : objections(type, frame["result"]);
}
