// SPDX-License-Identifier: MIT OR Apache-2.0
// Follows a session for a verb until an entry decides the outcome, and shows it to people, as JSON or not at all.
import { isTruncated } from "../../agentd/vocabulary/entries.ts";
import type { Entry, TruncatedEntry } from "../../agentd/vocabulary/entries.ts";
import { isAsked } from "../../agent-client/view/open-questions.ts";
import { Attachment } from "../attach/attachment.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { detach, leave } from "./detach.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { entriesUntilInterrupt } from "./entries-until-interrupt.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import type { Invocation } from "../input/verb.ts";
import { LiveView } from "../view/live-view.ts";

export interface WatchOptions {
  readonly session: string;
  /** What a person types for the session, if it has a name. */
  readonly called?: string | undefined;
  readonly after: number | string;
  readonly showPrompts: boolean;
  /** The session's working directory, if it is known before an entry tells it. Paths are shown relative to it. */
  readonly directory?: string;
  /** Selects the entries to show. Default: all. */
  readonly shows?: (entry: Entry) => boolean;
  /** Returns the outcome once an entry decides it. `isAnswered`: it is a question that was answered at once. */
  readonly decide: (entry: Entry, isAnswered: boolean) => Outcome | undefined;
  /** The verb itself reports a failure afterwards, so the view leaves it out. */
  readonly reportsFailure?: true;
  /** What a person at the terminal can do. Default: answer questions. */
  readonly attachment?: Attachment;
  /** `false`: questions are shown, but cannot be answered here. */
  readonly asks?: false;
  /** Nobody is to answer questions: whoever watches ends them. */
  readonly asksNobody?: boolean;
}

export async function watchSession(invocation: Invocation, bus: AgentBus, options: WatchOptions): Promise<Outcome> {
  const { context, output } = invocation;
  const answered = new Set<string>();
  let attachment = options.attachment;
  const { entries, resumeHint, isTerminated, release } = await entriesUntilInterrupt(invocation, bus, options, {
    onBatch: (batch) => collectAnswered(answered, batch),
    say: (words) => {
      if (attachment?.isLineOpen === true) return attachment.writeAbove(words);
      view?.endRow();
      words();
    },
  });
  const view =
    output.mode === "people"
      ? new LiveView(
          context,
          output,
          {
            ...options,
            self: bus.client.name,
            isOpen: (request) => options.asksNobody !== true && !answered.has(request),
          },
          () => attachment?.hide(),
        )
      : undefined;
  try {
    attachment ??= createAttachment(invocation, bus, options);
    attachment?.setView(view);
    view?.onPause(() => void showPause(view, attachment));
    let outcome: Outcome | undefined;
    let isIdle = false;
    for await (const entry of entries) {
      await attachment?.historyWritten;
      outcome = options.decide(entry, isAlreadyAnswered(answered, entry));
      if (options.shows?.(entry) ?? true) {
        const showsReason = outcome === undefined || options.reportsFailure !== true;
        if (attachment?.handles(entry) === true && !isAlreadyAnswered(answered, entry)) attachment.ask(entry);
        else {
          const wrote = await (view === undefined ? showRow(invocation, entry) : view.show(entry, showsReason));
          attachment?.afterShown(entry, wrote);
        }
        if (attachment?.isLineOpen === true) view?.hideSpinner();
      }
      if (entry.kind === "state") isIdle = entry.state === "idle";
      if (entry.kind === "turn") isIdle &&= entry.phase === "ended";
      if (outcome !== undefined) break;
    }
    attachment?.end();
    await view?.end();
    if (outcome?.kind === "ended" && context.stdout.isTTY && view?.hasShown(outcome.error) === true)
      return { ...outcome, isErrorShown: true };
    if (outcome !== undefined) return outcome;
    if (attachment?.hasLeft === true) return leave(invocation, options.called ?? options.session, isIdle);
    return await detach(invocation, bus, {
      session: options.session,
      called: options.called ?? options.session,
      resumeHint: resumeHint(),
      canAsk: !isTerminated(),
    });
  } finally {
    attachment?.end();
    release();
  }
}

/** Shows what the view holds back, above the line. */
async function showPause(view: LiveView, attachment: Attachment | undefined): Promise<void> {
  const wrote = await view.flush();
  attachment?.afterShown(undefined, wrote);
  if (attachment?.isLineOpen === true) view.hideSpinner();
}

/** Collects requests whose answer arrived in the same batch, as a policy's does. Nobody needs to be asked. */
function collectAnswered(answered: Set<string>, entries: readonly (Entry | TruncatedEntry)[]): void {
  for (const entry of entries) {
    if (!isTruncated(entry) && isAsked(entry) && entry.phase === "resolved") answered.add(entry.request);
  }
}

function isAlreadyAnswered(answered: ReadonlySet<string>, entry: Entry): boolean {
  return isAsked(entry) && entry.phase === "requested" && answered.has(entry.request);
}

function createAttachment(
  invocation: Invocation,
  bus: AgentBus,
  { session, asks, asksNobody }: WatchOptions,
): Attachment | undefined {
  if (asks === false || asksNobody === true || !isInteractive(invocation)) return undefined;
  return new Attachment(invocation, bus, session);
}

async function showRow({ output }: Invocation, entry: Entry): Promise<boolean> {
  if (output.mode !== "json") return false;
  await output.row(entry);
  return true;
}
