// SPDX-License-Identifier: MIT OR Apache-2.0
// `mix agent agents install` and `remove`: runs agentd's own program, which does it, and shows how it goes. That needs no
// daemon, uses the caller's npm and proxy, and cannot be asked for over the Bus.
import type { CatalogueChange, CatalogueEvent } from "../../agentd/vocabulary/catalogue-change.ts";
import { MixError } from "../process/mix-error.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { homePath } from "../process/home-path.ts";
import { changeCatalogue } from "../daemon/change-catalogue.ts";
import { ProgressLine } from "../view/progress-line.ts";
import { formatElapsed } from "../../display/units.ts";
import type { Invocation } from "../input/verb.ts";

export async function installAgent(invocation: Invocation, agent: string): Promise<Outcome | void> {
  const { context, output } = invocation;
  const change = await changeShown(invocation, ["--install", agent]);
  if (change === "interrupted") {
    output.word(
      `the installation was stopped, and what it had begun is removed; again: mix agent agents install ${agent}`,
    );
    return { kind: "interrupted" };
  }
  const { installed } = change;
  if (installed === undefined) return;
  if (output.mode === "json") return output.document("mix.installed.v1", { agent, ...installed });
  if (output.mode === "ids") return output.line(agent);
  const { version, was_there: wasThere, node, directory, file, from, warning } = installed;
  const path = (name: string) => (context.stdout.isTTY ? homePath(name, context) : name);
  const withNode = node === undefined ? "" : `, with Node ${node}`;
  await output.line(
    `${agent} ${version} ${wasThere ? "was installed already" : "installed"} in ${path(directory)}${withNode}`,
  );
  if (from !== "agentd") output.word(`but ${path(file)} is found first, and runs; remove it to use the installed one`);
  if (warning !== undefined) output.word(`${agent}: ${warning}`);
}

export async function removeAgent(invocation: Invocation, agent: string): Promise<Outcome | void> {
  const { output } = invocation;
  const change = await changeShown(invocation, ["--remove", agent]);
  if (change === "interrupted") return { kind: "interrupted" };
  const { removed = [] } = change;
  if (output.mode === "json") return output.document("mix.removed.v1", { agent, removed });
  if (output.mode === "ids") return removed.length === 0 ? undefined : output.line(agent);
  const words = removed.length === 0 ? "agentd has not installed it" : `removed ${removed.join(", ")}`;
  await output.line(`${agent}: ${words}`);
}

/** Runs agentd's program with these words, and a line at its stdin, and shows how it goes. Throws its failure. */
export async function changeShown(
  { context, output }: Invocation,
  words: readonly string[],
  sent?: string,
): Promise<CatalogueChange | "interrupted"> {
  const line = new ProgressLine(context, output);
  const last = await changeCatalogue(
    context,
    { words, ...(sent === undefined ? {} : { line: sent }) },
    {
      progress: (event) => line.show(progressWords(event)),
      stopping() {
        line.end();
        output.word("stopping …");
      },
    },
  );
  line.end();
  if (last === "interrupted") return last;
  if (last.event === "failed") throw new MixError(last.code, last.message);
  return last;
}

function progressWords({ name, version, packages, elapsed_ms: ms }: Extract<CatalogueEvent, { event: "progress" }>) {
  const done = packages === 0 ? "" : `: ${packages} packages`;
  return { stage: `installing ${name} ${version}`, now: `${done}${ms < 1000 ? "" : ` ${formatElapsed(ms)}`}` };
}
