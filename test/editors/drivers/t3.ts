// SPDX-License-Identifier: MIT OR Apache-2.0
// T3 Code's own ACP session runtime, without the rest of T3 Code. It always authenticates with the method that it is
// configured for, has no list of sessions, and tells a cancelled turn's end by itself at once. It ends the agent by SIGTERM.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnswerKind } from "../driver-protocol.ts";
import { agentWords, serveCommands, turnTeller } from "./channel.ts";

/** Effects are values of T3's; they are only passed on here. */
type Effect = object;
interface AcpRuntime {
  handleRequestPermission(handle: (asked: { options: readonly PermissionOption[] }) => Effect): Effect;
  start(): Effect;
  getEvents(): object;
  prompt(request: object): Effect;
  readonly cancel: Effect;
  setMode(mode: string): Effect;
  setConfigOption(option: string, value: string): Effect;
}
interface PermissionOption {
  readonly optionId: string;
  readonly kind: string;
}
interface Event {
  readonly _tag: string;
  readonly text?: string;
}

const { t3code: folder = "" }: Record<string, string> = JSON.parse(process.env["EDITOR_SOURCES"] ?? "{}");
const require = createRequire(join(folder, "driver.js"));
const load = async (name: string) => await import(pathToFileURL(require.resolve(name)).href);
const { succeed, sync } = await load("effect/Effect");
const { runForEach } = await load("effect/Stream");
const { provide } = await load("effect/Layer");
const { make } = await load("effect/ManagedRuntime");
const { layer: nodeServices } = await load("@effect/platform-node/NodeServices");
const { AcpSessionRuntime, layer } = await import(
  pathToFileURL(join(folder, "apps/server/src/provider/acp/AcpSessionRuntime.ts")).href
);

const [command, ...args] = agentWords;
const cwd = process.cwd();

serveCommands((tell) => {
  const turn = turnTeller(tell);
  let answer: AnswerKind = "allow_once";
  let scope: { runPromise<T>(effect: Effect): Promise<T>; dispose(): Promise<void> } | undefined;
  let t3: AcpRuntime | undefined;
  const run = async <T = unknown>(effect: (runtime: AcpRuntime) => Effect): Promise<T> => {
    if (t3 === undefined || scope === undefined) throw new Error("no session is open");
    return await scope.runPromise<T>(effect(t3));
  };
  const openWith = async (more: object): Promise<void> => {
    const options = { spawn: { command, args, cwd }, cwd, clientInfo: { name: "t3-code", version: "0.0.0" } };
    const opened = make(provide(layer({ ...options, authMethodId: "agentd-login", ...more }), nodeServices));
    scope = opened;
    t3 = await opened.runPromise(AcpSessionRuntime);
    await run((runtime) =>
      runtime.handleRequestPermission(({ options: offered }) => {
        tell({ event: "asked", kinds: offered.map(({ kind }) => kind) });
        const optionId = offered.find(({ kind }) => kind === answer)?.optionId;
        return succeed({ outcome: { outcome: "selected", optionId } });
      }),
    );
    const started = await run<{ sessionId: string }>((runtime) => runtime.start());
    const show = ({ text }: Event): void => (text === undefined ? undefined : tell({ event: "said", text }));
    void run((runtime) => runForEach(runtime.getEvents(), (event: Event) => sync(() => show(event))));
    tell({ event: "opened", session: started.sessionId });
  };
  const set = async (effect: (runtime: AcpRuntime) => Effect): Promise<void> => {
    await run(effect);
    tell({ event: "set" });
  };

  return {
    open: () => openWith({}),
    load: ({ session }) => openWith({ resumeSessionId: session }),
    prompt: ({ text, answer: wanted = "allow_once" }) =>
      turn(async () => {
        answer = wanted;
        const request = { prompt: [{ type: "text", text }] };
        return (await run<{ stopReason: string }>((runtime) => runtime.prompt(request))).stopReason;
      }),
    cancel: () => run((runtime) => runtime.cancel),
    mode: ({ value }) => set((runtime) => runtime.setMode(value)),
    option: ({ option, value }) => set((runtime) => runtime.setConfigOption(option, value)),
    end: () => scope?.dispose(),
  };
});
