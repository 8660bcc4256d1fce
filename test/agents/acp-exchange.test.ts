// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { type AcpExchange, startExchange } from "./acp-exchange.ts";

const deadlineMs = 20_000;

test("a request is answered with its own result, whatever came between", async () => {
  const exchange = startScript(`onLine((message) => {
    say({ method: "session/update", params: { n: 1 } });
    say({ id: 77, result: { not: "this" } });
    say({ id: message.id, result: { of: message.method } });
  })`);
  expect(await exchange.request("one", {}, deadlineMs)).toEqual({ of: "one" });
  expect(exchange.heard).toHaveLength(3);
  await endOf(exchange);
});

test("an error answer rejects with its code", async () => {
  const exchange = startScript(`onLine(({ id }) => say({ id, error: { code: -32000, message: "log in" } }))`);
  await expect(exchange.request("one", {}, deadlineMs)).rejects.toMatchObject({ code: -32000 });
  await endOf(exchange);
});

test("a request of the agent is refused as unknown, but a permission is left to the test", async () => {
  const exchange = startScript(`
    say({ id: 0, method: "session/request_permission", params: {} });
    say({ id: 1, method: "fs/write_text_file", params: {} });
    onLine((message) => say({ method: "echo", params: message }))`);
  const refusal = await exchange.until(({ method }) => method === "echo", deadlineMs);
  expect(refusal.params).toMatchObject({ id: 1, error: { code: -32601 } });
  exchange.answer(0, { outcome: { outcome: "cancelled" } });
  const answer = await exchange.until(({ method, params }) => method === "echo" && params?.["id"] === 0, deadlineMs);
  expect(answer.params?.["result"]).toEqual({ outcome: { outcome: "cancelled" } });
  await endOf(exchange);
});

test("an agent that ends rejects what waits for it and tells its last words", async () => {
  const exchange = startScript(
    `onLine(() => { process.stderr.write("no disk"); process.exitCode = 4; process.stdin.destroy(); })`,
  );
  await expect(exchange.request("one", {}, deadlineMs)).rejects.toThrow(/ended \(\{"code":4.*no disk/);
  expect(await exchange.exited(deadlineMs)).toEqual({ code: 4, signal: null });
});

test("a program that is not there rejects its first request", async () => {
  const exchange = startExchange({ command: ["/nowhere/agent"], cwd: "/", env: {} });
  await expect(exchange.request("one", {}, deadlineMs)).rejects.toThrow("ENOENT");
});

test("an agent that stays silent rejects the request at its deadline", async () => {
  const exchange = startScript(`onLine(() => {})`);
  await expect(exchange.request("one", {}, 10)).rejects.toThrow("nothing within 10 ms");
  await endOf(exchange);
});

function startScript(script: string): AcpExchange {
  const prelude = `
    const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const onLine = (listener) =>
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => listener(JSON.parse(line)));
  `;
  return startExchange({ command: [process.execPath, "-e", prelude + script], cwd: "/", env: {} });
}

async function endOf(exchange: AcpExchange): Promise<void> {
  exchange.closeStdin();
  expect(await exchange.exited(deadlineMs)).toEqual({ code: 0, signal: null });
}
