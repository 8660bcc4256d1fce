// SPDX-License-Identifier: MIT OR Apache-2.0
// Decodes the results of a v1 agent. Where all members are optional, null stands for the empty object.
import * as z from "zod";
import type { SessionInfo as ListedSession } from "../../agent-client.ts";
import type { PromptResult } from "../../agent-events.ts";
import { numberOf } from "../../../json/raw-json.ts";
import { isRecord } from "../../../json/record.ts";
import type { AgentIdentity, ConfigOption, SteeringOutcome, TokenUsage } from "../../model.ts";
import {
  acpObject,
  clearableText,
  decode,
  identifier,
  optionalFlag,
  optionalIdentifier,
  optionalObject,
  optionalText,
  undecoded,
  decodeItems,
} from "../lenient.ts";
import { omitUndefined } from "../../../json/omit-undefined.ts";
import { decodeAuthMethods } from "./auth-methods.ts";
import { decodeConfigOptions, decodeModels, decodeModes, type ReportedChoices } from "./config.ts";

export const Implementation = acpObject({ name: identifier, title: optionalIdentifier, version: identifier });
export const PromptCapabilities = acpObject({
  image: optionalFlag,
  audio: optionalFlag,
  embeddedContext: optionalFlag,
});
export const McpCapabilities = acpObject({ http: optionalFlag, sse: optionalFlag });
/** In v1 these are objects whose presence means support. Other values, even true, are malformed. */
export const SessionCapabilities = acpObject({
  list: optionalObject,
  delete: optionalObject,
  additionalDirectories: optionalObject,
  resume: optionalObject,
  close: optionalObject,
});
export const AgentAuthCapabilities = acpObject({ logout: optionalObject });
export const AgentCapabilities = acpObject({
  loadSession: optionalFlag,
  promptCapabilities: PromptCapabilities.optional().catch(undefined),
  mcpCapabilities: McpCapabilities.optional().catch(undefined),
  sessionCapabilities: SessionCapabilities.optional().catch(undefined),
  auth: AgentAuthCapabilities.optional().catch(undefined),
});
export const InitializeResponse = acpObject({
  protocolVersion: z.preprocess(numberOf, z.int().min(0).max(65_535)),
  agentCapabilities: AgentCapabilities.optional().catch(undefined),
  authMethods: undecoded,
  agentInfo: Implementation.optional().catch(undefined),
});
export const NewSessionResponse = acpObject({
  sessionId: identifier,
  modes: undecoded,
  models: undecoded,
  configOptions: undecoded,
});
/** The response of session/load and session/resume. */
const RestoreSessionResponse = acpObject({ modes: undecoded, models: undecoded, configOptions: undecoded });
export const PromptResponse = acpObject({
  // A reason that v1 does not define ends the turn too.
  stopReason: z.string(),
  usage: optionalObject,
});
export const SetSessionConfigOptionResponse = acpObject({ configOptions: undecoded });
export const ListSessionsResponse = acpObject({ sessions: undecoded, nextCursor: optionalText });
export const SessionInfo = acpObject({
  sessionId: identifier,
  cwd: z.string(),
  additionalDirectories: undecoded,
  title: clearableText,
  updatedAt: clearableText,
});

const Steering = acpObject({ supported: z.boolean() });
const SteeringResponse = acpObject({ outcome: z.enum(["injected", "startedNewTurn", "promptRequired", "failed"]) });

/** Returns the protocol version in the result of initialize, unchecked; undefined if there is none. */
export function findProtocolVersion(result: unknown): unknown {
  return isRecord(result) ? numberOf(result["protocolVersion"]) : undefined;
}

