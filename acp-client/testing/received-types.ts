// SPDX-License-Identifier: MIT OR Apache-2.0
// The types of the official schema that a client receives, with our schemas and decoders of each.
import type * as z from "zod";
import { isRecord } from "../../json/record.ts";
import * as authMethods from "../schema/v1/auth-methods.ts";
import * as config from "../schema/v1/config.ts";
import * as content from "../schema/v1/content.ts";
import { OfferedOption, RequestPermissionRequest, decodePermissionRequest } from "../schema/v1/permission.ts";
import * as results from "../schema/v1/results.ts";
import * as tools from "../schema/v1/tool-call.ts";
import * as updates from "../schema/v1/update.ts";

/** Decoders of the types that a client receives. A result of undefined means that the value was refused. */
export const readers: Readonly<Record<string, (value: unknown) => unknown>> = {
  InitializeResponse: results.decodeIdentity,
  NewSessionResponse: results.decodeNewSession,
  PromptResponse: results.decodePromptResult,
  ListSessionsResponse: results.decodeSessionPage,
  RequestPermissionRequest: decodePermissionRequest,
  SessionNotification: (value) => (isRecord(value) ? updates.decodeUpdate(value["update"]) : undefined),
};

/** Our schemas for each of the official types. */
export const shapes: Readonly<Record<string, readonly z.ZodObject[]>> = {
  AgentAuthCapabilities: [results.AgentAuthCapabilities],
  AgentCapabilities: [results.AgentCapabilities],
  Annotations: [content.Annotations],
  AudioContent: [content.AudioContent],
  AuthMethodAgent: [authMethods.AuthMethodAgent],
  AuthMethodTerminal: [authMethods.AuthMethodTerminal],
  AvailableCommand: [updates.AvailableCommand],
  AvailableCommandsUpdate: [updates.AvailableCommandsUpdate],
  BlobResourceContents: [content.BlobResourceContents],
  CompactionSummaryChunk: [updates.CompactionSummaryChunk],
  CompactionUpdate: [updates.CompactionUpdate],
  ConfigOptionUpdate: [updates.ConfigOptionUpdate],
  Content: [tools.Content],
  ContentChunk: [updates.ContentChunk],
  Cost: [updates.Cost],
  CurrentModeUpdate: [updates.CurrentModeUpdate],
  Diff: [tools.Diff],
  EmbeddedResource: [content.EmbeddedResource],
  ImageContent: [content.ImageContent],
  Implementation: [results.Implementation],
  InitializeResponse: [results.InitializeResponse],
  ListSessionsResponse: [results.ListSessionsResponse],
  McpCapabilities: [results.McpCapabilities],
  NewSessionResponse: [results.NewSessionResponse],
  Notice: [updates.Notice],
  PermissionOption: [OfferedOption],
  Plan: [updates.Plan],
  PlanEntry: [updates.PlanEntry],
  PromptCapabilities: [results.PromptCapabilities],
  PromptResponse: [results.PromptResponse],
  RequestPermissionRequest: [RequestPermissionRequest],
  ResourceLink: [content.ResourceLink],
  SessionCapabilities: [results.SessionCapabilities],
  SessionConfigBoolean: [config.BooleanOption],
  SessionConfigOption: [config.SelectOption, config.BooleanOption],
  SessionConfigSelect: [config.SelectOption],
  SessionConfigSelectGroup: [config.SessionConfigSelectGroup],
  SessionConfigSelectOption: [config.SessionConfigSelectOption],
  SessionInfo: [results.SessionInfo],
  SessionInfoUpdate: [updates.SessionInfoUpdate],
  SessionMode: [config.SessionMode],
  SessionModeState: [config.SessionModeState],
  SetSessionConfigOptionResponse: [results.SetSessionConfigOptionResponse],
  Terminal: [tools.Terminal],
  TextContent: [content.TextContent],
  TextResourceContents: [content.TextResourceContents],
  ToolCall: [tools.ToolCall],
  ToolCallLocation: [tools.ToolCallLocation],
  ToolCallUpdate: [tools.ToolCallUpdate],
  UnstructuredCommandInput: [updates.UnstructuredCommandInput],
  UsageUpdate: [updates.UsageUpdate],
};
