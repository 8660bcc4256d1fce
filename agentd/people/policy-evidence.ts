// SPDX-License-Identifier: MIT OR Apache-2.0
// Collects what a policy decides by besides the permission request itself: earlier reports about the tool call and the
// real paths in it. Done before the step, which must not touch the file system.
import { lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import type { AgentEvent } from "../../acp-client/agent-events.ts";
import type { PolicySettings } from "../config/settings.ts";
import type { Reserved } from "../instance/reserved.ts";
import { isWithin } from "../instance/within.ts";
import { isAnnouncement } from "../vocabulary/index.ts";
import { type ToolCallReport, mergeReport, type ToolCallFacts, ToolCallHistory } from "./tool-call-facts.ts";
import type { PolicyEvidence, Place } from "../session/core/requests/policy.ts";

export interface EvidenceOptions {
  /** From the current configuration. */
  readonly policy: PolicySettings | undefined;
  readonly reserved: Reserved;
  /** Paths of one tool call that are resolved. */
  readonly pathsMax: number;
}

/** `before`: the facts of the tool call before this request, whose own report is merged into them. */
export function collectEvidence(
  before: ToolCallFacts,
  asked: ToolCallReport,
  { policy, reserved, pathsMax }: EvidenceOptions,
): PolicyEvidence {
  const { locations, diffs, incomplete } = mergeReport(before, asked, pathsMax);
  const tooMany = locations.length > pathsMax || diffs.length > pathsMax;
  const place = (path: string | null): Place =>
    tooMany || path === null ? { path: path ?? "", real: undefined } : placeOf(path, reserved);
  return {
    kindsBefore: before.kinds,
    locations: locations.map(place),
    diffs: diffs.map(place),
    incomplete,
    tooMany,
    ruleDirectories: ruleDirectories(policy),
  };
}

function placeOf(path: string, reserved: Reserved): Place {
  const real = findRealPath(path);
  return { path, real, ...(real !== undefined && reserved.includes(real) ? { reserved: true } : {}) };
}

function ruleDirectories(policy: PolicySettings | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { within } of policy?.allowOnce ?? []) {
    const real = within === "session" ? undefined : findRealPath(within.directory);
    if (within !== "session" && real !== undefined) found.set(within.directory, real);
  }
  return found;
}

export interface EvidenceCollectorOptions extends Omit<EvidenceOptions, "policy"> {
  readonly policy: () => EvidenceOptions["policy"];
  readonly callsMax: number;
}

/** Give it every event of one agent, in order. */
export class EvidenceCollector {
  readonly #options: EvidenceCollectorOptions;
  readonly #history: ToolCallHistory;

  constructor(options: EvidenceCollectorOptions) {
    this.#options = options;
    this.#history = new ToolCallHistory(options.callsMax, options.pathsMax);
  }

  /** Returns the evidence if the event is a permission request. */
  onEvent(event: AgentEvent): PolicyEvidence | undefined {
    if (event.type === "update" && event.update.kind === "tool_call") {
      const { call } = event.update;
      this.#history.record(call.toolCallId, { ...call, announces: isAnnouncement(call.title, call.kind, call.status) });
    }
    // A person decides about requests of another session of the agent.
    if (event.type !== "permission" || event.agentSession !== undefined) return undefined;
    const { toolCall } = event;
    const { policy, reserved, pathsMax } = this.#options;
    const sight = this.#history.record(toolCall.toolCallId, toolCall);
    return collectEvidence(sight, toolCall, { policy: policy(), reserved, pathsMax });
  }
}

/** Missing components at the end of a path; resolving thousands would take long. */
const missingNamesMax = 32;

/**
 * Resolves the links of a path that an agent wrote; of a missing file, those of the nearest existing parent. Undefined if
 * the path is relative, contains `..` or NUL, ends in a broken link, passes a directory that cannot be searched, or is in
 * /proc or /dev, which each process sees differently.
 */
export function findRealPath(path: string): string | undefined {
  if (!isAbsolute(path) || path.includes("\0") || path.split("/").includes("..")) return undefined;
  if (["/proc", "/dev"].some((directory) => isWithin(path, directory))) return undefined;
  let parent = path;
  for (let missing = 0; missing <= missingNamesMax; missing += 1) {
    const real = realOf(parent);
    if (real === "unclear") return undefined;
    if (real !== "missing") return join(real.path, relative(parent, path));
    parent = dirname(parent);
  }
  return undefined;
}

function realOf(path: string): { readonly path: string } | "missing" | "unclear" {
  try {
    // The native variant, since the other removes `..` from the text.
    return { path: realpathSync.native(path) };
  } catch (cause) {
    return isMissing(cause) && !isThere(path) ? "missing" : "unclear";
  }
}

/** A broken link exists: a write through it would create its target elsewhere. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (cause) {
    return !isMissing(cause);
  }
}

function isMissing(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException).code === "ENOENT";
}
