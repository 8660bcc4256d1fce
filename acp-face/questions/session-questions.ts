// SPDX-License-Identifier: MIT OR Apache-2.0
// The questions of one session as dialogs of the editor. They are asked elsewhere at the same time, and agentd takes the
// first answer: a dialog whose question was answered elsewhere, or has changed, is withdrawn.
import { METHODS } from "../../acp-client/schema/v1/requests.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import { retryWhileAway, type RetryPolicy } from "../../agent-client/requests/retry-while-away.ts";
import { verdictOf } from "../../agent-client/view/decision.ts";
import { type AskedEntry, isAsked, OpenQuestions } from "../../agent-client/view/open-questions.ts";
import type {
  ElicitationEntry,
  Entry,
  ExtensionEntry,
  PermissionEntry,
  ToolCallFields,
} from "../../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import type { VerbInput } from "../../agentd/vocabulary/verbs.ts";
import type { Clock } from "../../bus-client/index.ts";
import { isRecord } from "../../json/record.ts";
import { ConnectionEnded } from "../agent-side/connection.ts";
import { codeOf } from "../face-error.ts";
import type { SessionUpdate, ToolCallMembers } from "../mapping/update.ts";
import { AnnouncedCalls, repeatedCall, shownCallId } from "./announced-calls.ts";
import { askElicitation, askPermission, canAsk, type EditorClient } from "./editor-dialog.ts";

export interface SessionQuestionsOptions {
  readonly client: EditorClient;
  /** Asks agentd by the name that its log is to show as who answered. */
  readonly ask: ReadingBus["ask"];
  readonly session: string;
  /** Writes updates of the session to the editor at once. */
  readonly write: (updates: readonly SessionUpdate[]) => void;
  /** Maps a tool call as its updates are mapped. */
  readonly toolCall: (fields: ToolCallFields) => ToolCallMembers;
  /** Receives words without anything that an agent or a person wrote. */
  readonly diagnose: (text: string) => void;
  readonly clock: Clock;
  /** By its id agentd takes an answer once, however often it is sent. */
  readonly newCommandId: () => string;
}

/** Dialogs of a session that are open at the same time. Further questions wait for one of them to end. */
export const dialogsMax = 16;
/** Times that a question is asked whose answers agentd refuses, such as a form that lacks a field. */
const attemptsMax = 3;

interface Dialog {
  /** Names the question in the form in which it is shown. */
  readonly target: string;
  readonly cancel: AbortController;
  readonly attempt: number;
  /** Why the answer before this attempt was refused. */
  readonly refusal: string | undefined;
  /** Whether the editor has not answered yet. */
  isOpen: boolean;
}

type Answer =
  | { readonly verb: "agent.permission.answer"; readonly args: VerbInput<"agent.permission.answer"> }
  | { readonly verb: "agent.elicitation.answer"; readonly args: VerbInput<"agent.elicitation.answer"> };

export class SessionQuestions {
  readonly #options: SessionQuestionsOptions;
  readonly #calls = new AnnouncedCalls();
  #questions = new OpenQuestions();
  /** By the question's id, from its showing until it is resolved. */
  readonly #dialogs = new Map<string, Dialog>();

  constructor(options: SessionQuestionsOptions) {
    this.#options = options;
  }

  /**
   * Takes an entry of the session, in order, after what it tells the editor was written, and before the reply of a turn
   * that it ends.
   */
  apply(entry: Entry): void {
    const before = this.#questions;
    this.#calls.note(entry);
    this.#write(this.#calls.follow(entry));
    this.#questions = before.apply(entry);
    if (entry.kind === "extension") this.#tellCompletion(entry);
    if (!isAsked(entry)) return;
    if (entry.phase === "changed" || entry.phase === "resolved") this.#withdraw(entry.request);
    if (entry.kind === "permission" && entry.phase === "resolved") this.#tellEnd(entry, before.get(entry.request));
    this.#askNext();
  }

  /** Takes an entry that was written to the editor as history: its questions are not asked. */
  applyPast(entry: Entry): void {
    this.#calls.note(entry);
  }

  /** Asks the questions that are open already when the session is attached. */
  adopt(open: SessionSnapshot["requests"]): void {
    for (const { asked_at, ...listed } of open) {
      if (this.#questions.get(listed.request) !== undefined) continue;
      this.#questions = this.#questions.apply({ ...listed, phase: "requested", now: asked_at });
    }
    this.#askNext();
  }

  /** Withdraws the dialogs of all questions, which stay open elsewhere. None of them is asked here again. */
  withdrawAll(): void {
    this.#questions = new OpenQuestions();
    for (const request of Array.from(this.#dialogs.keys())) this.#withdraw(request);
  }

  #withdraw(request: string): void {
    this.#dialogs.get(request)?.cancel.abort();
    this.#dialogs.delete(request);
  }

  #tellCompletion({ method, data }: ExtensionEntry): void {
    const id = method === METHODS.elicitationComplete && isRecord(data) ? data["elicitationId"] : undefined;
    if (typeof id === "string") void this.#options.client.completeElicitation(id);
  }

  #tellEnd(resolved: PermissionEntry, asked: AskedEntry | undefined): void {
    if (asked?.kind === "permission") this.#write(this.#calls.resolve(asked, verdictOf(resolved, asked) === "allowed"));
  }

