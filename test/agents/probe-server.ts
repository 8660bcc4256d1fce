// SPDX-License-Identifier: MIT OR Apache-2.0
// An MCP server as a user may have one of their own, by hand in a few lines: one tool proves that a secret has reached
// it without saying the secret, the other asks the user to fill in a form. Its argument is a file that it makes when it
// has told its tools.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly name?: string };
  readonly result?: { readonly action?: string; readonly content?: { readonly colour?: string } };
  readonly error?: { readonly code: number };
}

const noArguments = { type: "object", properties: {} };
const tools = [
  { name: "prove_secret", description: "Proves that the secret has arrived.", inputSchema: noArguments },
  { name: "ask_colour", description: "Asks the user for a colour.", inputSchema: noArguments },
];
const form = {
  type: "object",
  properties: { colour: { type: "string", title: "Colour" } },
  required: ["colour"],
};

const waiting = new Map<string, (answer: Message) => void>();
let asked = 0;
let clientShowsForms = false;

const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (words: string) => ({ content: [{ type: "text", text: words }] });

async function call(name: string | undefined): Promise<object> {
  if (name === "prove_secret")
    return text(
      createHash("sha256")
        .update(process.env["PROBE_SECRET"] ?? "")
        .digest("hex"),
    );
  if (!clientShowsForms) return text("the client shows no forms");
  const id = `form-${(asked += 1)}`;
  const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
  send({ id, method: "elicitation/create", params: { message: "Which colour?", requestedSchema: form } });
  const { result, error } = await answer;
  return text(error === undefined ? `${result?.action} ${result?.content?.colour}` : `error ${error.code}`);
}

async function handle(message: Message): Promise<void> {
  const { id, method, params } = message;
  if (method === undefined) return waiting.get(String(id))?.(message);
  if (id === undefined) return undefined;
  if (method === "initialize") {
    const { capabilities } = message.params as unknown as { readonly capabilities?: { readonly elicitation?: object } };
    clientShowsForms = capabilities?.elicitation !== undefined;
    const serverInfo = { name: "probe", version: "1.0.0" };
    return send({ id, result: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  }
  if (method === "tools/list") {
    send({ id, result: { tools } });
    return writeFileSync(process.argv[2] ?? "", "");
  }
  if (method === "tools/call") return send({ id, result: await call(params?.name) });
  if (method === "ping") return send({ id, result: {} });
  return send({ id, error: { code: -32601, message: `no method ${method}` } });
}

createInterface({ input: process.stdin }).on("line", (line) => void handle(JSON.parse(line) as Message));
