// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs the steps of a case: the lines of the editor go to the face, and its lines and what it asks of agentd are compared.
import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { objectionsToAgentFrame } from "../../agentd/demo-agent/testing/agent-frame-schema.ts";
import type { EntryContent } from "../../agentd/vocabulary/entries.ts";
import { refused } from "../../bus-client/index.ts";
import { replaceableBroker } from "../../bus-client/testing/clients.ts";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import { type Asked, CaseAgentd } from "./case-agentd.ts";
import { allSteps, type Case, type Step } from "./case-file.ts";
import { type FaceHere, startFaceHere } from "./face-here.ts";

type StepOf<Name extends string> = Extract<Step, Readonly<Record<Name, unknown>>>;
type Frame = Readonly<Record<string, unknown>>;

/** Entries of a step `many` that are logged and published together. */
const batchMax = 100;

/** Requests that some editors send and the schema does not have: its results have no type. */
const beyondSchema: ReadonlySet<string | undefined> = new Set(["session/set_model", "session/cancel"]);

/** The session of cases that name none. */
const theSession = "sessiononeaa";

export async function runCase(one: Case): Promise<void> {
  const run = new CaseRun(one);
  try {
    await run.begin();
    for (const [index, step] of allSteps(one).entries()) {
      try {
        await run.step(step);
      } catch (error) {
        throw new Error(`step ${index + 1}, ${JSON.stringify(step).slice(0, 300)}\n${run.seen()}`, { cause: error });
      }
    }
    await run.quiet();
  } finally {
    await run.end();
  }
}

class CaseRun {
  readonly #case: Case;
  readonly #clock = new ManualClock();
  readonly #bus = replaceableBroker();
  readonly #agentd: CaseAgentd;
  readonly #held = new Map<string, () => void>();
  /** Methods of the editor's requests, by their ids. */
  readonly #methods = new Map<unknown, string>();
  #face: FaceHere | undefined;
  #written = "";

  constructor(one: Case) {
    this.#case = one;
    this.#agentd = new CaseAgentd({ url: this.#bus.url });
  }

