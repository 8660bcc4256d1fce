// SPDX-License-Identifier: MIT OR Apache-2.0
// Somebody on the Bus who uses the service `notify`.
import type { BusClient } from "../../bus-client/index.ts";
import type { NotifyInput, NotifyReplies, NotifyVerb } from "../../agentd/vocabulary/index.ts";

export async function callNotify<V extends NotifyVerb>(
  client: BusClient,
  verb: V,
  args: NotifyInput<V>,
): Promise<NotifyReplies[V]> {
  const reply = await client.call("notify", `notify.${verb}`, args);
  const body = JSON.parse(reply.body === "" ? "{}" : reply.body) as Record<string, unknown>;
  if (reply.rc >= 10) throw new NotifyRefused(verb, body);
  return body as unknown as NotifyReplies[V];
}

/** The refusal; fails where there is none. */
export async function notifyRefusal<V extends NotifyVerb>(
  client: BusClient,
  verb: V,
  args: NotifyInput<V>,
): Promise<NotifyRefused> {
  try {
    await callNotify(client, verb, args);
  } catch (error) {
    if (error instanceof NotifyRefused) return error;
    throw error;
  }
  throw new Error(`notify.${verb} was not refused`);
}

export class NotifyRefused extends Error {
  readonly code: string;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(verb: string, body: Readonly<Record<string, unknown>>) {
    super(`notify.${verb}: ${String(body["error_code"])}: ${String(body["message"])}`);
    this.code = String(body["error_code"]);
    this.body = body;
  }
}

/** A question with the two usual options. */
export function yesOrNo(ref: string, some: Partial<NotifyInput<"ask">> = {}): NotifyInput<"ask"> {
  return {
    title: "May it?",
    body: "read a file",
    options: [
      { option: "yes", label: "Yes", kind: "allow_once" },
      { option: "no", label: "No", kind: "reject_once" },
    ],
    ref,
    ...some,
  };
}
