// SPDX-License-Identifier: MIT OR Apache-2.0
import type { NotifyAsk } from "../../agentd/vocabulary/index.ts";

export function openAsk(id: string, some: Partial<NotifyAsk> = {}): NotifyAsk {
  return {
    ask: id,
    source: "agent",
    label: null,
    group: null,
    ref: id,
    title: `May ${id}?`,
    body: "read a file",
    incomplete: false,
    options: [
      { option: "yes", label: "Yes", kind: "allow_once" },
      { option: "no", label: "No", kind: "reject_once" },
    ],
    asked_at: "",
    expires_at: null,
    state: "open",
    ...some,
  } as NotifyAsk;
}