  async begin(): Promise<void> {
    await this.#agentd.citizen.connect();
    if (this.#case.bus === "down") await this.#bus.down();
    this.#start();
  }

  async end(): Promise<void> {
    this.#agentd.acceptsAll = true;
    for (const asked of this.#agentd.asked.waiting) asked.request.reply(this.#agentd.accept(asked, {}));
    const ended = this.#face?.[Symbol.asyncDispose]();
    await setImmediate();
    this.#clock.advance(60_000);
    await ended;
    await this.#agentd.citizen.stop();
  }

  /** What came and was not expected yet, for the message of a failure. */
  seen(): string {
    const lines = this.#face?.lines.waiting.map((line) => `  a2c ${line.slice(0, 500)}`) ?? [];
    const asked = this.#agentd.asked.waiting.map(({ verb, args }) => `  asked ${verb} ${JSON.stringify(args)}`);
    const words = this.#face?.words.map((text) => `  diagnosed ${text.slice(0, 500)}`) ?? [];
    return [`written before: ${this.#written}`, `waiting:`, ...lines, ...asked, ...words].join("\n");
  }

  async step(step: Step): Promise<void> {
    const face = this.#running();
    if ("c2a" in step) this.#write(step.no_newline ? step.c2a : `${step.c2a}\n`);
    else if ("c2a_joined" in step) this.#write(step.c2a_joined.map((line) => `${line}\n`).join(""));
    else if ("c2a_hex" in step) await this.#writeBytes(step.c2a_hex);
    else if ("c2a_image_mib" in step) this.#write(`${imagePrompt(step)}\n`);
    else if ("a2c" in step) await this.#expectLine(step);
    else if ("a2c_many" in step) await this.#expectMany(step.a2c_many);
    else if ("asked" in step) await this.#expectAsked(step);
    else if ("answer" in step) this.#held.get(step.answer)?.();
    else if ("quiet" in step) await this.quiet();
    else if ("nothing_asked" in step) await this.#nothingAsked();
    else if ("diagnosed" in step) await this.#expectDiagnosed(step.diagnosed);
    else if ("advance_ms" in step) await this.#advance(step.advance_ms);
    else if ("eof" in step) face.input.end();
    else if ("input_error" in step) face.input.destroy(new Error(step.input_error));
    else if ("close_stdout" in step) face.output.isClosed = true;
    else if ("reads" in step) face.output.reads(step.reads);
    else if ("unread_bytes_max" in step) await this.#expectBounded(step.unread_bytes_max);
    else if ("ended" in step) await this.#expectEnded(step);
    else if ("restart" in step) await this.#restart();
    else if ("bus" in step) await (step.bus === "down" ? this.#bus.down() : this.#busUp());
    else this.#log(step);
  }

  /** Lets everything happen that can happen without time passing. */
  async settled(): Promise<void> {
    const { client } = this.#agentd.citizen;
    for (let round = 0; round < 3; round += 1) {
      // The Bus may go down meanwhile.
      if (client.state.kind === "connected") await client.call("noded", "noded.list").catch(() => {});
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      if (!this.#running().isDeaf()) await this.#running().marker();
    }
  }

  async quiet(): Promise<void> {
    await this.settled();
    expect(this.#running().lines.waiting).toEqual([]);
    await this.#nothingAsked();
  }

  #running(): FaceHere {
    if (this.#face === undefined) throw new Error("the face is not started");
    return this.#face;
  }

  #start(): void {
    this.#methods.clear();
    this.#face = startFaceHere({
      clock: this.#clock,
      url: this.#bus.url,
      keepsRunning: this.#case.keep_running === true,
    });
  }

  async #restart(): Promise<void> {
    await this.#running()[Symbol.asyncDispose]();
    this.#start();
  }

  #write(text: string): void {
    for (const line of text.split("\n")) {
      const [, id = "", method = ""] = /"id":("[^"]*"|-?\d+),"method":"([^"]*)"/u.exec(line) ?? [];
      if (id !== "") this.#methods.set(JSON.parse(id), method);
    }
    this.#written = text.slice(0, 500);
    this.#running().input.write(text);
  }

  /** Each text comes in a read of its own. */
  async #writeBytes(texts: readonly string[]): Promise<void> {
    for (const hex of texts) {
      this.#running().input.write(Buffer.from(hex, "hex"));
      await setImmediate();
    }
  }

  async #nextFrame(what: string): Promise<Frame> {
    const frame = JSON.parse(await this.#running().lines.next(what)) as Frame;
    const isBeyondSchema = "result" in frame && beyondSchema.has(this.#methods.get(frame["id"]));
    const objections = isBeyondSchema ? [] : objectionsToAgentFrame(frame, this.#methods);
    if (objections.length > 0) throw new Error(objections.join("\n"));
    return frame;
  }

  async #expectLine({ a2c, cmp }: StepOf<"a2c">): Promise<void> {
    const expected = JSON.parse(a2c) as Frame;
    const frame = await this.#nextFrame("the line");
    const { error, ...rest } = expected as { readonly error?: { readonly message?: string } };
    if (error !== undefined) {
      const { message: _, ...compared } = error;
      expect(frame).toMatchObject({ ...rest, error: compared });
    } else if (cmp === "subset") expect(frame).toMatchObject(expected);
    else expect(frame).toEqual(expected);
  }

  /** Text chunks that say 1, 2, 3 … together. */
  async #expectMany(count: number): Promise<void> {
    let text = "";
    const wanted = Array.from({ length: count }, (_, index) => `${index + 1} `).join("");
    while (text.length < wanted.length) {
      const line = await this.#running().lines.next("a chunk");
      const { params } = JSON.parse(line) as { params?: { update?: { content?: { text: string } } } };
      text += params?.update?.content?.text ?? "";
    }
    expect(text).toBe(wanted);
  }

  async #expectAsked({ asked: verb, args = {}, reply = {}, refused: refusal, hold }: StepOf<"asked">): Promise<void> {
    const asked: Asked = await this.#agentd.asked.next(verb);
    expect({ verb: asked.verb, args: asked.args }).toMatchObject({ verb, args });
    const answer = (): void => {
      const { error_code: code = "", message = "", ...rest } = refusal ?? {};
      asked.request.reply(refusal ? refused(code, message, rest) : this.#agentd.accept(asked, reply));
    };
    if (hold === undefined) answer();
    else this.#held.set(hold, answer);
  }

  /** However much is logged meanwhile, little waits for an editor that does not read. */
  async #expectBounded(bytes: number): Promise<void> {
    await this.settled();
    expect(this.#running().output.writableLength).toBeLessThan(bytes);
  }

  async #nothingAsked(): Promise<void> {
    await this.settled();
    expect(this.#agentd.asked.waiting.map(({ verb, args }) => ({ verb, args }))).toEqual([]);
  }

  async #expectDiagnosed(text: string): Promise<void> {
    await this.settled();
    expect(this.#running().words.join("\n")).toContain(text);
  }

  async #advance(ms: number): Promise<void> {
    await this.settled();
    this.#clock.advance(ms);
    await this.settled();
  }

  /** The time in which a connection must end is the face's own; here it passes at once. */
  async #expectEnded({ ended }: StepOf<"ended">): Promise<void> {
    const failure = await this.#running().connection.closed;
    expect(failure?.message ?? "").toBe(ended);
  }

  async #busUp(): Promise<void> {
    this.#bus.up();
    const clients = [this.#agentd.citizen.client, ...this.#running().clients];
    for (const client of clients) client.retryNow();
    while (clients.some(({ state }) => state.kind === "disconnected")) await setImmediate();
  }

  #log(step: StepOf<"entries"> | StepOf<"many"> | StepOf<"has_session"> | StepOf<"published_again">): void {
    const agentd = this.#agentd;
    if ("has_session" in step) {
      const { has_session: id, agent = "demo", cwd = "/w/app" } = step;
      agentd.begin(id, { agent, cwd });
      return agentd.append(id, [{ kind: "state", state: "starting", agent, cwd }], false);
    }
    const { session = theSession } = step;
    if ("published_again" in step) return agentd.publishAgain(session, step.published_again);
    if ("entries" in step) return agentd.append(session, step.entries, step.published ?? true);
    const text = JSON.stringify(step.entry);
    for (let next = 1; next <= step.many; next += batchMax) {
      const numbers = Array.from({ length: Math.min(batchMax, step.many + 1 - next) }, (_, index) => next + index);
      const entries = numbers.map((number) => JSON.parse(text.replaceAll("#", String(number))) as EntryContent);
      agentd.append(session, entries, step.published ?? true);
    }
  }
}

function imagePrompt({ c2a_image_mib: mebibytes, id }: StepOf<"c2a_image_mib">): string {
  const image = { type: "image", mimeType: "image/png", data: "A".repeat(mebibytes * 1024 * 1024) };
  const prompt = [{ type: "text", text: "see" }, image];
  return JSON.stringify({ jsonrpc: "2.0", id, method: "session/prompt", params: { sessionId: theSession, prompt } });
}
