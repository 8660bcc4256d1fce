// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent at the seam of the client: it keeps the client's promises (answers in order, every request failed when it
// ends, `exited` last) and does whatever a correct agent may, when the history lets it.
import type { AgentClient, AgentSink, OpenSessionParams } from "../../acp-client/agent-client.ts";
import type { AgentFailure, Done, OpenedSession, PromptResult, AgentExit } from "../../acp-client/agent-events.ts";
import type {
  AgentIdentity,
  ConfigOption,
  ContentBlock,
  RequestAnswer,
  SteeringOutcome,
} from "../../acp-client/model.ts";
import type { JsonObject } from "../scripted-agent/scenario.ts";
import { testIdentity } from "../../agentd/session/core/testing/session-script.ts";
import type { Random } from "./random.ts";

export interface FakeAgentOptions {
  readonly random: Random;
  readonly session: string;
  readonly sink: AgentSink;
  /** What a real agent would have got as a frame. */
  readonly got: (frame: JsonObject) => void;
  /** Never a process that lives. */
  readonly pid: number;
}

const gone: AgentFailure = { code: "AGENT_EXITED", message: "the agent ended" };

export class FakeAgent implements AgentClient {
  readonly #options: FakeAgentOptions;
  /** Requests that it has not answered, with the ways to answer and to fail them. */
  readonly #owed: { readonly answer: () => void; readonly fail: () => void }[] = [];
  readonly #asked = new Set<number>();
  #turn: Done<PromptResult> | undefined;
  #cancelled = false;
  #paused = false;
  #over = false;
  #mode: string | boolean = "a";
  #requests = 0;
  #tools = 0;
  #stop: { readonly ended: Promise<AgentExit>; readonly end: (exit: AgentExit) => void } | undefined;
  identity: AgentIdentity | undefined;

  constructor(options: FakeAgentOptions) {
    this.#options = options;
  }

  get session(): string {
    return this.#options.session;
  }

  get pid(): number {
    return this.#options.pid;
  }

  get processIdentity() {
    return { pid: this.pid, startTime: "1", bootId: "another boot" };
  }

  /** It has ended, and has said so. */
  get over(): boolean {
    return this.#over;
  }

  stderrTail(): string {
    return "";
  }

