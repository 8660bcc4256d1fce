// SPDX-License-Identifier: MIT OR Apache-2.0
import { findOption } from "../questions/chosen-option.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { misused } from "../input/arguments.ts";
import { listAsks, askNotify, findAsk, warnOtherNotifyd } from "../questions/notify-asks.ts";
import { type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { renderAsk, formatAskTable, renderAskEnd } from "../view/ask.ts";
import { detectScreen } from "../view/live-view.ts";
import { detectFit } from "../view/table.ts";
import { watchNotifyAsks } from "../questions/watch-notify-asks.ts";

export const spec: VerbSpec = {
  usage: "notify ls [ask] | answer <ask> <option> | watch",
  about:
    "Lists and answers the asks of the service `notify` (the daemon `notifyd`, which also shows them on a desktop). The first valid answer wins. `ls <ask>` shows a whole ask; `watch` runs until Ctrl-C. Name an ask by its id or a unique beginning of it, and an option by its id or its number in `ls <ask>`.",
  flags: {
    all: { kind: "switch", short: "a", about: "with ls: include ended asks", isMain: true },
    ...tableFlag,
  },
  positionals: { min: 1, max: 3 },
  examples: ["mix notify ls", "mix notify answer k3wq7m2a allow", "mix notify watch --json"],
  neverStarts: true,
};

export async function run(given: Invocation): Promise<Outcome | void> {
  let versionCheck: Promise<void> | undefined;
  const invocation: Invocation = {
    ...given,
    async connect(connecting) {
      const bus = await given.connect(connecting);
      versionCheck = warnOtherNotifyd(given, bus);
      return bus;
    },
  };
  const outcome = await dispatch(invocation);
  await versionCheck;
  return outcome;
}

function dispatch(invocation: Invocation): Promise<Outcome | void> {
  const { positionals } = invocation.args;
  if (positionals[0] === "answer") return answer(invocation);
  switch (`${positionals[0]} ${positionals.length - 1}`) {
    case "ls 0":
      return list(invocation);
    case "ls 1":
      return show(invocation);
    case "watch 0":
      return watch(invocation);
    default:
      throw misused(spec.usage, `unknown command ${positionals.join(" ")}`);
  }
}

async function list({ args, context, output, connect }: Invocation): Promise<void> {
  const asks = await listAsks(await connect("bus"), args.switch("all") ? {} : { state: "open" });
  if (output.mode === "json") await output.document("mix.asks.v1", { asks });
  else if (output.mode === "ids") for (const { ask } of asks) await output.line(ask);
  else if (asks.length === 0) output.word(args.switch("all") ? "no asks" : "no open asks (--all shows ended ones)");
  else
    for (const line of formatAskTable(asks, context.now(), detectFit(context, args.switch("no-trunc"))))
      await output.line(line);
}

async function show({ args, context, output, connect }: Invocation): Promise<void> {
  const ask = await findAsk(await connect("bus"), args.word(1));
  if (output.mode === "json") await output.document("mix.ask.v1", ask);
  else if (output.mode === "ids") await output.line(ask.ask);
  else for (const line of renderAsk(ask, context.now(), detectScreen(context).style)) await output.line(line);
}

// Connects as a citizen, because an answer names its sender.
async function answer({ args, output, connect }: Invocation): Promise<void> {
  const [reference, chosen] = [args.word(1), args.word(2)];
  const bus = await connect("bus");
  const { ask, options } = await findAsk(bus, reference);
  // The service refuses unknown options.
  const option = findOption(options, chosen) ?? chosen;
  const reply = await askNotify(bus, "answer", { ask, option, via: "mix" });
  if (output.mode === "json") await output.document("mix.ask.v1", reply);
  else await output.line(output.mode === "ids" ? ask : `${ask} answered: ${option}`);
}

async function watch({ context, output, connect }: Invocation): Promise<Outcome> {
  const { style } = detectScreen(context);
  return watchNotifyAsks(context, await connect("bus"), {
    async opened(ask) {
      if (output.mode === "json") await output.row(ask);
      else if (output.mode === "ids") await output.line(ask.ask);
      else for (const line of renderAsk(ask, context.now(), style)) await output.line(line);
    },
    async ended(ask) {
      if (output.mode === "json") await output.row(ask);
      else if (output.mode === "people") await output.line(renderAskEnd(ask, style));
    },
    away: (why) => output.notice(`${why}; still watching`),
    back: () => output.notice("notify is back"),
  });
}