/** Returns undefined if the version is not a uint16. Everything else has a default. */
export function decodeIdentity(result: unknown): AgentIdentity | undefined {
  const answer = decode(InitializeResponse, result);
  if (answer === undefined) return undefined;
  const { agentCapabilities: offered, agentInfo: info } = answer;
  const session = offered?.sessionCapabilities;
  return {
    protocolVersion: answer.protocolVersion,
    info: info ? omitUndefined({ name: info.name, title: info.title, version: info.version }) : null,
    capabilities: {
      load: offered?.loadSession ?? false,
      resume: session?.resume !== undefined,
      list: session?.list !== undefined,
      close: session?.close !== undefined,
      delete: session?.delete !== undefined,
      additionalDirectories: session?.additionalDirectories !== undefined,
      logout: offered?.auth?.logout !== undefined,
      promptImage: offered?.promptCapabilities?.image ?? false,
      promptAudio: offered?.promptCapabilities?.audio ?? false,
      promptEmbeddedContext: offered?.promptCapabilities?.embeddedContext ?? false,
      mcpHttp: offered?.mcpCapabilities?.http ?? false,
      mcpSse: offered?.mcpCapabilities?.sse ?? false,
      steering: isRecord(answer._meta) && decode(Steering, answer._meta["steering"])?.supported === true,
    },
    authMethods: decodeAuthMethods(answer.authMethods),
  };
}

export interface NewSession {
  readonly sessionId: string;
  readonly modes: ReportedChoices | undefined;
  readonly models: ReportedChoices | undefined;
  readonly options: readonly ConfigOption[];
}

/** Returns undefined if the session id is missing or too long. */
export function decodeNewSession(result: unknown): NewSession | undefined {
  const answer = decode(NewSessionResponse, result);
  if (answer === undefined) return undefined;
  return { sessionId: answer.sessionId, ...decodeSettings(answer) };
}

/** Decodes the result of session/load or session/resume, which may be empty or null. */
export function decodeRestoredSession(result: unknown): Omit<NewSession, "sessionId"> {
  return decodeSettings(decode(RestoreSessionResponse, result));
}

function decodeSettings(answer: z.output<typeof RestoreSessionResponse> | undefined): Omit<NewSession, "sessionId"> {
  return {
    modes: decodeModes(answer?.modes),
    models: decodeModels(answer?.models),
    options: decodeConfigOptions(answer?.configOptions) ?? [],
  };
}

/** Returns undefined if the stop reason is missing. */
export function decodePromptResult(result: unknown): PromptResult | undefined {
  const answer = decode(PromptResponse, result);
  return answer && omitUndefined({ stopReason: answer.stopReason, usage: decodeTokenUsage(answer.usage) });
}

/** Returns undefined without an outcome that the extension has. */
export function decodeSteeringOutcome(result: unknown): SteeringOutcome | undefined {
  return decode(SteeringResponse, result)?.outcome;
}

const tokenCounts = [
  "inputTokens",
  "outputTokens",
  "thoughtTokens",
  "cachedReadTokens",
  "cachedWriteTokens",
  "totalTokens",
] as const satisfies readonly (keyof TokenUsage)[];

/** Keeps the counts that are whole numbers up to 2^53 - 1; undefined if there are none. */
function decodeTokenUsage(usage: Readonly<Record<string, unknown>> | undefined): TokenUsage | undefined {
  const counts = tokenCounts.flatMap((name) => {
    const count = numberOf(usage?.[name]);
    return Number.isSafeInteger(count) && (count as number) >= 0 ? [[name, count]] : [];
  });
  return counts.length === 0 ? undefined : (Object.fromEntries(counts) as TokenUsage);
}

/** Returns the options after a change; undefined if the agent did not send them. */
export function decodeOptionsAfterChange(result: unknown): readonly ConfigOption[] | undefined {
  return decodeConfigOptions(decode(SetSessionConfigOptionResponse, result)?.configOptions);
}

export interface SessionPage {
  readonly sessions: readonly ListedSession[];
  readonly nextCursor: string | undefined;
}

/** Returns undefined if the result is neither an object nor null. */
export function decodeSessionPage(result: unknown): SessionPage | undefined {
  const page = decode(ListSessionsResponse, result ?? {});
  return page && { sessions: decodeItems(page.sessions, decodeSessionInfo) ?? [], nextCursor: page.nextCursor };
}

function decodeSessionInfo(item: unknown): ListedSession | undefined {
  const info = decode(SessionInfo, item);
  if (info === undefined) return undefined;
  return omitUndefined({ sessionId: info.sessionId, cwd: info.cwd, title: info.title, updatedAt: info.updatedAt });
}
