// SPDX-License-Identifier: MIT OR Apache-2.0
// Decodes the params of a v1 client. Optional members are read leniently; a required one that is missing or malformed is
// refused with -32602 and its name, so that nothing of a request is dropped silently.
import { isAbsolute } from "node:path";
import * as z from "zod";
import type { ContentBlock, McpServer } from "../../acp-client/model.ts";
import { identifier, optionalText } from "../../acp-client/schema/lenient.ts";
import { decodeContentBlock } from "../../acp-client/schema/v1/content.ts";
import { isRecord } from "../../json/record.ts";
import type { AgentOffer, ListRequest, NewSession, Prompt, RestoredSession } from "./agent.ts";
import { invalidParams, metaOf } from "./initialize-params.ts";

/** The members of the agent's offer that decide which requests are valid. */
export type Offered = Pick<AgentOffer, "prompt" | "mcp">;

const absolutePath = z.string("must be an absolute path").refine(isAbsolute, "must be an absolute path");
const list = <T extends z.ZodType>(item: T) => z.array(item).nullish();
const pairs = list(z.object({ name: z.string(), value: z.string() })).transform((items) => items ?? []);

const StdioServer = z.object({
  name: z.string(),
  command: z.string(),
  args: list(z.string()).transform((args) => args ?? []),
  env: pairs,
});
const RemoteServer = z.object({ type: z.enum(["http", "sse"]), name: z.string(), url: z.string(), headers: pairs });
const Open = z.looseObject({
  cwd: absolutePath,
  additionalDirectories: list(absolutePath),
  mcpServers: list(z.unknown()),
});
const Restore = Open.extend({ sessionId: identifier });
const PromptParams = z.looseObject({
  sessionId: identifier,
  prompt: z.array(z.unknown(), "must be a non-empty array").min(1, "must be a non-empty array"),
});

export const SessionParams = z.looseObject({ sessionId: identifier });
export const ModeParams = SessionParams.extend({ modeId: identifier });
export const ModelParams = SessionParams.extend({ modelId: identifier });
export const OptionParams = SessionParams.extend({ configId: identifier, value: z.unknown() });
export const AuthenticateParams = z.looseObject({ methodId: identifier });
const ListParams = z.looseObject({
  cwd: absolutePath.nullish().transform((cwd) => cwd ?? undefined),
  cursor: optionalText,
});
export const AnyParams = z.looseObject({});

/** Missing params count as an empty object. Throws a RequestError with the field. */
export function decodeParams<T>(schema: z.ZodType<T>, params: unknown): T {
  return check(schema, params ?? {}, "params");
}

export function decodeNewSession(params: unknown, offer: Offered): NewSession {
  return openRequest(decodeParams(Open, params), offer);
}

export function decodeRestoredSession(params: unknown, offer: Offered): RestoredSession {
  const request = decodeParams(Restore, params);
  return { sessionId: request.sessionId, ...openRequest(request, offer) };
}

export function decodePrompt(params: unknown, offer: Offered): Prompt {
  const { sessionId, prompt } = decodeParams(PromptParams, params);
  const blocks = prompt.map((block, index) => decodeBlock(block, `prompt.${index}`, offer));
  return { sessionId, blocks, meta: metaOf(params) };
}

export function decodeList(params: unknown): ListRequest {
  const { cwd, cursor } = decodeParams(ListParams, params);
  return { ...(cwd !== undefined && { cwd }), ...(cursor !== undefined && { cursor }), meta: metaOf(params) };
}

function openRequest(request: z.infer<typeof Open>, offer: Offered): NewSession {
  const { cwd, additionalDirectories, mcpServers } = request;
  const servers = mcpServers?.map((server, index) => decodeServer(server, `mcpServers.${index}`, offer));
  return { cwd, additionalDirectories: additionalDirectories ?? [], mcpServers: servers, meta: metaOf(request) };
}

function decodeServer(server: unknown, field: string, offer: Offered): McpServer {
  const transport = (isRecord(server) ? server["type"] : undefined) ?? "stdio";
  if (transport === "stdio") return check(StdioServer, server, field);
  if ((transport === "http" || transport === "sse") && offer.mcp?.[transport] === true)
    return check(RemoteServer, server, field);
  const name = isRecord(server) ? server["name"] : undefined;
  throw invalidParams(field, "has a transport that this agent does not offer", { transport, name });
}

function decodeBlock(value: unknown, field: string, offer: Offered): ContentBlock {
  const block = decodeContentBlock(value);
  if (block === undefined) throw invalidParams(field, "is not a content block");
  const { image, audio, embeddedContext } = offer.prompt ?? {};
  const taken: Readonly<Record<string, boolean | undefined>> = {
    text: true,
    resource_link: true,
    image,
    audio,
    resource: embeddedContext,
  };
  if (Object.hasOwn(taken, block.type) && taken[block.type] === true) return block;
  throw invalidParams(field, "has a type that this agent does not offer", { type: block.type });
}

function check<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join(".") ?? "";
  throw invalidParams(name === "params" ? path || name : [name, path].filter(Boolean).join("."), issue?.message ?? "");
}
