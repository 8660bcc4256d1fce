// SPDX-License-Identifier: MIT OR Apache-2.0
import { misused } from "../input/arguments.ts";
import type { VerbInput } from "../../agentd/vocabulary/verbs.ts";
import { absolutePath } from "../process/absolute-path.ts";
import { usageError } from "../process/mix-error.ts";
import { readJsonDocument } from "../input/read-input.ts";
import { isRequestId } from "../references/request-reference.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "agent policy test <request.json> --policy <name>",
  about:
    "Shows what a policy would answer to a permission request, and why. The request is a file in the form of ACP's session/request_permission or of `mix agent permit show --json`, `-` for stdin, or the id of an open or logged request.",
  flags: {
    policy: { kind: "text", value: "POLICY", about: "reads, edits, or a policy of agentd's configuration" },
    cwd: { kind: "text", value: "DIR", about: "for a file: the session's directory (default: current)" },
  },
  positionals: { min: 2, max: 2 },
  examples: [
    "mix agent policy test request.json --policy reads",
    "mix agent policy test abcdefghijkl-1 --policy edits",
  ],
};

export async function run({ args, context, output, connect }: Invocation): Promise<void> {
  const policy = args.text("policy");
  if (args.word(0) !== "test") throw misused(spec.usage, `unknown command ${args.word(0)}`);
  if (policy === undefined) throw misused(spec.usage, "--policy is missing");
  const source = args.word(1);
  const request = isRequestId(source)
    ? source
    : {
        cwd: absolutePath(context.cwd, args.text("cwd") ?? "."),
        ...toPolicyRequest(await readJsonDocument(context, source)),
      };
  const bus = await connect("agentd");
  const reply = await bus.ask("agent.policy.test", { policy, request });
  if (output.mode === "json") await output.document("mix.policy-test.v1", reply);
  else {
    await output.line(reply.option === undefined ? "ask" : `${reply.outcome} ${reply.option}`);
    output.word(`${policy}: ${reply.why}`);
  }
}

type PolicyRequest = Exclude<VerbInput<"agent.policy.test">["request"], string>;

/** Converts ACP's form to agentd's. agentd checks whether the request is complete. */
function toPolicyRequest(document: unknown): PolicyRequest {
  const found = asRecord(asRecord(document)?.["params"]) ?? asRecord(document);
  const [asked, options] = [asRecord(found?.["toolCall"]), found?.["options"]];
  if (found?.["tool_call"] !== undefined) return found as unknown as PolicyRequest;
  if (!asked || !Array.isArray(options)) throw usageError("the file does not contain a permission request");
  const { toolCallId, kind, locations, content } = asked;
  return {
    tool_call: { tool_call_id: toolCallId, tool_kind: kind, locations, content },
    options: options.map(asRecord).map((option) => ({ option: option?.["optionId"], kind: option?.["kind"] })),
  } as unknown as PolicyRequest;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
}
