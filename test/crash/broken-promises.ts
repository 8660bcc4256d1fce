// SPDX-License-Identifier: MIT OR Apache-2.0
// What must hold of a log, and of what left agentd beside it, wherever agentd has died: as sentences on what does not.
import { isDeepStrictEqual } from "node:util";
import { newRow, project, type SessionRow } from "../../agentd/log/project.ts";
import type { JsonObject } from "../scripted-agent/scenario.ts";
import type { Entry, EntryKind, TruncatedEntry } from "../../agentd/vocabulary/index.ts";
import type { Logged } from "./logged.ts";

type EntryOf<K extends EntryKind> = Extract<Entry, { readonly kind: K }>;

export interface Evidence {
  readonly logged: Logged;
  /** Every frame that agents got, in order. */
  readonly frames: readonly JsonObject[];
  /** Everything that the topic brought to somebody who followed from the start. */
  readonly seen: readonly (Entry | TruncatedEntry)[];
}

/** After a recovery: nothing is open, nothing claims to live. */
export function brokenAfterRecovery(evidence: Evidence): string[] {
  const all = [...evidence.logged.sessions];
  return [
    ...brokenPromises(evidence),
    ...all.flatMap(([session, { row }]) => leftOpen(row).map((what) => `${session}: ${what}`)),
  ];
}

/** At any time when no agentd runs. */
export function brokenPromises({ logged, frames, seen }: Evidence): string[] {
  const sessions = [...logged.sessions];
  const entries = sessions.flatMap(([, each]) => each.entries);
  return [
    ...logged.problems,
    ...sessions.flatMap(([session, each]) =>
      [
        ...gaps(each.entries),
        ...turnFaults(each.entries),
        ...messagesInTwoTurns(each.entries),
        ...commandFaults(each.entries),
        ...requestFaults(each.entries),
        ...rowFaults(each.row, each.entries),
      ].map((what) => `${session}: ${what}`),
    ),
    ...idsTwice(entries),
    ...framesWithoutRow(frames, entries),
    ...publishedWithoutRow(seen, logged),
  ];
}

function leftOpen({ state, open }: SessionRow): string[] {
  const ended = state === "closed" || state === "lost" || state === "failed";
  const parts = Object.entries(open).filter(([, of]) => of.length > 0);
  return [
    ...(ended ? [] : [`is ${String(state)} without an agent`]),
    ...parts.map(([part, of]) => `${part} are open: ${JSON.stringify(of)}`),
  ];
}

function gaps(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry, index) =>
    entry?.seq === index + 1 ? [] : [`at ${index + 1} stands seq ${String(entry?.seq)}`],
  );
}

function turnFaults(entries: readonly Entry[]): string[] {
  const phases = new Map<number, string[]>();
  const begun: number[] = [];
  for (const entry of ofKind(entries, "turn")) {
    phases.set(entry.turn, [...(phases.get(entry.turn) ?? []), entry.phase]);
    if (entry.phase === "started") begun.push(entry.turn);
  }
  const lives = new Set(["queued started ended", "queued ended", "started ended"]);
  const open = new Set(["queued started", "queued", "started"]);
  const last = entries.findLast((entry) => entry.kind === "state");
  const live = last?.kind === "state" && !["closed", "lost", "failed"].includes(last.state);
  return [
    ...[...phases].flatMap(([turn, of]) => {
      const told = of.join(" ");
      return lives.has(told) || (live && open.has(told)) ? [] : [`turn ${turn} was ${told}`];
    }),
    ...(begun.every((turn, index) => index === 0 || turn > begun[index - 1]!)
      ? []
      : [`turns began as ${begun.join()}`]),
  ];
}

/** Whoever puts a message together from its chunks goes by its id. */
function messagesInTwoTurns(entries: readonly Entry[]): string[] {
  const turns = new Map<string, number>();
  return ofKind(entries, "message").flatMap(({ message_id, turn }) => {
    const first = turns.get(message_id) ?? turn;
    turns.set(message_id, first);
    return first === turn ? [] : [`the message ${message_id} is of turn ${first} and of turn ${turn}`];
  });
}

function commandFaults(entries: readonly Entry[]): string[] {
  const commands = new Set(ofKind(entries, "command").map(({ seq }) => seq));
  const answered = ofKind(entries, "reply").map(({ command_seq }) => command_seq);
  return [
    ...answered.filter((seq) => !commands.has(seq)).map((seq) => `a reply to ${seq}, which is no command`),
    ...answered.filter((seq, index) => answered.indexOf(seq) !== index).map((seq) => `two replies to ${seq}`),
  ];
}

function requestFaults(entries: readonly Entry[]): string[] {
  const phases = new Map<string, string[]>();
  for (const { request, phase } of ofKind(entries, "permission")) {
    phases.set(request, [...(phases.get(request) ?? []), phase]);
  }
  return [...phases].flatMap(([request, of]) =>
    /^requested( resolved( sent| unsent)?)?$/.test(of.join(" ")) ? [] : [`request ${request} was ${of.join(" ")}`],
  );
}

/** The row that snapshots and recovery read is what the entries come to, one by one. */
function rowFaults(row: SessionRow, entries: readonly Entry[]): string[] {
  let folded = newRow(row.session, row.created_at);
  for (const entry of entries) folded = project(folded, entry.at, [entry]);
  return isDeepStrictEqual(folded, row)
    ? []
    : [`its row is ${JSON.stringify(row)}, its entries come to ${JSON.stringify(folded)}`];
}

