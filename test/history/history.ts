// SPDX-License-Identifier: MIT OR Apache-2.0
// A history made by chance: callers, agents, the broker, the disk, the clock and death each have their turn, over and
// over. The same seed makes the same history.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { brokenAfterRecovery } from "../crash/broken-promises.ts";
import { readLogFile, readSessions } from "../crash/logged.ts";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import { Callers, type Given } from "./callers.ts";
import { Commands } from "./commands.ts";
import { Death, type Ground, Life } from "./life.ts";
import { Random } from "./random.ts";

export interface History {
  /** What should not be: sentences. */
  readonly faults: readonly string[];
  readonly deaths: number;
  /** Sessions that agentd brought back by itself. */
  readonly broughtBack: number;
  readonly entries: number;
}

const stepsMax = 160;
const noDeath = Number.POSITIVE_INFINITY;

export async function runHistory(seed: number): Promise<History> {
  const stateDirectory = mkdtempSync(join(tmpdir(), "agentd-history-"));
  try {
    return await new Historian(new Random(seed), stateDirectory).run();
  } finally {
    rmSync(stateDirectory, { recursive: true, force: true });
  }
}

class Historian {
  readonly #ground: Ground;
  readonly #commands: Commands;
  #life: Life;
  #deaths = 0;

  constructor(random: Random, stateDirectory: string) {
    this.#ground = { random, stateDirectory, callers: new Callers(), frames: [], faults: [], wallOffsetMs: 0 };
    this.#commands = new Commands(random, this.#ground.callers, { agent: "fake", cwd: "/work" });
    this.#life = new Life(this.#ground, this.#chosenDeath());
  }

  async run(): Promise<History> {
    const { random, callers, faults, frames } = this.#ground;
    this.#life.onBus(true);
    const steps = 40 + random.whole(stepsMax - 40);
    for (let step = 0; step < steps; step += 1) await this.#survive(() => this.#step());
    if (random.chance(50)) await this.#survive(() => this.#comeToRest());
    else await this.#die();
    await this.#end();
    const logged = await readLogFile(this.#ground);
    await this.#recoverAgain();
    const { sessions } = logged;
    const changed = isDeepStrictEqual(readSessions(this.#ground), sessions) ? [] : [secondRecovery];
    const evidence = { logged, frames, seen: [] };
    const returns = [...logged.sessions].map(([session, log]) => returnsOf(session, log.entries));
    const entries = [...logged.sessions.values()].reduce((sum, session) => sum + session.entries.length, 0);
    return {
      faults: [
        ...faults,
        ...returns.flatMap((one) => one.faults),
        ...changed,
        ...callers.check(logged),
        ...brokenAfterRecovery(evidence),
      ],
      deaths: this.#deaths,
      broughtBack: returns.reduce((sum, { count }) => sum + count, 0),
      entries,
    };
  }

  #chosenDeath(): number {
    const { random } = this.#ground;
    return random.chance(70) ? 1 + random.whole(120) : noDeath;
  }

  /** Runs it; if agentd dies in it, the next one takes over, which may die in its recovery. */
  async #survive(run: () => void | Promise<void>): Promise<void> {
    try {
      await run();
      await settled();
    } catch (error) {
      if (!(error instanceof Death)) throw error;
      await this.#die();
    }
  }

  async #die(): Promise<void> {
    for (;;) {
      this.#deaths += 1;
      await this.#life.abandon();
      this.#ground.callers.died();
      this.#life = new Life(this.#ground, this.#chosenDeath());
      try {
        await this.#life.core.recover();
        if (this.#ground.random.chance(80)) this.#life.onBus(true);
        return;
      } catch (error) {
        if (!(error instanceof Death)) throw error;
      }
    }
  }

  #step(): void | Promise<void> {
    const { random } = this.#ground;
    const life = this.#life;
    const what = random.whole(100);
    if (what < 34) return this.#give();
    if (what < 64) return random.pick([...life.agents.filter(({ over }) => !over), undefined])?.step();
    if (what < 78) return this.#flush();
    if (what < 82) return this.#ignoreCancel();
    if (what < 88) return life.acknowledge(random.whole(20));
    if (what < 91) return life.onBus(random.chance(70));
    if (what < 95) return life.clock.advance(random.pick([100, 300, 5_000, 10_001, 60_000, 600_001, 1_800_001]));
    if (what < 96) return this.#jump();
    if (what < 98) return this.#fillDisk();
    if (what < 99) return this.#die();
    return this.#restart();
  }

