// SPDX-License-Identifier: MIT OR Apache-2.0
// What session/update of ACP v1 can carry, and the schema's closed lists. One client ends the connection for a value
// that is not in them, so the types below allow nothing else.
import type { ToolKind } from "../../acp-client/schema/v1/tool-kinds.ts";

export const toolStatuses = ["pending", "in_progress", "completed", "failed"] as const;
export const planPriorities = ["high", "medium", "low"] as const;
export const planStatuses = ["pending", "in_progress", "completed"] as const;
export const blockTypes = ["text", "image", "audio", "resource_link", "resource"] as const;
export const stopReasons = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"] as const;
export const permissionKinds = ["allow_once", "allow_always", "reject_once", "reject_always"] as const;

export type ToolStatus = (typeof toolStatuses)[number];
export type StopReason = (typeof stopReasons)[number];
export type PermissionKind = (typeof permissionKinds)[number];

export function isOneOf<T extends string>(list: readonly T[], value: unknown): value is T {
  return list.some((item) => item === value);
}

export type Meta = Readonly<Record<string, unknown>>;

interface WithMeta {
  readonly _meta?: Meta;
}

/** A content block whose members the schema allows. */
export interface Block {
  readonly type: (typeof blockTypes)[number];
  readonly [member: string]: unknown;
}

export type ToolContent =
  | { readonly type: "content"; readonly content: Block; readonly [member: string]: unknown }
  | { readonly type: "diff"; readonly path: string; readonly newText: string; readonly [member: string]: unknown }
  | { readonly type: "terminal"; readonly terminalId: string; readonly [member: string]: unknown };

export interface Location extends WithMeta {
  /** Absolute. */
  readonly path: string;
  readonly line?: unknown;
}

/** ACP's ToolCallUpdate, which a permission request carries, too. */
export interface ToolCallMembers extends WithMeta {
  readonly toolCallId: string;
  readonly title?: string;
  readonly name?: string;
  readonly kind?: ToolKind;
  readonly status?: ToolStatus;
  readonly content?: readonly ToolContent[];
  readonly locations?: readonly Location[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
}

export interface MessageChunk extends WithMeta {
  readonly sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
  readonly messageId: string;
  readonly content: Block;
}

export type SessionUpdate = WithMeta &
  (
    | MessageChunk
    | ({ readonly sessionUpdate: "tool_call"; readonly title: string } & ToolCallMembers)
    | ({ readonly sessionUpdate: "tool_call_update" } & ToolCallMembers)
    | {
        readonly sessionUpdate: "plan";
        readonly entries: readonly {
          readonly content: string;
          readonly priority: (typeof planPriorities)[number];
          readonly status: (typeof planStatuses)[number];
        }[];
      }
    | {
        readonly sessionUpdate: "available_commands_update";
        readonly availableCommands: readonly { readonly name: string; readonly description: string }[];
      }
    | { readonly sessionUpdate: "current_mode_update"; readonly currentModeId: string }
    | { readonly sessionUpdate: "config_option_update"; readonly configOptions: readonly object[] }
    | {
        readonly sessionUpdate: "session_info_update";
        /** Null: it has none any more. */
        readonly title?: string | null;
        readonly updatedAt?: string | null;
      }
    | {
        readonly sessionUpdate: "usage_update";
        readonly used: number;
        readonly size: number;
        readonly cost?: { readonly amount: number; readonly currency: string };
      }
    | {
        readonly sessionUpdate: "notice";
        readonly severity: string;
        readonly title: string;
        readonly description?: string;
      }
    | {
        readonly sessionUpdate: "compaction_update";
        readonly compactionId: string;
        readonly status: string;
        readonly summary?: readonly Block[];
        readonly error?: string;
      }
    | { readonly sessionUpdate: "compaction_summary_chunk"; readonly compactionId: string; readonly content: Block }
  );
