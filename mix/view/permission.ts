// SPDX-License-Identifier: MIT OR Apache-2.0
// Shows permission requests. All text but the request's id comes from the agent. It is made printable and bounded, so that
// it can neither hide what the agent asks for nor repaint the screen.
import { RawJson } from "../../json/raw-json.ts";
import type { PermissionChoice, PermissionEntry, ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { verdictOf } from "../../agent-client/view/decision.ts";
import { formatCount, formatTimeLeft } from "../../display/units.ts";
import { jsonText } from "../process/json-text.ts";
import { printable, printableLine } from "../../display/printable.ts";
import type { Text } from "../../display/styled.ts";
import { finalToolStatuses, titleWithName } from "../../agentd/vocabulary/entries.ts";
import { renderDiffs, collectDiffFacts, type Screen, shortenPath } from "./tool-calls.ts";

export interface PermissionRequest {
  readonly request: string;
  readonly agent_session?: string;
  readonly tool_call?: ToolCallFields;
  /** What the tool call is called that started the sub-agent which asks. */
  readonly sub_agent?: string;
  /** Members of the tool call that the agent changed after it asked. */
  readonly changed?: readonly string[];
  /** Members of the tool call that were too long to be included. */
  readonly left_out?: readonly string[];
  readonly options?: readonly PermissionChoice[];
  /** ISO times. Without both of them, the time left is not shown. */
  readonly now?: string;
  readonly expires_at?: string | null;
  /** Why the session's policy left the request to a person. */
  readonly why?: string;
}

export interface PermissionRenderOptions extends Screen {
  /** The session's directory, if known. */
  readonly directory?: string | undefined;
  /** Shows everything in full length. */
  readonly isWhole?: boolean;
  /** Omits the diffs, which are already shown right above. */
  readonly isBelowDiff?: boolean;
  /** False omits the commands that answer the request, and its options unless everything is shown. */
  readonly isOpen?: boolean;
}

export function renderPermission(permission: PermissionRequest, options: PermissionRenderOptions): Text[] {
  const { style } = options;
  const { tool_call: tool, sub_agent: subAgent } = permission;
  const kind = tool?.tool_kind ?? "kind not given";
  return [
    style.question(`? allow: ${printableLine(titleWithName(tool ?? {}) ?? "…")} (${printableLine(kind)})`),
    ...(subAgent === undefined ? [] : [style.faint(`  asked by a sub-agent: ${printableLine(subAgent)}`)]),
    ...renderWarnings(permission, options),
    ...renderFacts(tool, options),
    ...(permission.why === undefined ? [] : [style.faint(`  ${printableLine(permission.why)}`)]),
    ...(options.isOpen === false && options.isWhole !== true ? [] : renderChoices(permission.options ?? [], options)),
    ...(options.isOpen === false ? [] : [style.faint(`  answer: ${describeAnswerCommands(permission)}`)]),
  ];
}

/** Renders the warnings that a person has to read before the agent's own text. */
function renderWarnings(permission: PermissionRequest, options: PermissionRenderOptions): Text[] {
  const { request, agent_session: other, tool_call: tool, changed = [], left_out: missing = [] } = permission;
  const where = options.isWhole === true ? "its entries are no longer in the log" : `${showCommand} ${request}`;
  const warnings = [
    ...(other === undefined ? [] : [`asked by another session of this agent: ${other}`]),
    ...(tool === undefined || describesAction(tool) || missing.length > 0
      ? []
      : ["the agent does not say what it is about to do"]),
    ...(finalToolStatuses.has(tool?.status) ? [`this tool call has already ended: ${tool?.status}`] : []),
    ...(changed.length === 0 ? [] : [`changed since it was asked: ${formatMemberNames(changed)}`]),
    ...(missing.length === 0 ? [] : [`too long to show here: ${formatMemberNames(missing)} (${where})`]),
  ];
  return warnings.map((warning) => options.style.warn(`  ! ${printableLine(warning)}`));
}

function describesAction({ title, name, content, locations, raw_input: input }: ToolCallFields): boolean {
  const lists = [content, locations].some((list) => list !== undefined && list !== null && list.length > 0);
  return lists || [title, name, input].some((value) => value !== undefined && value !== null);
}

function formatMemberNames(names: readonly string[]): string {
  return names.map((name) => name.replaceAll("_", " ")).join(", ");
}

/** Leaves out what `--option` takes where people answer at the terminal: by a number, or yes or no. */
function renderChoices(
  choices: readonly PermissionChoice[],
  { isWhole, isOpen, columns }: PermissionRenderOptions,
): string[] {
  return choices.map(({ option, name, kind }, index) => {
    const flag = columns === 0 || (isWhole === true && isOpen !== false) ? `, --option ${printableLine(option)}` : "";
    return `  ${index + 1}) ${printableLine(name)}  [${printableLine(kind)}${flag}]`;
  });
}

export interface ResolvedRequest {
  readonly asked: PermissionEntry;
  /** A short description of the request, with its number if several are open. */
  readonly about: string;
}

/** Renders how a permission request ended. Without `resolved`, the request is shown right above. */
export function renderPermissionResolution(
  entry: PermissionEntry,
  style: Screen["style"],
  resolved?: ResolvedRequest,
  self?: string,
): Text {
  const option = entry.outcome === "selected" ? printableLine(entry.option ?? "") : undefined;
  const changed =
    entry.changed === undefined ? "" : `; changed after it was asked: ${formatMemberNames(entry.changed)}`;
  const who = `(${describeResolver(entry, self)}${printableLine(changed)})`;
  if (resolved === undefined) return style.faint(`  → ${option ?? "cancelled"} ${who}`);
  const verdict = verdictOf(entry, resolved.asked);
  const kind = resolved.asked.options?.find((one) => one.option === entry.option)?.kind;
  // Of these the verdict says it all.
  const choice = option === undefined || kind === "allow_once" || kind === "reject_once" ? "" : `, ${option}`;
  return style.faint(`  → ${verdict}: ${resolved.about}${choice} ${who}`);
}

/** Names who resolved a request, and why. `self` is the reader's own name on the Bus. */
export function describeResolver({ via, by, why }: Pick<PermissionEntry, "via" | "by" | "why">, self?: string): string {
  // A policy's reason already names the policy.
  if (via === "policy" && why !== undefined) return `by ${printableLine(why)}`;
  const who = via === undefined ? `by ${describeCitizen(by ?? "someone", self)}` : describeChannel(via, by);
  return `${who}${why === undefined ? "" : `, ${printableLine(why)}`}`;
}

/** Nobody knows the name on the Bus that their own terminal was given. */
export function describeCitizen(name: string, self: string | undefined): string {
  return name === self ? "you" : printableLine(name);
}

/** Names the person for an answer through notify, if known; otherwise the channel. */
function describeChannel(via: NonNullable<PermissionEntry["via"]>, by: string | null | undefined): string {
  if (via !== "notify" || by === undefined || by === null || by === via) return resolverTexts[via];
  return `by ${printableLine(by)}, asked by notify`;
}

/** Renders paths, diffs and the raw input, because a title may leave out what matters. Repetitions are omitted. */
function renderFacts(tool: ToolCallFields | undefined, options: PermissionRenderOptions): Text[] {
  if (tool === undefined) return [];
  const isWhole = options.isWhole === true;
  const { paths: diffPaths, texts } = collectDiffFacts(tool);
  const paths = toLocationPaths(tool).filter((path) => !diffPaths.has(path));
  const listed = isWhole ? paths : paths.slice(0, locationsMax);
  const shownPaths = new Set([...listed, ...diffPaths]);
  // With several paths, only the input tells which is which.
  const known = new Set(shownPaths.size === 1 ? [...shownPaths, ...texts] : texts);
  const changes = renderDiffs(tool, options, isWhole);
  return [
    ...listed.map((path) => `  ${printableLine(shortenPath(path, options.directory, options.home))}`),
    ...(paths.length > listed.length ? [`  ${describeOmitted(paths.length - listed.length, "path")}`] : []),
    ...(options.isBelowDiff === true ? [] : changes.lines),
    ...(changes.isCut ? [options.style.warn(`  … this change is cut; show all of it: ${showCommand}`)] : []),
    ...renderRawInput(omitKnownTexts(tool.raw_input, known), isWhole ? Number.POSITIVE_INFINITY : shortInputLinesMax),
  ];
}

/** Removes input members that equal one of the known texts exactly. */
function omitKnownTexts(input: unknown, known: ReadonlySet<unknown>): unknown {
  if (known.has(input)) return undefined;
  if (typeof input !== "object" || input === null || Array.isArray(input) || input instanceof RawJson) return input;
  const left = Object.entries(input).filter(([, value]) => !known.has(value));
  return left.length === 0 && Object.keys(input).length > 0 ? undefined : Object.fromEntries(left);
}

function renderRawInput(input: unknown, linesMax: number): string[] {
  if (input === undefined || input === null) return [];
  const text = typeof input === "string" ? input : jsonText(input, 1);
  const lines = printable(text).split("\n");
  const kept = lines.slice(0, linesMax);
  if (lines.length > linesMax) kept.push(describeOmitted(lines.length - linesMax, "line"));
  return kept.map((line) => `    ${line}`);
}

function describeOmitted(count: number, what: string): string {
  return `… ${formatCount(count, `more ${what}`)}: ${showCommand}`;
}

const showCommand = "mix agent permit show";

const resolverTexts: Readonly<Record<NonNullable<PermissionEntry["via"]>, string>> = {
  notify: "a person, asked by notify",
  policy: "by policy",
  timeout: "nobody answered in time",
  cancel: "the turn was cancelled",
  agent: "the agent withdrew it",
  end: "the session ended",
  restart: "agentd restarted",
};

function toLocationPaths(tool: ToolCallFields): string[] {
  return (tool.locations ?? [])
    .map((location) => (location as { path?: unknown } | null)?.path)
    .filter((path) => typeof path === "string");
}

const locationsMax = 10;
const shortInputLinesMax = 30;

function describeAnswerCommands(permission: PermissionRequest): string {
  return `mix agent permit allow ${printableLine(permission.request)}   or: deny, show${describeExpiry(permission)}`;
}

export function describeExpiry({ now, expires_at: expiresAt }: Pick<PermissionRequest, "now" | "expires_at">): string {
  if (expiresAt === undefined || expiresAt === null || now === undefined) return "";
  const leftMs = Date.parse(expiresAt) - Date.parse(now);
  return leftMs > 0 ? `   (within ${formatTimeLeft(leftMs)})` : "";
}
