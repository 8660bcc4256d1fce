// SPDX-License-Identifier: MIT OR Apache-2.0
import {
  type AgentDriver,
  type AgentSession,
  type OpenPermission,
  startDeadlineMs,
  type Turn,
  turnDeadlineMs,
} from "./agent-driver.ts";
import {
  type AcpExchange,
  type AcpExchangeOptions,
  type AcpMessage,
  type AcpResult,
  startExchange,
} from "./acp-exchange.ts";

/** Starts the agent and drives it by ACP messages alone. Rejects unless it agrees to protocol version 1. */
export async function startExchangeDriver(options: AcpExchangeOptions): Promise<AgentDriver> {
  const exchange = startExchange(options);
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  const { protocolVersion } = await exchange.request(
    "initialize",
    { protocolVersion: 1, clientCapabilities },
    startDeadlineMs,
  );
  if (protocolVersion !== 1) throw new Error(`the agent answered protocol version ${JSON.stringify(protocolVersion)}`);

  return {
    async openSession(cwd) {
      const { sessionId } = await exchange.request("session/new", { cwd, mcpServers: [] }, startDeadlineMs);
      return exchangeSession(exchange, String(sessionId));
    },
    async loadSession(sessionId, cwd) {
      const from = exchange.heard.length;
      await exchange.request("session/load", { sessionId, cwd, mcpServers: [] }, startDeadlineMs);
      const replayed = updatesOf(exchange, sessionId, from).map(chunkText).join("");
      return { session: exchangeSession(exchange, sessionId), replayed };
    },
    async end(deadlineMs) {
      exchange.closeStdin();
      await exchange.exited(deadlineMs);
    },
  };
}

function exchangeSession(exchange: AcpExchange, sessionId: string): AgentSession {
  return {
    id: sessionId,
    prompt(text) {
      const from = exchange.heard.length;
      const params = { sessionId, prompt: [{ type: "text", text }] };
      const ended = exchange
        .request("session/prompt", params, turnDeadlineMs)
        .then(({ stopReason }) => String(stopReason));
      // Whoever awaits it hears of a failure; a test that failed before must not end the run with it.
      ended.catch(() => undefined);
      return exchangeTurn(exchange, sessionId, ended, from);
    },
    cancel: () => exchange.notify("session/cancel", { sessionId }),
  };
}

function exchangeTurn(exchange: AcpExchange, sessionId: string, ended: Promise<string>, from: number): Turn {
  const updates = (): AcpResult[] => updatesOf(exchange, sessionId, from);
  const text = (): string =>
    updates()
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map(chunkText)
      .join("");
  let permissionsFrom = from;
  return {
    ended,
    text,
    async said(words, deadlineMs) {
      await exchange.until(() => text().includes(words), deadlineMs);
    },
    toolCallStatuses() {
      const statuses = new Map<unknown, string>();
      for (const { toolCallId, status } of updates()) {
        if (toolCallId !== undefined && typeof status === "string") statuses.set(toolCallId, status);
      }
      return [...statuses.values()];
    },
    async permission(deadlineMs) {
      const isMine = ({ method, params }: AcpMessage): boolean =>
        method === "session/request_permission" && params?.["sessionId"] === sessionId;
      const request = await exchange.until(isMine, deadlineMs, permissionsFrom);
      permissionsFrom = exchange.heard.indexOf(request) + 1;
      return openPermission(exchange, request);
    },
  };
}

function openPermission(exchange: AcpExchange, { id, params }: AcpMessage): OpenPermission {
  const options = params?.["options"] as readonly { readonly optionId: string; readonly kind: string }[];
  return {
    kinds: options.map(({ kind }) => kind),
    answer(how) {
      if (how === "cancelled") return exchange.answer(id, { outcome: { outcome: "cancelled" } });
      const option = options.find(({ kind }) => kind === how);
      if (option === undefined) throw new Error(`${how} is not among the options ${JSON.stringify(options)}`);
      exchange.answer(id, { outcome: { outcome: "selected", optionId: option.optionId } });
    },
  };
}

function updatesOf(exchange: AcpExchange, sessionId: string, from: number): AcpResult[] {
  return exchange.heard
    .slice(from)
    .filter(({ method, params }) => method === "session/update" && params?.["sessionId"] === sessionId)
    .map(({ params }) => params?.["update"] as AcpResult);
}

function chunkText({ content }: AcpResult): string {
  return (content as { readonly text?: string } | undefined)?.text ?? "";
}
