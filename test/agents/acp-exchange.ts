// SPDX-License-Identifier: MIT OR Apache-2.0
// The least that can talk ACP with a child process: one JSON message a line, everything heard kept in order. It is
// apart from the project's own client on purpose, so that the agents' recipes are proven without it. It offers nothing:
// whatever the agent asks for but a permission is answered "method not found".
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface AcpExchange {
  readonly pid: number;
  /** Everything the agent said, in order. */
  readonly heard: readonly AcpMessage[];
  /** Rejects with RpcError on an error, with Error when the agent ends or the deadline passes. */
  request(method: string, params: unknown, deadlineMs: number): Promise<AcpResult>;
  notify(method: string, params: unknown): void;
  answer(id: AcpMessage["id"], result: unknown): void;
  /** The first message from `heard[from]` on that meets the condition. */
  until(condition: (message: AcpMessage) => boolean, deadlineMs: number, from?: number): Promise<AcpMessage>;
  closeStdin(): void;
  /** How it ended; rejects when it has not within the deadline. */
  exited(deadlineMs: number): Promise<AgentEnd>;
}

export interface AcpMessage {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: AcpResult;
  readonly result?: AcpResult;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type AcpResult = Readonly<Record<string, unknown>>;

export interface AgentEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export class RpcError extends Error {
  readonly code: number;
  constructor(method: string, error: NonNullable<AcpMessage["error"]>) {
    super(`${method}: ${error.code} ${error.message} ${JSON.stringify(error.data ?? null)}`);
    this.code = error.code;
  }
}

export interface AcpExchangeOptions {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export function startExchange({ command: [program, ...rest], cwd, env }: AcpExchangeOptions): AcpExchange {
  const child = spawn(program, rest, { cwd, env: { ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const heard: AcpMessage[] = [];
  const listeners = new Set<() => void>();
  const told = (): void => {
    for (const listener of listeners) listener();
  };
  const stderr = keepTail(child);
  let end: AgentEnd | Error | undefined;
  let lastId = 0;

  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as AcpMessage;
    heard.push(message);
    const { id, method } = message;
    if (id !== undefined && method !== undefined && method !== "session/request_permission") {
      write({ id, error: { code: -32601, message: `no ${method} here` } });
    }
    told();
  });
  child.on("close", (code, signal) => {
    end ??= { code, signal };
    told();
  });
  child.on("error", (failure) => {
    end ??= failure;
    told();
  });

  function write(message: object): void {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Waits for `look` to find something; an agent that ends ends the wait too, unless its end is what is waited for. */
  function wait<T>(what: string, look: () => T | undefined, deadlineMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        listeners.delete(check);
      };
      const fail = (why: string): void => {
        stop();
        reject(new Error(`waiting for ${what}: ${why}; its stderr: ${stderr()}`));
      };
      const check = (): void => {
        const found = look();
        if (found !== undefined) {
          stop();
          resolve(found);
        } else if (end !== undefined)
          fail(`the agent ended (${end instanceof Error ? end.message : JSON.stringify(end)})`);
      };
      const timer = setTimeout(() => fail(`nothing within ${deadlineMs} ms`), deadlineMs);
      listeners.add(check);
      check();
    });
  }

  return {
    pid: child.pid ?? -1,
    heard,
    async request(method, params, deadlineMs) {
      const id = ++lastId;
      write({ id, method, params });
      const isAnswer = (message: AcpMessage): boolean => message.id === id && message.method === undefined;
      const { error, result } = await wait(`the answer to ${method}`, () => heard.find(isAnswer), deadlineMs);
      if (error !== undefined) throw new RpcError(method, error);
      return result ?? {};
    },
    notify: (method, params) => write({ method, params }),
    answer: (id, result) => write({ id, result }),
    until: (condition, deadlineMs, from = 0) => wait("a message", () => heard.slice(from).find(condition), deadlineMs),
    closeStdin: () => child.stdin.end(),
    exited: (deadlineMs) => wait("its end", () => (end instanceof Error ? undefined : end), deadlineMs),
  };
}

const stderrCharactersMax = 4000;

function keepTail(child: ChildProcess): () => string {
  let tail = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-stderrCharactersMax);
  });
  return () => tail;
}