/** An id is taken once: of its session, or with a start of the whole instance. */
function idsTwice(entries: readonly Entry[]): string[] {
  const ids = ofKind(entries, "command").flatMap(({ command_id, verb, session }) =>
    command_id === undefined ? [] : [`${verb === "agent.session.start" ? "instance" : session}/${command_id}`],
  );
  return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `the id ${id} was accepted twice`);
}

/** Prompts are told apart by their text; of other frames there are no more than rows that allow them. */
function framesWithoutRow(frames: readonly JsonObject[], entries: readonly Entry[]): string[] {
  const count = (fits: (frame: JsonObject) => boolean): number => frames.filter(fits).length;
  const method = (...names: string[]) => count((frame) => names.some((name) => name === frame["method"]));
  const commands = (...verbs: string[]): number => {
    const names = new Set(verbs.map((verb) => `agent.session.${verb}`));
    return ofKind(entries, "command").filter(({ verb }) => names.has(verb)).length;
  };
  // Of the entries that begin a life, only those of the lives that agentd began by itself give a reason.
  const broughtBack = ofKind(entries, "state").filter(
    ({ state, reason }) => state === "starting" && reason !== undefined,
  ).length;
  const lives = commands("start", "resume") + broughtBack;
  const closings = ofKind(entries, "state").filter(({ state }) => state === "closing").length;
  const answers = (phase: string) => ofKind(entries, "permission").filter((entry) => entry.phase === phase).length;
  const bounds: readonly (readonly [string, number, number])[] = [
    ["agents were spoken to", method("initialize"), lives],
    ["sessions were opened", method("session/new", "session/resume"), lives],
    ["cancels were sent", method("session/cancel"), commands("cancel") + closings],
    ["sessions were closed", method("session/close"), closings],
    // A resumed session gets again what was set before.
    ["options were set", method("session/set_config_option"), commands("set_config", "resume") + broughtBack],
    // One of which the log says that it was never sent was not.
    ["answers were sent", count(isAnswer), answers("resolved") - answers("unsent")],
  ];
  return [
    ...bounds.flatMap(([what, sent, allowed]) => (sent <= allowed ? [] : [`${sent} ${what}, ${allowed} are logged`])),
    ...promptsWithoutRow(frames, entries),
  ];
}

function promptsWithoutRow(frames: readonly JsonObject[], entries: readonly Entry[]): string[] {
  const begun = new Set(
    ofKind(entries, "turn").flatMap(({ session, turn, phase }) => (phase === "started" ? [`${session}/${turn}`] : [])),
  );
  const unsent = new Set(
    ofKind(entries, "turn").flatMap(({ session, turn, sent }) => (sent === false ? [`${session}/${turn}`] : [])),
  );
  const turns = new Map<string, string>();
  for (const { role, content, session, turn } of ofKind(entries, "message")) {
    if (role === "user") turns.set(String(content["text"]), `${session}/${String(turn)}`);
  }
  const texts = frames.flatMap((frame) => (frame["method"] === "session/prompt" ? [promptText(frame)] : []));
  return texts.flatMap((text, index) => {
    const turn = turns.get(text);
    if (turn === undefined || !begun.has(turn)) return [`"${text}" was sent, and its turn is not logged as begun`];
    if (unsent.has(turn)) return [`"${text}" was sent, and the log says that it was not`];
    return texts.indexOf(text) === index ? [] : [`"${text}" was sent twice`];
  });
}

/** Of a turn that recovery ends, it is known to have been sent only where its agent had begun to answer. */
export function claimedToBeSent({ logged, frames }: Omit<Evidence, "seen">): string[] {
  const got = new Set(frames.flatMap((frame) => (frame["method"] === "session/prompt" ? [promptText(frame)] : [])));
  return [...logged.sessions.values()].flatMap(({ entries }) => {
    const ends = ofKind(entries, "turn").filter(({ seq, phase, sent }) => {
      const after = entries.slice(seq).find(({ kind }) => kind === "state");
      return phase === "ended" && sent === true && after?.kind === "state" && after.reason === "restart";
    });
    const turns = new Set(ends.map(({ turn }) => turn));
    const texts = ofKind(entries, "message").filter(({ role, turn }) => role === "user" && turns.has(turn));
    return texts
      .map(({ content }) => String(content["text"]))
      .filter((text) => !got.has(text))
      .map((text) => `"${text}" is said to be sent, and no agent got it`);
  });
}

/** Every delivery is what the log holds at its place, and the deliveries of a session follow each other. */
function publishedWithoutRow(seen: Evidence["seen"], logged: Logged): string[] {
  const last = new Map<string, number>();
  return seen.flatMap((entry) => {
    const session = entry.session ?? "";
    const row = logged.sessions.get(session)?.entries[entry.seq - 1];
    const before = last.get(session);
    last.set(session, entry.seq);
    if (!isDeepStrictEqual(row, entry)) return [`${session}/${entry.seq} was published and is not so in the log`];
    if (before !== undefined && entry.seq !== before + 1)
      return [`${session}/${entry.seq} was published after ${before}`];
    return [];
  });
}

export function promptText(frame: JsonObject): string {
  const { prompt = [] } = (frame["params"] ?? {}) as { prompt?: readonly { readonly text?: string }[] };
  return prompt.map(({ text }) => text ?? "").join("");
}

/** The answer to a permission request. */
export function isAnswer(frame: JsonObject): boolean {
  const { result } = frame as { result?: { outcome?: unknown } };
  return frame["method"] === undefined && result?.outcome !== undefined;
}

function ofKind<K extends EntryKind>(entries: readonly Entry[], kind: K): (EntryOf<K> & { readonly turn: number })[] {
  return entries.filter((entry): entry is EntryOf<K> & { readonly turn: number } => entry.kind === kind);
}