  #give(): void {
    const { callers } = this.#ground;
    const life = this.#life;
    for (const given of this.#commands.next(life.sight())) {
      const { commandId, scope } = given;
      const known = commandId !== undefined && life.log.receipts.find(scope, commandId) !== undefined;
      life.give(given, callers.ask(given, known));
    }
  }

  #flush(): void {
    this.#life.core.mailbox.flush();
    this.#life.checkSnapshots();
  }

  /** An agent hears a cancel and takes no notice until its time is over, while somebody may send more. */
  #ignoreCancel(): void {
    const { random, callers } = this.#ground;
    const life = this.#life;
    const running = life.core.sessions.live().filter(({ run: { phase } }) => phase === "turn");
    if (running.length > 0) {
      const { id: scope } = random.pick(running);
      const cancel: Given = { verb: "agent.session.cancel", args: { session: scope }, scope };
      life.give(cancel, callers.ask(cancel, false));
    }
    for (const _ of ["by force", "for good"]) {
      this.#flush();
      life.clock.advance(10_001);
      this.#flush();
      this.#give();
    }
  }

  #jump(): void {
    this.#ground.wallOffsetMs += (this.#ground.random.whole(2_000) - 1_000) * 3_600_000;
  }

  #fillDisk(): void {
    this.#life.diskFull = !this.#life.diskFull && this.#ground.random.chance(60);
  }

  async #restart(): Promise<void> {
    await this.#stop();
    this.#life = new Life(this.#ground, this.#chosenDeath());
    await this.#life.core.recover();
    this.#life.onBus(true);
  }

  /** Everybody does what they owe, until nothing more happens: then nobody waits. */
  async #comeToRest(): Promise<void> {
    const life = this.#life;
    life.diskFull = false;
    life.onBus(true);
    for (let round = 0; round < 60; round += 1) {
      life.clock.advance(400);
      this.#flush();
      for (const agent of life.agents) agent.finish();
      life.acknowledge(1_000);
      await settled();
    }
    this.#flush();
    const busy = life.core.sessions.live().filter(({ run: { phase } }) => phase !== "idle");
    for (const { id, run: of } of busy) this.#ground.faults.push(`${id} never comes to rest: ${JSON.stringify(of)}`);
    const { waiting } = this.#ground.callers;
    if (waiting > 0) this.#ground.faults.push(`${waiting} callers were never told anything`);
  }

  /** A proper end, with nobody left waiting. */
  async #stop(): Promise<void> {
    const life = this.#life;
    life.diskFull = false;
    let stopped = false;
    let death: unknown;
    life.core.stop().then(
      () => (stopped = true),
      (error: unknown) => {
        stopped = true;
        death = error;
      },
    );
    for (let round = 0; round < 100 && !stopped; round += 1) {
      for (const agent of life.agents) agent.finish();
      await settled();
    }
    if (death !== undefined) throw death as Error;
    if (!stopped) this.#ground.faults.push("agentd does not come to its end");
    const { waiting } = this.#ground.callers;
    if (waiting > 0) this.#ground.faults.push(`${waiting} callers were told nothing when agentd stopped`);
    await life.abandon();
    this.#ground.callers.died();
  }

  /** No more deaths. */
  async #end(): Promise<void> {
    try {
      await this.#stop();
    } catch (error) {
      if (!(error instanceof Death)) throw error;
      this.#deaths += 1;
      await this.#life.abandon();
      this.#ground.callers.died();
    }
    await this.#recoverAgain();
  }

  async #recoverAgain(): Promise<void> {
    const life = new Life(this.#ground, noDeath);
    await life.core.recover();
    await life.abandon();
  }
}

/** A session is brought back for a turn that was ended by force and never let go of: once, and before anything else runs. */
function returnsOf(
  session: string,
  entries: readonly (Entry | null)[],
): { readonly count: number; readonly faults: string[] } {
  const faults: string[] = [];
  let count = 0;
  let isOwed = false;
  for (const entry of entries) {
    // A purge has taken it.
    if (entry === null) continue;
    if (entry.kind === "turn" && entry.phase === "ended" && entry.forced === true) isOwed = true;
    if (entry.kind === "turn" && entry.phase === "started") isOwed = false;
    if (entry.kind !== "state" || entry.state !== "starting" || entry.reason === undefined) continue;
    if (!isOwed) faults.push(`${session}/${entry.seq} brings back what no ignored cancel has cost its agent`);
    isOwed = false;
    count += 1;
  }
  return { count, faults };
}

const secondRecovery = "a second recovery has changed the log";

/** What was promised and is due has happened; timers and reads are the history's own. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
}
