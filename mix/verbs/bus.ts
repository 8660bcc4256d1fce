// SPDX-License-Identifier: MIT OR Apache-2.0
import { createBroker, listenReplacingStale, keepSocketInPlace } from "../../bus-client/broker/index.ts";
import { askBrokerHost, BusError, embeddedSocketPath, unixUrl } from "../../bus-client/index.ts";
import { done, type Outcome } from "../process/exit-codes.ts";
import { MixError, ownError, usageError } from "../process/mix-error.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "bus",
  about:
    "Runs a Bus in the foreground on this user's own Unix socket, until Ctrl-C. --tcp adds a TCP port on loopback, which every local account can reach.",
  flags: { tcp: { kind: "text", value: "PORT", about: "also listen on this TCP port of loopback", isMain: true } },
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
  let releaseSocket = (): void => {};
  try {
    if (!(await listenReplacingStale(broker, path))) throw await createSocketTakenError(path);
    const tcp = port === undefined ? undefined : await broker.listenTcp(port);
    const urls = [unixUrl(path), ...(tcp === undefined ? [] : [`ws://127.0.0.1:${tcp}/ws`])];
    if (output.mode === "json") await output.row({ schema: "mix.bus.v1", urls });
    else for (const url of urls) await output.line(url);
    output.word("the Bus is running; Ctrl-C stops it");
    const taken = new Promise<void>((resolve) => {
      releaseSocket = keepSocketInPlace(broker, path, {
        clock: context,
        onRestored: () => output.word(`${path} was removed; the Bus is listening there again`),
        onFault: ({ message }) => output.word(`${path} was removed and cannot be created again yet: ${message}`),
        onReplaced: resolve,
      });
    });
    const isTaken = await Promise.race([interrupted.then(() => false), taken.then(() => true)]);
    if (isTaken) throw ownError("CALL_FAILED", `another Bus is now listening on ${path}`);
    return done;
  } catch (error) {
    throw error instanceof BusError ? new MixError(error.code, error.message, { cause: error }) : error;
  } finally {
    releaseSocket();
    await broker.close();
  }
}

/** agentd hosts a Bus where it finds none and keeps it, so another host needs agentd to stop first. */
async function createSocketTakenError(path: string): Promise<MixError> {
  const host = await askBrokerHost(unixUrl(path)).catch(() => undefined);
  const steps = "`mix agent stop`, then `mix bus`; the next `mix agent` command starts agentd on it";
  const message =
    host === "agentd" ? `agentd already hosts a Bus on ${path}: use that one, or run ${steps}` : undefined;
  return ownError("CALL_FAILED", message ?? `a Bus is already listening on ${path}`);
}