  initialize(done: Done<AgentIdentity>): void {
    this.#options.got({ method: "initialize" });
    const resume = this.#options.random.chance(90);
    const steering = this.#options.random.chance(50);
    const identity = { ...testIdentity, capabilities: { ...testIdentity.capabilities, resume, steering } };
    this.#owe(done, () => {
      this.identity = identity;
      return identity;
    });
  }

  open(request: OpenSessionParams, done: Done<OpenedSession>): void {
    this.#options.got({ method: `session/${request.how}` });
    this.#owe(done, () => ({ sessionId: "its-own", options: [this.#option()] }));
  }

  prompt(blocks: readonly ContentBlock[], done: Done<PromptResult>): void {
    const prompt = blocks.map((block) => ({ text: String(block["text"]) }));
    this.#options.got({ method: "session/prompt", params: { prompt } });
    if (this.#turn) throw new Error("a second prompt while one runs was sent to an agent");
    this.#cancelled = false;
    this.#turn = done;
  }

  steer(blocks: readonly ContentBlock[], done: Done<SteeringOutcome>): void {
    const prompt = blocks.map((block) => ({ text: String(block["text"]) }));
    this.#options.got({ method: "_session/steering", params: { prompt } });
    this.#owe(done, () => (this.#turn !== undefined && !this.#cancelled ? "injected" : "promptRequired"));
  }

  cancel(): void {
    this.#options.got({ method: "session/cancel" });
    this.#cancelled = true;
  }

  setOption(_: string, value: string | boolean, done: Done<{ readonly options: readonly ConfigOption[] }>): void {
    this.#options.got({ method: "session/set_config_option" });
    this.#owe(done, () => {
      this.#mode = value;
      return { options: [this.#option()] };
    });
  }

  answer(request: number, answer: RequestAnswer): void {
    if (!this.#asked.delete(request)) return;
    if (answer.outcome !== "selected" && answer.outcome !== "cancelled")
      throw new Error("an elicitation that nobody asked for was answered");
    this.#options.got({ result: { outcome: answer.outcome === "selected" ? answer.option : answer.outcome } });
  }

  listSessions(): void {}
  closeSession(): void {}
  deleteSession(): void {}
  authenticate(): void {}
  logout(): void {}

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }

  stop(): Promise<AgentExit> {
    if (!this.#stop) {
      let end: (exit: AgentExit) => void = () => {};
      const ended = new Promise<AgentExit>((resolve) => {
        end = resolve;
      });
      this.#stop = { ended, end };
      if (this.#over) end(exit);
    }
    return this.#stop.ended;
  }

  /** Does one thing that it may do. */
  step(): void {
    const { random, sink } = this.#options;
    if (this.#over || (this.#paused && !this.#stop)) return;
    for (let things = 1 + random.whole(3); things > 0 && !this.#over; things -= 1) this.#doOne();
    sink.onBatchEnd();
  }

  /** Does what it owes, and no more. */
  finish(): void {
    if (this.#over || (this.#paused && !this.#stop)) return;
    if (this.#stop) this.#exit();
    else if (this.#owed.length > 0) this.#owed.shift()?.answer();
    else this.#endTurn("end_turn");
    this.#options.sink.onBatchEnd();
  }

  #doOne(): void {
    const { random } = this.#options;
    if (this.#stop && random.chance(60)) return this.#exit();
    if (random.chance(2)) return this.#exit();
    if (this.#owed.length > 0 && random.chance(70)) return this.#owed.shift()?.answer();
    if (!this.identity) return;
    if (this.#cancelled && random.chance(50)) return this.#endTurn("cancelled");
    const what = random.whole(10);
    if (what < 4) this.#say();
    else if (what < 6) this.#call();
    else if (what < 8) this.#ask();
    else if (what < 9) this.#endTurn(random.chance(80) ? "end_turn" : "refusal");
    else this.#withdraw();
  }

  #owe<T>(done: Done<T>, value: () => T): void {
    const { random } = this.#options;
    if (this.#over) return done({ ok: false, failure: gone });
    this.#owed.push({
      answer: () => {
        const refused = random.chance(5);
        done(refused ? { ok: false, failure: { code: "AGENT_ERROR", message: "no" } } : { ok: true, value: value() });
      },
      fail: () => done({ ok: false, failure: gone }),
    });
  }

  #say(): void {
    const { random, sink } = this.#options;
    const role = random.pick(["agent", "agent", "thought"] as const);
    const content = { type: "text", text: `word ${random.whole(100)} ` };
    sink.onEvent({ type: "update", update: { kind: "message", role, append: true, content } });
  }

  #call(): void {
    const { random, sink } = this.#options;
    if (this.#tools === 0 || random.chance(50)) this.#tools += 1;
    const toolCallId = `tool-${1 + random.whole(this.#tools)}`;
    const status = random.pick(["pending", "in_progress", "completed"]);
    sink.onEvent({ type: "update", update: { kind: "tool_call", call: { toolCallId, title: "Tool", status } } });
  }

  #ask(): void {
    const { sink } = this.#options;
    this.#requests += 1;
    this.#asked.add(this.#requests);
    const options = [
      { optionId: "allow", name: "Allow", kind: "allow_once" },
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ];
    const toolCall = { toolCallId: `asked-${this.#requests}`, title: "May I?" };
    sink.onEvent({ type: "permission", request: this.#requests, toolCall, options });
  }

  #withdraw(): void {
    const [request] = this.#asked;
    if (request === undefined) return;
    this.#asked.delete(request);
    this.#options.sink.onEvent({ type: "withdrawn", request });
  }

  #endTurn(stopReason: string): void {
    const done = this.#turn;
    this.#turn = undefined;
    this.#cancelled = false;
    done?.({ ok: true, value: { stopReason } });
  }

  #exit(): void {
    this.#over = true;
    for (const { fail } of this.#owed.splice(0)) fail();
    this.#turn?.({ ok: false, failure: gone });
    this.#turn = undefined;
    this.#asked.clear();
    this.#options.sink.onEvent({ type: "exited", exit, stderrTail: "" });
    this.#stop?.end(exit);
  }

  #option(): ConfigOption {
    const choices = ["a", "b"].map((value) => ({ value, name: value }));
    return { option: "mode", name: "Mode", category: "mode", type: "select", value: this.#mode, choices };
  }
}

const exit: AgentExit = { code: 0, signal: null };
