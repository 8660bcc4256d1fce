// SPDX-License-Identifier: MIT OR Apache-2.0
import { createBroker, listenInPlace, stayInPlace } from "../../bus-client/broker/index.ts";
import { brokerHost, BusError, embeddedSocketPath, unixUrl } from "../../bus-client/index.ts";
import { done } from "../process/exit-codes.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { MixError, ownError, usageError } from "../process/mix-error.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "bus",
  about:
    "Runs a Bus in the foreground, on this user's own Unix socket, until Ctrl-C. On TCP loopback only where asked to: there every local account can reach it.",
  flags: { tcp: { kind: "text", value: "PORT", about: "also on this TCP port of loopback" } },
  positionals: { min: 0, max: 0 },
  examples: ["mix bus"],
  neverStarts: true,
};

export async function run({ args, context, output }: Invocation): Promise<Outcome> {
  const port = args.count("tcp", 0);
  if (port !== undefined && port > 65_535) throw usageError("--tcp takes a port, 0 to 65535");
  const path = embeddedSocketPath({ env: context.env, uid: context.uid });
  const interrupted = new Promise<void>((resolve) => {
    context.interrupts.listen(() => resolve());
  });
  const broker = createBroker({ version: context.version, hostedBy: "mix bus" });
  let leaveSocket = (): void => {};
  try {
    if (!(await listenInPlace(broker, path))) throw await takenError(path);
    const tcp = port === undefined ? undefined : await broker.listenTcp(port);
    const urls = [unixUrl(path), ...(tcp === undefined ? [] : [`ws://127.0.0.1:${tcp}/ws`])];
    if (output.mode === "json") await output.row({ schema: "mix.bus.v1", urls });
    else for (const url of urls) await output.line(url);
    output.word("the Bus is up; Ctrl-C ends it");
    const taken = new Promise<void>((resolve) => {
      leaveSocket = stayInPlace(broker, path, {
        clock: context,
        onRenewed: () => output.word(`${path} was gone; the Bus listens there again`),
        onFault: ({ message }) => output.word(`${path} is gone and cannot be made again yet: ${message}`),
        onTaken: resolve,
      });
    });
    const isTaken = await Promise.race([interrupted.then(() => false), taken.then(() => true)]);
    if (isTaken) throw ownError("CALL_FAILED", `another Bus listens on ${path} now`);
    return done;
  } catch (error) {
    throw error instanceof BusError ? new MixError(error.code, error.message, { cause: error }) : error;
  } finally {
    leaveSocket();
    await broker.close();
  }
}

/** agentd brings a Bus where it finds none, and keeps it: whoever wants it the other way round has to end agentd first. */
async function takenError(path: string): Promise<MixError> {
  const host = await brokerHost(unixUrl(path)).catch(() => undefined);
  const how = "`mix agent stop`, then `mix bus`; the next `mix agent` command starts agentd on it";
  const words = host === "agentd" ? `agentd hosts the Bus on ${path} already: use it as it is, or ${how}` : undefined;
  return ownError("CALL_FAILED", words ?? `a Bus listens on ${path} already`);
}
