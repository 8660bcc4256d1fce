// SPDX-License-Identifier: MIT OR Apache-2.0
// Tools that ask for something and return the reply.
import * as z from "zod";
import { parseRegisteredServices, type Reply, replyFailure } from "../../bus-client/index.ts";
import { stringifyJson } from "../../json/raw-json.ts";
import { checkAddress, checkCommand, isDenied } from "../addresses.ts";
import { timeoutMsDefault } from "../limits.ts";
import { toObjectText } from "../object-text.ts";
import { ToolError } from "../tool-error.ts";
import { timeoutArgument, tool, type ToolContext, topicArgument } from "../tool.ts";

const serviceArgument = z
  .string()
  .min(1)
  .max(253)
  .describe('The name of a service on the Bus, such as "agent"; "noded" is the broker itself.');

export const busServices = tool({
  name: "bus_services",
  description:
    "Lists the services that are now on the MixOS Bus of this machine: programs that can be called with bus_call. " +
    "Begin here, then ask bus_help what one of them can do. Services marked denied cannot be called.",
  arguments: z.strictObject({}),
  readOnly: true,
  async run(_args, context) {
    const { body } = await callService(context, { service: "noded", command: "noded.list" });
    const services = parseRegisteredServices(JSON.parse(body));
    if (services === undefined)
      throw new ToolError("CALL_FAILED", "the broker sent an invalid list of services", { rc: 0, body });
    const rows = services.map(({ name, binary, version }) => {
      return { name, binary, version, denied: isDenied(name, context.denied) || undefined };
    });
    return [JSON.stringify({ services: rows })];
  },
});

export const busHelp = tool({
  name: "bus_help",
  description:
    "Asks a service on the MixOS Bus which commands it takes: for each its name, its arguments (a trailing ? means optional), " +
    "what it does, and whether it only reads. Use it before bus_call. The broker, noded, does not support it.",
  arguments: z.strictObject({ service: serviceArgument }),
  readOnly: true,
  async run(args, context) {
    checkAddress(args.service, context.denied);
    const reply = await callService(context, { service: args.service, command: "HELP" });
    return [toObjectText(reply.body, "commands")];
  },
});

export const busCall = tool({
  name: "bus_call",
  description:
    "Calls a command of a service on the MixOS Bus and returns its reply, which is usually JSON. bus_help lists a service's commands and their arguments. " +
    "A refusal is an error with an error_code. Never put secrets into the arguments: others on the Bus can see them.",
  arguments: z.strictObject({
    service: serviceArgument,
    command: z.string().min(1).max(253).describe('The command, such as "agent.session.list".'),
    args: z.looseObject({}).optional().describe("The command's arguments, by name."),
    timeout_ms: timeoutArgument,
  }),
  readOnly: false,
  async run({ service: address, command, args, timeout_ms }, context) {
    checkAddress(address, context.denied);
    checkCommand(command);
    const { rc, body } = await callService(context, { service: address, command, args, timeoutMs: timeout_ms });
    const text = body === "" ? "(done; the reply has no body)" : body;
    return rc === 0 ? [text] : [text, `[done with a warning: rc ${rc}]`];
  },
});

export const busPublish = tool({
  name: "bus_publish",
  description:
    "Publishes one message on a topic of the MixOS Bus, for its current subscribers; it is not kept for later. Returns to how " +
    "many it was delivered. Topics that belong to a service are refused. Never put secrets into a message.",
  arguments: z.strictObject({
    topic: topicArgument,
    body: z
      .union([z.string(), z.looseObject({}), z.array(z.unknown())])
      .describe("The message: an object or array, which is sent as JSON, or a string, which is sent as it is."),
  }),
  readOnly: false,
  async run({ topic: name, body }, { connection, signal }) {
    const client = await connection.connectedClient(signal);
    const text = typeof body === "string" ? body : stringifyJson(body);
    const reply = await rejectOnAbort(client.publishAndConfirm(name, text), signal);
    throwIfRefused(reply, () => "PUBLISH_REFUSED");
    return [reply.body];
  },
});

interface ServiceCall {
  readonly service: string;
  readonly command: string;
  readonly args?: object | undefined;
  readonly timeoutMs?: number;
}

/** Throws ToolError if the service refused, or the error of the Bus. A call that was aborted may still run. */
async function callService({ connection, signal }: ToolContext, call: ServiceCall): Promise<Reply> {
  const { service, command, args, timeoutMs = timeoutMsDefault } = call;
  const client = await connection.connectedClient(signal);
  const reply = await rejectOnAbort(client.call(service, command, args, { timeoutMs }), signal);
  throwIfRefused(reply, (text) => (/^Service '.*' not found$/.test(text) ? "SERVICE_UNKNOWN" : "CALL_FAILED"));
  return reply;
}

/** The broker's own refusals have a text but no code: `codeOf` gives them one. */
function throwIfRefused(reply: Reply, codeOf: (message: string) => string): void {
  const failure = replyFailure(reply);
  if (failure !== undefined) throw new ToolError(failure.code ?? codeOf(failure.message), failure.message, reply);
}

/** Settles like the promise, or rejects with the signal's reason once it is aborted. */
function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
