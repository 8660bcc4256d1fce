// SPDX-License-Identifier: MIT OR Apache-2.0
// A permission question as people see it. Every word of it but the request's id is the agent's, and shown so that it can
// neither hide what is asked nor repaint the screen.
import { RawJson } from "../../json/raw-json.ts";
import type { PermissionChoice, PermissionEntry, ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { formatTimeLeft } from "./units.ts";
import { jsonText } from "../process/json-text.ts";
import { printable, printableLine } from "../../display/printable.ts";
import type { Text } from "../../display/styled.ts";
import { isOver } from "../entries/tool-call-fold.ts";
import { renderDiffs, collectDiffFacts } from "./tool-calls.ts";
import type { Screen } from "./tool-calls.ts";

export interface PermissionQuestion {
  readonly request: string;
  readonly agent_session?: string;
  readonly tool_call?: ToolCallFields;
  /** Members of the tool call that the agent has changed since it asked. */
  readonly changed?: readonly string[];
  /** Members of the tool call that are too long to be here. */
  readonly left_out?: readonly string[];
  readonly options?: readonly PermissionChoice[];
  readonly now?: string;
  readonly expires_at?: string | null;
  /** Why the session's policy left it to a person. */
  readonly why?: string;
}

export interface PermissionRenderOptions extends Screen {
  /** Nothing is left out, however long it is and however often it was said. */
  readonly isWhole?: boolean;
  /** The changes stand right above: they need not be shown again. */
  readonly isBelowDiff?: boolean;
  /** A question that is closed is shown without the way to answer it. */
  readonly isOpen?: boolean;
}

export function renderPermission(question: PermissionQuestion, view: PermissionRenderOptions): Text[] {
  const { style } = view;
  const tool = question.tool_call;
  const kind = tool?.tool_kind ?? "no kind given";
  return [
    style.bold(style.yellow(`? may it: ${printableLine(tool?.title ?? tool?.name ?? "…")} (${printableLine(kind)})`)),
    ...renderWarnings(question, view),
    ...renderFacts(tool, view),
    ...(question.why === undefined ? [] : [style.dim(`  ${printableLine(question.why)}`)]),
    ...renderChoices(question.options ?? []),
    ...(view.isOpen === false ? [] : [style.dim(`  answer: ${describeAnswerCommands(question)}`)]),
  ];
}

/** What a person has to know before all else that the agent says. */
function renderWarnings(question: PermissionQuestion, view: PermissionRenderOptions): Text[] {
  const { request, agent_session: other, tool_call: tool, changed = [], left_out: missing = [] } = question;
  const where = view.isWhole === true ? "its entries are not in the log any more" : `${showCommand} ${request}`;
  const words = [
    ...(other === undefined ? [] : [`asked by another session of the agent, ${other}`]),
    ...(tool === undefined || describesAction(tool) || missing.length > 0
      ? []
      : ["the agent does not say what it is about to do"]),
    ...(isOver(tool?.status) ? [`this tool call has ended already: ${tool?.status}`] : []),
    ...(changed.length === 0 ? [] : [`changed since it was asked: ${formatMemberNames(changed)}`]),
    ...(missing.length === 0 ? [] : [`too long to be shown here: ${formatMemberNames(missing)} (${where})`]),
  ];
  return words.map((each) => view.style.yellow(`  ! ${printableLine(each)}`));
}

function describesAction({ title, name, content, locations, raw_input: input }: ToolCallFields): boolean {
  const lists = [content, locations].some((list) => list !== undefined && list !== null && list.length > 0);
  return lists || [title, name, input].some((said) => said !== undefined && said !== null);
}

function formatMemberNames(names: readonly string[]): string {
  return names.map((name) => name.replaceAll("_", " ")).join(", ");
}

function renderChoices(choices: readonly PermissionChoice[]): string[] {
  return choices.map(({ option, name, kind }, index) => {
    return `  ${index + 1}) ${printableLine(name)}  [${printableLine(kind)}, --option ${printableLine(option)}]`;
  });
}

export interface ResolvedQuestion {
  readonly asked: PermissionEntry;
  /** In a few words, with its number where there are several. */
  readonly about: string;
}

/** Without `resolved` the question stands right above. */
export function renderPermissionResolution(
  entry: PermissionEntry,
  style: Screen["style"],
  resolved?: ResolvedQuestion,
): Text {
  const option = entry.outcome === "selected" ? printableLine(entry.option ?? "") : undefined;
  const changed =
    entry.changed === undefined ? "" : `; changed after it was asked: ${formatMemberNames(entry.changed)}`;
  const who = `(${describeResolver(entry)}${printableLine(changed)})`;
  if (resolved === undefined) return style.dim(`  → ${option ?? "cancelled"} ${who}`);
  const verdict = describeVerdict(resolved.asked, entry);
  return style.dim(`  → ${verdict}: ${resolved.about}${option === undefined ? "" : `, ${option}`} ${who}`);
}

/** By the kind of the option, never by what the agent calls it. */
function describeVerdict(asked: PermissionEntry, { outcome, option }: PermissionEntry): string {
  if (outcome !== "selected") return "cancelled";
  const kind = asked.options?.find((one) => one.option === option)?.kind ?? "";
  return kind.startsWith("allow_") ? "allowed" : kind.startsWith("reject_") ? "refused" : "answered";
}

/** Who ended a question, and why. */
export function describeResolver({ via, by, why }: Pick<PermissionEntry, "via" | "by" | "why">): string {
  // Its own reason names the policy.
  if (via === "policy" && why !== undefined) return `by ${printableLine(why)}`;
  const who = via === undefined ? `by ${printableLine(by ?? "someone")}` : describeChannel(via, by);
  return `${who}${why === undefined ? "" : `, ${printableLine(why)}`}`;
}

/** Of what notify asked, the person is known who answered there. */
function describeChannel(via: NonNullable<PermissionEntry["via"]>, by: string | null | undefined): string {
  if (via !== "notify" || by === undefined || by === null || by === via) return resolverTexts[via];
  return `by ${printableLine(by)}, asked by notify`;
}

/** Paths, changes, and what the tool really gets, since a title may leave out what matters; each fact once. */
function renderFacts(tool: ToolCallFields | undefined, view: PermissionRenderOptions): Text[] {
  if (tool === undefined) return [];
  const isWhole = view.isWhole === true;
  const { paths: diffPaths, texts } = collectDiffFacts(tool);
  const paths = toLocationPaths(tool).filter((path) => isWhole || !diffPaths.has(path));
  const listed = isWhole ? paths : paths.slice(0, locationsMax);
  const said = new Set([...listed, ...diffPaths]);
  // Of several paths an input tells which is which.
  const known = new Set(said.size === 1 ? [...said, ...texts] : texts);
  const changes = renderDiffs(tool, view, isWhole);
  return [
    ...listed.map((path) => `  ${printableLine(path)}`),
    ...(paths.length > listed.length ? [`  ${describeOmitted(paths.length - listed.length, "path")}`] : []),
    ...(view.isBelowDiff === true ? [] : changes.lines),
    ...(changes.isCut ? [view.style.yellow(`  … the change is longer than what is shown: ${showCommand}`)] : []),
    ...renderRawInput(
      isWhole ? tool.raw_input : omitKnownTexts(tool.raw_input, known),
      isWhole ? Number.POSITIVE_INFINITY : shortInputLinesMax,
    ),
  ];
}

/** Of an input, what is none of these texts. A text that differs from them in anything stays. */
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
  return `… ${count} more ${what}${count === 1 ? "" : "s"}: ${showCommand}`;
}

const showCommand = "mix agent permit show";

const resolverTexts: Readonly<Record<NonNullable<PermissionEntry["via"]>, string>> = {
  notify: "a person, asked by notify",
  policy: "by policy",
  timeout: "nobody answered in time",
  cancel: "the turn was cancelled",
  agent: "the agent took it back",
  end: "the session ended",
  restart: "agentd was started again",
};

function toLocationPaths(tool: ToolCallFields): string[] {
  return (tool.locations ?? [])
    .map((location) => (location as { path?: unknown } | null)?.path)
    .filter((path) => typeof path === "string");
}

const locationsMax = 10;
const shortInputLinesMax = 30;

function describeAnswerCommands(question: PermissionQuestion): string {
  return `mix agent permit allow ${printableLine(question.request)}   or: permit deny, permit show${describeExpiry(question)}`;
}

export function describeExpiry({ now, expires_at: expiresAt }: Pick<PermissionQuestion, "now" | "expires_at">): string {
  if (expiresAt === undefined || expiresAt === null || now === undefined) return "";
  const leftMs = Date.parse(expiresAt) - Date.parse(now);
  return leftMs > 0 ? `   (within ${formatTimeLeft(leftMs)})` : "";
}
