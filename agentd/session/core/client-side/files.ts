// SPDX-License-Identifier: MIT OR Apache-2.0
// Rules for files that an agent reads and writes through its client (ACP's fs/*).
import { RPC } from "../../../../acp-client/jsonrpc/message.ts";
import type { FileEntry } from "../../../vocabulary/entries.ts";
import type { Draft } from "../draft.ts";
import { currentTurn, type IntendedWrite, isServed, turnMembers, type RequestKey } from "../state.ts";
import { answer, refuseRequest, sessionEnding } from "./answers.ts";
import type { FileInput, FileRefusal } from "./client-side-input.ts";

/** Names a write's temporary file after its entry, so that a later agentd can find and remove it. */
export function toTemporaryName(session: string, seq: number): string {
  return `.agentd-${session}-${seq}.tmp`;
}

/** Logs a read and hands the text over, or refuses when the session is ending (fs/read_text_file). */
export function onFileRead(draft: Draft, { key, path, outcome }: Extract<FileInput, { type: "file_read" }>): void {
  const { state } = draft;
  const refusal = outcome.ok ? checkServed(draft) : outcome.refusal;
  const entry = { kind: "file", ...currentTurn(state), op: "read", path } as const;
  if (refusal) return emitRefused(draft, key, entry, refusal);
  if (!outcome.ok) return;
  const { bytes, reason, citizen } = outcome;
  const why = reason === undefined ? {} : { reason };
  draft.add({ ...entry, phase: "done", bytes, ...why, ...citizenMember(citizen) });
  draft.effect({ type: "client_side", effect: { type: "hand_over", key } });
}

/** Announces a write before it happens, or refuses it (fs/write_text_file). */
export function onFileWrite(draft: Draft, input: Extract<FileInput, { type: "file_write" }>): void {
  const { key, path, bytes, citizen } = input;
  const { state } = draft;
  const where = currentTurn(state);
  const entry = { kind: "file", ...where, op: "write", path, bytes } as const;
  const refusal = checkServed(draft) ?? checkSize(draft, bytes);
  if (refusal) return emitRefused(draft, key, entry, refusal);
  const seq = draft.add({ ...entry, phase: "intended", ...citizenMember(citizen) });
  state.writes = [...state.writes, { seq, key, path, bytes, turn: where.turn, ...citizenMember(citizen) }];
  const temporaryName = toTemporaryName(state.id, seq);
  draft.effect({ type: "client_side", effect: { type: "write_file", key, seq, temporaryName } });
}

/** Logs the outcome of an announced write, then answers the agent. */
export function onFileWritten(draft: Draft, { seq, outcome }: Extract<FileInput, { type: "file_written" }>): void {
  const write = draft.state.writes.find((candidate) => candidate.seq === seq);
  if (!write) return;
  const entry = takeWrite(draft, write);
  if (!outcome.ok) return emitRefused(draft, write.key, entry, outcome.refusal);
  draft.add({ ...entry, phase: "done", ...citizenMember(outcome.citizen) });
  if (outcome.moved === true) {
    const message = `the directory of "${write.path}" was moved during the write, and the file with it`;
    draft.add({ kind: "diagnostic", ...turnMembers(draft.state, write.turn), what: "file-moved", message });
  }
  answer(draft, write.key, {});
}

/** Ends a write of an agentd that died. Its temporary file has been removed. */
export function emitWriteInterrupted(draft: Draft, write: IntendedWrite): void {
  const message =
    write.citizen === undefined
      ? "agentd ended during the write: the file has its old or its new content, whole"
      : `agentd ended while ${write.citizen} was to write the file: it may have done so`;
  draft.add({ ...takeWrite(draft, write), phase: "refused", reason: "interrupted", message });
}

function citizenMember(citizen: string | undefined): { readonly citizen?: string } {
  return citizen === undefined ? {} : { citizen };
}

type FileHead = Omit<FileEntry, "phase"> & { readonly turn?: number; readonly late?: true };

/** Removes the announced write from the state and returns the head of its final entry. */
function takeWrite(draft: Draft, write: IntendedWrite): FileHead {
  const { state } = draft;
  const { seq, path, bytes, turn } = write;
  state.writes = state.writes.filter((other) => other !== write);
  return { kind: "file", ...turnMembers(state, turn), op: "write", path, bytes, intended: seq };
}

function emitRefused(draft: Draft, key: RequestKey, entry: FileHead, refusal: FileRefusal): void {
  const { reason, message, code } = refusal;
  draft.add({ ...entry, phase: "refused", reason, message });
  refuseRequest(draft, key, { code, message });
}

/** The outcome of a write whose agent is gone. */
export function toCancelledWrite(seq: number): FileInput {
  return { type: "file_written", seq, outcome: { ok: false, refusal: endingRefusal } };
}

const endingRefusal: FileRefusal = { reason: "ending", message: sessionEnding, code: RPC.internalError };

function checkServed({ state }: Draft): FileRefusal | undefined {
  return isServed(state) ? undefined : endingRefusal;
}

function checkSize({ context }: Draft, bytes: number): FileRefusal | undefined {
  const { fileBytesMax } = context.limits;
  if (bytes <= fileBytesMax) return undefined;
  const message = `the file has ${bytes} bytes: a file written through the client may have at most ${fileBytesMax}`;
  return { reason: "too-big", message, code: RPC.invalidParams };
}
