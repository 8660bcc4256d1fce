// SPDX-License-Identifier: MIT OR Apache-2.0
// One screen that says which sessions wait for people, run, are idle and ended, and what to type next.
import type {
  ListedElicitation,
  ListedPermission,
  SessionSnapshot,
  SessionSummary,
} from "../../agentd/vocabulary/replies.ts";
import { printableLine } from "../../display/printable.ts";
import type { Style, Text } from "../../display/styled.ts";
import { homePath } from "../process/home-path.ts";
import { subjectOfRequest } from "../questions/subject.ts";
import { goOn, howToWatch, nextStep, type NextStep } from "./next-step.ts";
import { type Cut, formatTable, type TableFit } from "./table.ts";
import { formatAge, formatTimeUntil } from "../../display/units.ts";

export interface Overview {
  /** Open requests. */
  readonly waiting: readonly (ListedPermission | ListedElicitation)[];
  readonly live: readonly SessionSummary[];
  /** Newest first. */
  readonly ended: readonly SessionSnapshot[];
  /** When the running turns began, by session. */
  readonly turnStarts: ReadonlyMap<string, string>;
}

interface Section {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
  /** Rows that it always gets. */
  readonly share: number;
  /** Lists all of them. */
  readonly command: string;
  /** What to type next, for its first row. */
  readonly next: NextStep | undefined;
  readonly paint: "warn" | "strong" | "faint";
}

/** The rows of all sections together. With headings, gaps and the next steps they fit a screen of 24 rows. */
const rowsMax = 11;

export function renderOverview(overview: Overview, now: number, fit: TableFit, style: Style): Text[] {
  const sections = toSections(overview, now, fit).filter(({ rows }) => rows.length > 0);
  if (sections.length === 0) return renderBeginning(style);
  const shown = share(sections).map((count, index) => shorten(sections[index], count));
  // All sections are one table, so that their columns are aligned.
  const columns = Math.max(0, fit.columns - indent.length);
  const all = shown.flatMap(({ rows }) => rows);
  const lines = formatTable(all, { columns }, cuts).map((line) => indent + line);
  const text: Text[] = [];
  for (const { section, rows, more } of shown) {
    text.push(style[section.paint](section.title));
    text.push(...lines.splice(0, rows.length).map((line) => (section.paint === "faint" ? style.faint(line) : line)));
    if (more > 0) text.push(style.faint(`  … ${more} more: ${section.command}`));
    text.push("");
  }
  const steps = sections.flatMap(({ next }) => (next === undefined ? [] : [next])).slice(0, stepsMax);
  return [...text, ...formatTable([...steps, ["all verbs:", "mix agent --help"]]).map(style.faint)];
}

const stepsMax = 3;

const indent = "  ";

/** The last column says what it is about, and gets the room; but names are what people type. */
const cuts: readonly Cut[] = [
  { column: 3, min: 28 },
  { column: 1, min: 10 },
  { column: 3, min: 16 },
];

function toSections({ waiting, live, ended, turnStarts }: Overview, now: number, fit: TableFit): Section[] {
  const sessions = new Map(live.map((one) => [one.session, one]));
  const soonest = waiting.toSorted((one, other) => expiry(one) - expiry(other));
  const isWaiting = new Set(waiting.map(({ session }) => session));
  const others = live.filter(({ session }) => !isWaiting.has(session));
  const running = others.filter(({ state }) => state !== "idle");
  const idle = others.filter(({ state }) => state === "idle");
  const age = (time: string): string => formatAge(now - Date.parse(time));
  const [question] = soonest;
  return [
    {
      title: `waiting for you (${waiting.length})`,
      rows: soonest.map((one) => {
        const session = sessions.get(one.session);
        const left = formatTimeUntil(one.expires_at, now);
        return [one.request, whose(session), one.expires_at === null ? left : `${left} left`, subjectOfRequest(one)];
      }),
      share: 4,
      command: "mix agent permit ls, mix agent answer",
      next: question && nextAnswer(question),
      paint: "warn",
    },
    {
      title: `running (${running.length})`,
      rows: running.map((one) => [
        one.session,
        whose(one),
        one.state === "running" ? age(turnStarts.get(one.session) ?? one.updated_at) : one.state,
        about(one, fit),
      ]),
      share: 3,
      command: "mix agent ls",
      next: running[0] && howToWatch(running[0]),
      paint: "strong",
    },
    {
      title: `idle (${idle.length})`,
      rows: idle.map((one) => [one.session, whose(one), `${age(one.updated_at)} ago`, about(one, fit)]),
      share: 2,
      command: "mix agent ls",
      next: idle[0] && goOn(idle[0]),
      paint: "strong",
    },
    {
      title: "ended",
      rows: ended.map((one) => [
        one.session,
        whose(one),
        `${age(one.updated_at)} ago`,
        [describeEnd(one), about(one, fit)].join(" · "),
      ]),
      share: 2,
      command: "mix agent ls --all",
      next: ended[0] && nextStep(ended[0]),
      paint: "faint",
    },
  ];
}

function expiry({ expires_at: end }: ListedPermission | ListedElicitation): number {
  return end === null ? Number.POSITIVE_INFINITY : Date.parse(end);
}

function nextAnswer({ kind, request }: ListedPermission | ListedElicitation): NextStep {
  const isPermission = kind === "permission";
  const command = isPermission ? `permit show ${request}   then: permit allow or deny` : `answer ${request} --show`;
  return ["to answer:", `mix agent ${command}`];
}

function whose(session: SessionSummary | undefined): string {
  if (session === undefined) return "";
  return session.name === undefined ? session.agent : `${session.agent} ${session.name}`;
}

function about({ title, cwd }: SessionSummary, fit: TableFit): string {
  return title === undefined || title === "" ? homePath(cwd, fit) : title;
}

function describeEnd({ state, reason, error }: SessionSnapshot): string {
  if (error !== undefined) return `${state}: ${error.error_code}`;
  return reason === undefined || reason === "asked" ? state : `${state} (${reason})`;
}

/** How many rows each section shows: its share, and of what others leave, the first ones most. */
function share(sections: readonly Section[]): number[] {
  const counts = sections.map(({ rows, share: own }) => Math.min(rows.length, own));
  let left = rowsMax - counts.reduce((sum, count) => sum + count, 0);
  for (const [index, { rows, paint }] of sections.entries()) {
    // Of those that ended, the latest few are enough.
    const most = paint === "faint" ? Math.min(rows.length, endedMax) : rows.length;
    const added = Math.max(0, Math.min(left, most - (counts[index] ?? 0)));
    counts[index] = (counts[index] ?? 0) + added;
    left -= added;
  }
  return counts;
}

const endedMax = 3;

/** Cuts a section to `count` rows; the line that says how many more there are is one of them. */
function shorten(section: Section | undefined, count: number) {
  if (section === undefined) throw new Error("each count belongs to a section");
  const { rows, paint } = section;
  const isWhole = rows.length <= count || paint === "faint";
  const kept = rows.slice(0, isWhole ? count : Math.max(1, count - 1));
  return { section, rows: kept, more: paint === "faint" ? 0 : rows.length - kept.length };
}

/** What to type where there is no session yet. */
export function renderBeginning(style: Style, reason = "no sessions yet"): Text[] {
  return [
    printableLine(reason),
    "",
    style.strong("to begin"),
    '  mix agent start demo "write hello.txt"   a demo, without a model or a key',
    "  mix agent agents                         the agents, and how to install them",
    "  mix agent ls --all                       earlier sessions",
    "  mix agent --help                         all verbs",
  ];
}