  #askNext(): void {
    for (const asked of this.#questions.all()) {
      if ([...this.#dialogs.values()].filter(({ isOpen }) => isOpen).length >= dialogsMax) return;
      if (!this.#dialogs.has(asked.request) && canAsk(this.#options.client, asked)) this.#show(asked, 1);
    }
  }

  #show({ request }: AskedEntry, attempt: number, refusal?: string): void {
    const target = this.#questions.targetOf(request);
    const dialog: Dialog = { target, cancel: new AbortController(), attempt, refusal, isOpen: true };
    this.#dialogs.set(request, dialog);
    void this.#run(dialog).catch((error: unknown) => {
      if (dialog.cancel.signal.aborted || error instanceof ConnectionEnded) return;
      this.#options.diagnose(`The question ${request} is left to others: ${codeOf(error)}`);
      this.#askNext();
    });
  }

  async #run(dialog: Dialog): Promise<void> {
    const answer = await this.#answerIn(dialog).finally(() => (dialog.isOpen = false));
    // A question that was withdrawn meanwhile, or has changed, was not answered.
    if (answer === undefined || this.#questions.findByTarget(dialog.target) === undefined) return;
    this.#askNext();
    try {
      await this.#send(answer, dialog);
    } catch (error) {
      this.#onRefusal(error, dialog);
    }
  }

  /** The log does not follow a sub-agent's call: agentd is asked for what has become of it. */
  async #askedIn({ target, cancel }: Dialog): Promise<AskedEntry | undefined> {
    const asked = this.#questions.findByTarget(target);
    if (asked?.kind !== "permission" || asked.agent_session === undefined || !asked.changed?.length) return asked;
    const listed = await retryWhileAway(this.#policy(cancel.signal), () =>
      this.#options.ask("agent.permission.list", { request: asked.request }),
    );
    const [found] = listed?.requests ?? [];
    return found && { ...asked, tool_call: found.tool_call, left_out: found.left_out ?? [] };
  }

  async #answerIn(dialog: Dialog): Promise<Answer | undefined> {
    const asked = await this.#askedIn(dialog);
    if (asked === undefined) return undefined;
    return asked.kind === "permission"
      ? this.#askPermission(asked, asked.tool_call ?? { tool_call_id: asked.request }, dialog)
      : this.#askElicitation(asked, dialog);
  }

  async #askPermission(asked: PermissionEntry, fields: ToolCallFields, { cancel }: Dialog): Promise<Answer> {
    const { client, session, toolCall } = this.#options;
    const id = shownCallId(asked.agent_session, fields.tool_call_id);
    const call = toolCall({ ...fields, tool_call_id: id });
    this.#write(this.#calls.announce(asked, call));
    const decision = await askPermission(client, { asked, call: repeatedCall(call), session }, cancel.signal);
    return { verb: "agent.permission.answer", args: { ...this.#head(asked), ...decision } };
  }

  async #askElicitation(asked: ElicitationEntry, { cancel, refusal }: Dialog): Promise<Answer> {
    const { client, session } = this.#options;
    const answer = await askElicitation(client, { asked, session, refusal }, cancel.signal);
    return { verb: "agent.elicitation.answer", args: { ...this.#head(asked), ...answer } };
  }

  #head({ request }: AskedEntry) {
    const { session, newCommandId } = this.#options;
    return { session, request, command_id: newCommandId() };
  }

  async #send(answer: Answer, { cancel }: Dialog): Promise<void> {
    const { ask } = this.#options;
    await retryWhileAway<unknown>(this.#policy(cancel.signal), () =>
      answer.verb === "agent.permission.answer" ? ask(answer.verb, answer.args) : ask(answer.verb, answer.args),
    );
  }

  /** Asks again if the question is still open, since nobody else may be there to answer it. */
  #onRefusal(error: unknown, dialog: Dialog): void {
    const { target, attempt, cancel } = dialog;
    const asked = this.#questions.findByTarget(target);
    if (cancel.signal.aborted || (error instanceof AgentError && closedCodes.has(error.code))) return;
    if (asked === undefined || attempt >= attemptsMax) throw error;
    this.#options.diagnose(`The answer to ${asked.request} was refused: ${codeOf(error)}`);
    this.#show(asked, attempt + 1, error instanceof Error ? error.message : String(error));
  }

  #policy(signal: AbortSignal): RetryPolicy {
    const { clock } = this.#options;
    return { now: () => clock.now(), after: (ms, run) => clock.after(ms, run), mayComeBack: () => true, signal };
  }

  #write(updates: readonly SessionUpdate[]): void {
    if (updates.length > 0) this.#options.write(updates);
  }
}

/** The question was answered elsewhere, or has gone with its session: its entry tells it. */
const closedCodes: ReadonlySet<string> = new Set(["REQUEST_CLOSED", "REQUEST_UNKNOWN", "SESSION_UNKNOWN"]);
