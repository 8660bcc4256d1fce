// SPDX-License-Identifier: MIT OR Apache-2.0
import { createHash } from "node:crypto";
import type { RedactReply } from "../../agentd/vocabulary/replies.ts";
import type { Context } from "../process/context.ts";
import { askMaintenance, requireNamed, toRemovalArgs, removalFlags } from "./log-maintenance.ts";
import { usageError } from "../process/mix-error.ts";
import { readStdin } from "../input/read-input.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { printableLine } from "../../display/printable.ts";
import { formatCount } from "../../display/units.ts";

export const spec: VerbSpec = {
  usage: "agent redact",
  about:
    "Removes a secret from the log. The secret is read from stdin, without one line end after it, and is never sent: agentd gets its SHA-256 and length and searches by these.",
  flags: {
    session: {
      kind: "text",
      value: "SESSION",
      about: "only in this session (default: in the whole log)",
      isMain: true,
    },
    ...removalFlags,
  },
  examples: ["mix agent redact --dry-run < leaked-key.txt"],
};

export async function run(invocation: Invocation): Promise<void> {
  const { args, context, output } = invocation;
  const request = { session: requireNamed(args.text("session")), ...toRemovalArgs(invocation) };
  const secret = await readSecret(context.stdin);
  const sha256 = createHash("sha256").update(secret).digest("hex");
  const bus = await invocation.connect("agentd");
  const reply = await askMaintenance(bus, "agent.log.redact", { sha256, length: secret.length, ...request });
  if (output.mode === "json") await output.document("mix.redacted.v1", { ...reply, dry_run: request.dry_run });
  else if (output.mode === "people")
    for (const line of describeRedaction(reply, request.dry_run)) await output.line(line);
}

/** The longest secret that agentd searches for. */
const secretBytesMax = 8192;

/** Reads the secret as UTF-8. Refuses a terminal, which would show the secret and keep it in its scrollback. */
async function readSecret(stdin: Context["stdin"]): Promise<Buffer> {
  if (stdin.isTTY === true) throw usageError("the secret is read from stdin, not typed: mix agent redact < FILE");
  const lineEndBytesMax = 2;
  const input = await readStdin(stdin, secretBytesMax + lineEndBytesMax);
  const secret = input.subarray(0, input.length - countLineEndBytes(input));
  if (secret.length === 0) throw usageError("the secret is empty: pass it on stdin");
  if (secret.length > secretBytesMax) throw usageError(`the secret is longer than ${secretBytesMax} bytes`);
  if (!Buffer.from(secret.toString("utf8")).equals(secret)) throw usageError("the secret is not UTF-8");
  return secret;
}

function countLineEndBytes(bytes: Buffer): 0 | 1 | 2 {
  if (bytes.at(-1) !== 0x0a) return 0;
  return bytes.at(-2) === 0x0d ? 2 : 1;
}

function describeRedaction(reply: RedactReply, isDry: boolean): string[] {
  const { entries, receipts, literals, sessions, copies } = reply;
  const found = [
    formatCount(entries, "entry", "entries"),
    formatCount(receipts, "receipt"),
    formatCount(literals, "set of MCP servers", "sets of MCP servers"),
    formatCount(sessions, "session row"),
  ].filter((text) => !text.startsWith("0 "));
  const summary =
    found.length === 0 ? "the secret is not in the log" : `${isDry ? "found in" : "removed from"} ${found.join(", ")}`;
  const deletion = isDry ? "would delete an older copy of the log:" : "deleted an older copy of the log:";
  return [summary, ...copies.map((copy) => `${deletion} ${printableLine(copy)}`)];
}
