// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Draft } from "./draft.ts";

/** From here the session is idle: nothing runs, nothing is queued and nobody is asked. */
export function armIdle(draft: Draft): void {
  const { idleTimeoutMs } = draft.context.settings;
  if (idleTimeoutMs !== null) draft.effect({ type: "arm", timer: "idle", key: "", afterMs: idleTimeoutMs });
}
