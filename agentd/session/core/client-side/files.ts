// SPDX-License-Identifier: MIT OR Apache-2.0
// Files that an agent reads and writes through its client: what the log says of each, and when it is done.
import { RPC } from "../../../../acp-client/jsonrpc/message.ts";
import type { FileEntry } from "../../../vocabulary/entries.ts";
import type { Draft } from "../draft.ts";
import { currentTurn, type IntendedWrite, isServed, turnMembers, type RequestKey } from "../state.ts";
import { answer, refuseRequest, sessionEnding } from "./answers.ts";
import type { FileInput, FileRefusal } from "./client-side-input.ts";

/** Of a write's temporary file: whoever finds the intention in the log finds the file. */
export function toTemporaryName(session: string, seq: number): string {
  return `.agentd-${session}-${seq}.tmp`;
}

export function onFileRead(draft: Draft, { key, path, outcome }: Extract<FileInput, { type: "file_read" }>): void {
  const { state } = draft;
  const refusal = outcome.ok ? checkServed(draft) : outcome.refusal;
  const entry = { kind: "file", ...currentTurn(state), op: "read", path } as const;
  if (refusal) return emitRefused(draft, key, entry, refusal);
  if (!outcome.ok) return;
  const { bytes, reason } = outcome;
  draft.add({ ...entry, phase: "done", bytes, ...(reason === undefined ? {} : { reason }) });
  draft.effect({ type: "client_side", effect: { type: "hand_over", key } });
}

export function onFileWrite(draft: Draft, { key, path, bytes }: Extract<FileInput, { type: "file_write" }>): void {
  const { state } = draft;
  const where = currentTurn(state);
  const entry = { kind: "file", ...where, op: "write", path, bytes } as const;
  const refusal = checkServed(draft) ?? checkSize(draft, bytes);
  if (refusal) return emitRefused(draft, key, entry, refusal);
  const seq = draft.add({ ...entry, phase: "intended" });
  const turn = where.turn === undefined ? {} : { turn: where.turn };
  state.writes = [...state.writes, { seq, key, path, bytes, ...turn }];
  const temporaryName = toTemporaryName(state.id, seq);
  draft.effect({ type: "client_side", effect: { type: "write_file", key, seq, temporaryName } });
}

export function onFileWritten(draft: Draft, { seq, outcome }: Extract<FileInput, { type: "file_written" }>): void {
  const write = draft.state.writes.find((candidate) => candidate.seq === seq);
  if (!write) return;
  const entry = takeWrite(draft, write);
  if (!outcome.ok) return emitRefused(draft, write.key, entry, outcome.refusal);
  draft.add({ ...entry, phase: "done" });
  if (outcome.moved === true) {
    const message = `the directory of "${write.path}" was moved away while it was written: the file went with it`;
    draft.add({ kind: "diagnostic", ...turnMembers(draft.state, write.turn), what: "file-moved", message });
  }
  answer(draft, write.key, {});
}

/** The agentd that intended it is dead; what it had begun has been swept away. */
export function emitWriteInterrupted(draft: Draft, write: IntendedWrite): void {
  const message = "agentd ended over it: the file is as it was or as it was to be, and whole";
  draft.add({ ...takeWrite(draft, write), phase: "refused", reason: "interrupted", message });
}

type FileHead = Omit<FileEntry, "phase"> & { readonly turn?: number; readonly late?: true };

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

/** Its agent is gone, and what it wanted to be written with it. */
export function toCancelledWrite(seq: number): FileInput {
  return { type: "file_written", seq, outcome: { ok: false, refusal: endingRefusal } };
}

const endingRefusal: FileRefusal = { reason: "ending", message: sessionEnding, code: RPC.internalError };

function checkServed({ state }: Draft): FileRefusal | undefined {
  return isServed(state) ? undefined : endingRefusal;
}

function checkSize({ context }: Draft, bytes: number): FileRefusal | undefined {
  const { fileBytesMax } = context.settings;
  if (bytes <= fileBytesMax) return undefined;
  const message = `${bytes} bytes are too many: a file that is written through the client has at most ${fileBytesMax}`;
  return { reason: "too-big", message, code: RPC.invalidParams };
}
