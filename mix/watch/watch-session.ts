// SPDX-License-Identifier: MIT OR Apache-2.0
// Follows a session on behalf of a verb until an entry decides how the verb ends: shown to people, as JSON, or not at all.
import type { ElicitationEntry, Entry, PermissionEntry, TruncatedEntry } from "../../agentd/vocabulary/entries.ts";
import { Attachment } from "../attach/attachment.ts";
import type { AgentBus } from "../bus/ask.ts";
import { detach, leave } from "./detach.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { entriesUntilInterrupt } from "./entries-until-interrupt.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import type { Invocation } from "../input/verb.ts";
import { LiveView } from "../view/live-view.ts";

export interface WatchOptions {
  readonly session: string;
  readonly after: number | string;
  readonly showPrompts: boolean;
  /** The session's, where it is known before an entry says it: paths below it are shown without it. */
  readonly directory?: string;
  /** Which entries are shown; all without it. */
  readonly shows?: (entry: Entry) => boolean;
  /** The outcome, once an entry decides it. */
  readonly decide: (entry: Entry) => Outcome | undefined;
  /** The verb says afterwards why the end was a bad one: the view leaves that to it. */
  readonly tellsFailure?: true;
  /** What a person at the terminal can do; without it questions can be answered, and with `asks: false` nothing. */
  readonly attachment?: Attachment;
  readonly asks?: false;
}

export async function watchSession(invocation: Invocation, bus: AgentBus, options: WatchOptions): Promise<Outcome> {
  const { context, output } = invocation;
  const answered = new Set<string>();
  let attachment = options.attachment;
  const { entries, goOnWords, isTerminated, release } = await entriesUntilInterrupt(invocation, bus, options, {
    onBatch: (batch) => noteAnswered(answered, batch),
    say: (words) => (attachment?.takesLines === true ? attachment.say(words) : words()),
  });
  const view =
    output.mode === "people"
      ? new LiveView(context, output, { ...options, isOpen: (request) => !answered.has(request) })
      : undefined;
  try {
    attachment ??= answering(invocation, bus, options);
    attachment?.standUnder(view);
    let outcome: Outcome | undefined;
    for await (const entry of entries) {
      outcome = options.decide(entry);
      if (options.shows?.(entry) ?? true) {
        const saysWhy = outcome === undefined || options.tellsFailure !== true;
        if (attachment?.asks(entry) === true && !asksOneOf(answered, entry)) attachment.ask(entry);
        else {
          attachment?.hide();
          const wrote = await (view === undefined ? showRow(invocation, entry) : view.show(entry, saysWhy));
          attachment?.see(entry, wrote);
        }
        if (attachment?.takesLines === true) view?.hideSpinner();
      }
      if (outcome !== undefined) break;
    }
    attachment?.end();
    await view?.end();
    if (outcome !== undefined) return outcome;
    if (attachment?.hasLeft === true) return leave(invocation, options.session);
    return await detach(invocation, bus, { session: options.session, goOnWords: goOnWords(), asks: !isTerminated() });
  } finally {
    attachment?.end();
    release();
  }
}

/** Requests of which the answer came with the question, as a policy's does: nobody is asked them any more. */
function noteAnswered(answered: Set<string>, entries: readonly (Entry | TruncatedEntry)[]): void {
  for (const entry of entries) if (isOfRequest(entry) && entry.phase === "resolved") answered.add(entry.request);
}

function asksOneOf(answered: ReadonlySet<string>, entry: Entry): boolean {
  return isOfRequest(entry) && entry.phase === "requested" && answered.has(entry.request);
}

function isOfRequest(entry: Entry | TruncatedEntry): entry is Entry & (PermissionEntry | ElicitationEntry) {
  return !("truncated" in entry) && (entry.kind === "permission" || entry.kind === "elicitation");
}

function answering(invocation: Invocation, bus: AgentBus, { session, asks }: WatchOptions): Attachment | undefined {
  if (asks === false || !isInteractive(invocation)) return undefined;
  return new Attachment(invocation, bus, session);
}

async function showRow({ output }: Invocation, entry: Entry): Promise<boolean> {
  if (output.mode !== "json") return false;
  await output.row(entry);
  return true;
}
