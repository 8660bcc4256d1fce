// SPDX-License-Identifier: MIT OR Apache-2.0
// Steps that write output.
import { floodLines } from "./flood-lines.ts";
import { fillPlaceholders, type Play, type RunStep, type StepNamed } from "./play.ts";
import type { Json, JsonObject, PermissionStep, RawStep, SendStep } from "./scenario.ts";

type SpeakingStepName =
  | "send"
  | "raw"
  | "update"
  | "text"
  | "reply"
  | "error"
  | "notify"
  | "request"
  | "permission"
  | "awaitAnswers"
  | "glue"
  | "flood"
  | "stderr";

export const speakingSteps: { readonly [Name in SpeakingStepName]: RunStep<StepNamed<Name>> } = {
  send: (step, play) =>
    writeCut([Buffer.from(JSON.stringify(fillPlaceholders(step.send, play)) + (step.end ?? "\n"))], step, play),
  raw: (step, play) =>
    writeCut(
      [step.raw].flat().map((piece) => Buffer.from(piece, step.encoding)),
      step,
      play,
    ),
  update: ({ update, sessionId = "$sessionId" }, play) => sendUpdate(update, sessionId, play),
  text: ({ text }, play) =>
    sendUpdate({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }, "$sessionId", play),
  reply: ({ reply, to = "$id" }, play) => answer(to, { result: reply }, play),
  error: ({ error, to = "$id" }, play) => answer(to, { error }, play),
  notify: ({ notify, params = {} }, play) => send({ jsonrpc: "2.0", method: notify, params }, play),
  request: async (step, play) => {
    const answered = request(step.request, step.params ?? {}, step.id, play);
    if (step.await !== false) await orAborted(answered, play.signal);
  },
  permission: async (step, play) => {
    const answered = askPermission(step, play);
    if (step.await !== false) await orAborted(answered, play.signal);
  },
  awaitAnswers: (_step, play) => orAborted(play.conversation.allAnswered(), play.signal),
  glue: ({ glue }, play) => play.output.glue(() => play.run(glue, play)),
  flood: (step, play) =>
    play.output.flood(
      step.flood === "stderr" ? "stderr" : "stdout",
      floodLines(step, fillPlaceholders("$sessionId", play)),
      step.count,
      play.signal,
    ),
  stderr: ({ stderr }, play) => {
    const text = fillPlaceholders(stderr, play);
    play.output.writeStderr(typeof text === "string" ? text : JSON.stringify(text));
  },
};

function send(frame: JsonObject, play: Play): void {
  play.output.write(Buffer.from(`${JSON.stringify(fillPlaceholders(frame, play))}\n`));
}

function sendUpdate(update: JsonObject, sessionId: Json, play: Play): void {
  send({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } }, play);
}

function answer(to: Json, outcome: JsonObject, play: Play): void {
  const id = fillPlaceholders(to, play);
  send({ jsonrpc: "2.0", id, ...outcome }, play);
  play.conversation.answered(id);
  const { result } = outcome;
  if (isSession(result)) play.conversation.lastSessionId = result.sessionId;
}

function isSession(result: Json | undefined): result is { readonly sessionId: string } {
  return typeof result === "object" && result !== null && "sessionId" in result;
}

function writeCut(pieces: readonly Buffer[], cut: SendStep | RawStep, play: Play): Promise<void> | void {
  const { pieceBytes, betweenMs = 0 } = cut;
  if (pieceBytes === undefined && pieces.length === 1) {
    for (const piece of pieces) play.output.write(piece);
    return;
  }
  const cutPieces = pieceBytes === undefined ? pieces : pieces.flatMap((piece) => slices(piece, pieceBytes));
  return play.output.writePieces(cutPieces, betweenMs, play.signal);
}

function slices(bytes: Buffer, sliceBytes: number): Buffer[] {
  const count = Math.ceil(bytes.length / sliceBytes);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * sliceBytes, (at + 1) * sliceBytes));
}

/** Resolves with the response frame. */
function request(method: string, params: Json, id: Json | undefined, play: Play): Promise<JsonObject> {
  const ownId = id === undefined ? play.conversation.nextRequestId() : fillPlaceholders(id, play);
  const answered = play.conversation.answerTo(ownId);
  send({ jsonrpc: "2.0", id: ownId, method, params }, play);
  return answered;
}

async function askPermission({ permission, id, answered = {} }: PermissionStep, play: Play): Promise<void> {
  const params: JsonObject = {
    sessionId: permission.sessionId ?? "$sessionId",
    toolCall: { toolCallId: "tool-1", title: "Do it", ...permission.toolCall },
    options: permission.options ?? [
      { optionId: "allow", name: "Allow", kind: "allow_once" },
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ],
  };
  const frame = await request("session/request_permission", params, id, play);
  const steps = answered[outcomeOf(frame)];
  if (steps) await play.run(steps, play);
}

function outcomeOf(frame: JsonObject): string {
  const { outcome } = (frame["result"] ?? {}) as { outcome?: { outcome?: string; optionId?: string } };
  return outcome?.optionId ?? outcome?.outcome ?? "error";
}

/** Rejects when the prompt is aborted; what it waited for continues by itself. */
async function orAborted(event: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    await Promise.race([event, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
