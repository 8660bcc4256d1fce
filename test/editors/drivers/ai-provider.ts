// SPDX-License-Identifier: MIT OR Apache-2.0
// @mcpc-tech/acp-ai-provider with the AI SDK. It allows whatever it is asked. A prompt that is aborted ends the agent.
import { agentWords, importInstalled, serveCommands, turnTeller } from "./channel.ts";

/** What is used of the two packages. */
interface AcpProvider {
  readonly createACPProvider: (settings: object) => Provider;
}
interface Provider {
  readonly tools: object | undefined;
  languageModel(): object;
  initSession(): Promise<{ readonly sessionId?: string }>;
  getSessionId(): string | null;
  setMode(mode: string): Promise<void>;
  setModel(model: string): Promise<void>;
  cleanup(): void;
}
interface AiSdk {
  readonly streamText: (request: object) => { readonly fullStream: AsyncIterable<Part> };
}
type Part =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "finish"; readonly finishReason: string }
  | { readonly type: "error"; readonly error: unknown }
  | { readonly type: "abort" };

const [command, ...args] = agentWords;
const { createACPProvider }: AcpProvider = await importInstalled("@mcpc-tech/acp-ai-provider");
const { streamText }: AiSdk = await importInstalled("ai");
const settings = { command, args, session: { cwd: process.cwd(), mcpServers: [] } };

serveCommands((tell) => {
  let provider: Provider | undefined;
  let stop = new AbortController();
  const turn = turnTeller(tell);
  const openWith = async (more: object): Promise<void> => {
    provider = createACPProvider({ ...settings, ...more });
    await provider.initSession();
    tell({ event: "opened", session: provider.getSessionId() ?? "" });
  };
  const current = (): Provider => {
    if (provider === undefined) throw new Error("no session is open");
    return provider;
  };

  return {
    open: () => openWith({}),
    load: ({ session }) => openWith({ existingSessionId: session }),
    prompt: ({ text: prompt }) =>
      turn(async () => {
        const { tools } = current();
        stop = new AbortController();
        const request = { model: current().languageModel(), prompt, tools, abortSignal: stop.signal };
        let end = "none";
        for await (const part of streamText(request).fullStream) {
          if (part.type === "text-delta") tell({ event: "said", text: part.text });
          if (part.type === "finish") end = part.finishReason;
          if (part.type === "abort") end = "aborted";
          if (part.type === "error") throw part.error;
        }
        return end;
      }),
    cancel: () => stop.abort(),
    async mode({ value }) {
      await current().setMode(value);
      tell({ event: "set" });
    },
    end: () => provider?.cleanup(),
  };
});
