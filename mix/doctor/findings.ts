// SPDX-License-Identifier: MIT OR Apache-2.0
// Judges what was seen of this machine: one finding per subject, with the way to mend what is wrong. Does no I/O.
import type { CheckReport } from "../../agentd/vocabulary/check.ts";
import type { CatalogueEntry, StatusReply } from "../../agentd/vocabulary/replies.ts";
import { buildWords } from "../../files/installed-build.ts";
import { formatAge, formatBytes } from "../../display/units.ts";

/** What was seen. */
export interface Facts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Node's version, with its `v`. */
  readonly node: string;
  readonly mix: {
    readonly version: string;
    readonly build: string | undefined;
    /** This program's own file, and the `mix` that a shell would start; both without links. */
    readonly file: string | undefined;
    readonly onPath: string | undefined;
  };
  readonly bus: { readonly url: string | undefined; readonly warnings: readonly string[] };
  readonly daemon: RunningDaemon | { readonly silent: string } | undefined;
  /** What `agentd --check` printed, or why it did not. */
  readonly check: CheckReport | { readonly failed: string };
  /** Of the file system with the state directory, for this user. */
  readonly freeBytes: number | undefined;
  /** When the log was last written, in milliseconds since 1970. */
  readonly logWrittenAt: number | undefined;
  /** False: the system keeps its clock by the network, and has not reached a time server since it started. */
  readonly isClockSynchronised: boolean | undefined;
}

export interface RunningDaemon {
  readonly status: StatusReply;
  readonly agents: readonly CatalogueEntry[];
}

export interface Finding {
  readonly subject: string;
  /** `none`: something that nobody needs is not there. */
  readonly state: "ok" | "none" | "warning" | "fault";
  readonly words: string;
  readonly remedy?: string;
}

export function findingsOf(facts: Facts): Finding[] {
  const { check } = facts;
  return [
    nodeFinding(facts),
    mixFinding(facts),
    ...daemonFindings(facts),
    ...busFindings(facts),
    ...("failed" in check ? [checkFailed(check.failed)] : reportFindings(check, facts)),
    ...clockFindings(facts),
    ...peopleFindings(facts),
  ];
}

/** package.json has the same as `engines`; a test compares them. */
export const nodeNeeded = "20.19.0";

function nodeFinding({ node }: Facts): Finding {
  const subject = "node";
  if (isAtLeast(node.slice(1), nodeNeeded)) return { subject, state: "ok", words: node };
  return { subject, state: "fault", words: `${node} is too old`, remedy: `install Node ${nodeNeeded} or newer` };
}

function isAtLeast(version: string, needed: string): boolean {
  const [have, need] = [version, needed].map((text) => text.split(".").map((part) => Number.parseInt(part, 10) || 0));
  const at = need?.findIndex((part, index) => part !== (have?.[index] ?? 0)) ?? -1;
  return at < 0 || (have?.[at] ?? 0) > (need?.[at] ?? 0);
}

function mixFinding({ mix }: Facts): Finding {
  const subject = "mix";
  const words = buildWords(mix);
  if (mix.onPath === undefined) {
    return { subject, state: "warning", words: `${words}; no mix is on your PATH`, remedy: installRemedy };
  }
  if (mix.file === undefined || mix.file === mix.onPath) return { subject, state: "ok", words };
  const other = `${words}, but your PATH has another one: ${mix.onPath}`;
  return { subject, state: "warning", words: other, remedy: "remove the one that you do not want from your PATH" };
}

const installRemedy = "npm install -g . in the clone, with npm's bin directory on your PATH";

function daemonFindings({ daemon, now }: Facts): Finding[] {
  const subject = "agentd";
  if (daemon === undefined) {
    return [{ subject, state: "none", words: "not running; the first `mix agent start` starts it" }];
  }
  if ("silent" in daemon) {
    return [{ subject, state: "fault", words: daemon.silent, remedy: "mix agent stop, then run your command again" }];
  }
  const { status } = daemon;
  const { live, max } = status.sessions;
  const up = formatAge(now - Date.parse(status.started_at));
  const words = `${buildWords(status)}, pid ${status.pid}, up ${up}, ${live} of at most ${max} sessions`;
  const found: Finding[] = [{ subject, state: "ok", words }];
  if (status.installed !== undefined) {
    const other = status.installed === null ? "its files are gone" : `${buildWords(status.installed)} is installed`;
    const remedy = "mix agent stop, or systemctl --user restart agentd; both end live sessions";
    found.push({ subject, state: "warning", words: `${other} since it was started`, remedy });
  }
  if (live >= max) {
    const remedy = "close a session, or raise max_sessions in agentd.toml";
    found.push({ subject, state: "warning", words: "no more sessions can be started", remedy });
  }
  return found;
}

function answering(daemon: Facts["daemon"]): RunningDaemon | undefined {
  return daemon !== undefined && "status" in daemon ? daemon : undefined;
}

function busFindings({ bus, daemon }: Facts): Finding[] {
  const subject = "bus";
  const warnings = bus.warnings.map((words): Finding => ({ subject, state: "warning", words }));
  const status = answering(daemon)?.status;
  if (status !== undefined) {
    const { url, embedded, state } = status.bus;
    const words = `${url}${embedded ? " (agentd's own broker)" : ""}, ${state}`;
    return [{ subject, state: state === "connected" ? "ok" : "fault", words }, ...warnings];
  }
  const words = bus.url === undefined ? "none; agentd brings a broker of its own" : bus.url;
  return [{ subject, state: bus.url === undefined ? "none" : "ok", words }, ...warnings];
}

function checkFailed(reason: string): Finding {
  return { subject: "agentd", state: "fault", words: `\`agentd --check\` failed: ${reason}`, remedy: reinstallRemedy };
}

const reinstallRemedy = "install agentd again";

function reportFindings(check: CheckReport, facts: Facts): Finding[] {
  if (check.problem !== undefined) return [{ subject: "paths", state: "fault", words: check.problem }];
  return [
    configFinding(check.config),
    stateFinding(check.state),
    ...diskFindings(facts.freeBytes),
    logFinding(check.log, facts.daemon),
    ...agentFindings(check.agents ?? [], facts.daemon),
  ];
}

function configFinding(config: CheckReport["config"]): Finding {
  const subject = "settings";
  if (config === undefined) return { subject, state: "none", words: "not known" };
  const { file, loaded, problems, warnings } = config;
  if (problems.length > 0) {
    const remedy = "edit the file; until then a running agentd keeps its former settings, and none can be started";
    return { subject, state: "fault", words: problems.join("\n"), remedy };
  }
  if (warnings.length > 0) return { subject, state: "warning", words: warnings.join("\n") };
  return loaded
    ? { subject, state: "ok", words: file }
    : { subject, state: "none", words: `no ${file}; the defaults apply` };
}

function stateFinding(state: CheckReport["state"]): Finding {
  const subject = "state";
  if (state?.problem === undefined) return { subject, state: "ok", words: state?.directory ?? "not known" };
  const words = `${state.directory} ${state.problem}`;
  return { subject, state: "fault", words, remedy: "mend the directory, or set AGENTD_STATE_DIR" };
}

/** Below the first agentd ends every session at its next full write; below the second that is near. */
const freeBytesLeast = 16 * 1024 ** 2;
const freeBytesWanted = 1024 ** 3;

function diskFindings(free: number | undefined): Finding[] {
  if (free === undefined) return [];
  const subject = "disk";
  const words = `${formatBytes(free)} free where the log is`;
  const remedy = "make room; mix agent prune --before 30d removes old sessions";
  if (free < freeBytesLeast) return [{ subject, state: "fault", words, remedy }];
  return [free < freeBytesWanted ? { subject, state: "warning", words, remedy } : { subject, state: "ok", words }];
}

function logFinding(log: CheckReport["log"], daemon: Facts["daemon"]): Finding {
  const subject = "log";
  const failure = answering(daemon)?.status.log.error;
  if (log === undefined) return { subject, state: "none", words: "not known" };
  if (failure !== undefined || log.problem !== undefined) {
    const words = failure === undefined ? `${log.file} ${log.problem}` : `${log.file}: ${failure}`;
    const remedy = "nothing can run until this is mended; mix agent verify tells more once agentd runs";
    return { subject, state: "fault", words, remedy };
  }
  if (log.bytes === null) return { subject, state: "none", words: `no ${log.file} yet` };
  return { subject, state: "ok", words: `${log.file}, ${formatBytes(log.bytes)}` };
}

function agentFindings(agents: readonly CatalogueEntry[], daemon: Facts["daemon"]): Finding[] {
  const running = answering(daemon)?.agents;
  return agents.map((entry) => agentFinding(entry, running));
}

function agentFinding(entry: CatalogueEntry, running: readonly CatalogueEntry[] | undefined): Finding {
  const { agent, installed, version, problem, warning, install, login } = entry;
  const subject = `agent ${agent}`;
  if (!installed) {
    const words = problem ?? "not installed";
    // A configured agent is there on purpose; a built-in one may be unwanted.
    if (!entry.built_in) return { subject, state: "fault", words, remedy: "mend its command in agentd.toml" };
    return { subject, state: "none", words, ...(install === undefined ? {} : { remedy: install }) };
  }
  const words = version ?? entry.command.join(" ");
  if (running?.find((one) => one.agent === agent)?.installed === false) {
    const elsewhere = `${words}; the running agentd does not find it on its own PATH`;
    return {
      subject,
      state: "warning",
      words: elsewhere,
      remedy: "mix agent stop; the next command starts agentd anew",
    };
  }
  if (warning !== undefined) {
    const remedy = install === undefined ? {} : { remedy: install };
    return { subject, state: "warning", words: `${words}, but ${warning}`, ...remedy };
  }
  if (entry.login_stored !== false) {
    return { subject, state: "ok", words: entry.login_stored === true ? `${words}, a login is stored` : words };
  }
  return {
    subject,
    state: "warning",
    words: `${words}, no stored login was found`,
    ...(login === undefined ? {} : { remedy: login }),
  };
}

/** The clock may be set back a little whenever it is adjusted. */
const clockBackMs = 60_000;

function clockFindings({ now, logWrittenAt, isClockSynchronised }: Facts): Finding[] {
  const subject = "clock";
  const words = new Date(now).toISOString();
  const remedy = "set the clock; limits of time and the order of what people see depend on it";
  if (logWrittenAt !== undefined && logWrittenAt > now + clockBackMs) {
    const back = formatAge(logWrittenAt - now);
    return [{ subject, state: "fault", words: `${words}, ${back} before the log was last written`, remedy }];
  }
  if (isClockSynchronised === false) {
    return [{ subject, state: "warning", words: `${words}, not synchronised with a time server`, remedy }];
  }
  return [{ subject, state: "ok", words }];
}

function peopleFindings({ daemon }: Facts): Finding[] {
  const people = answering(daemon)?.status.people;
  if (people === undefined) return [];
  const subject = "questions";
  if (people.state === "there") return [{ subject, state: "ok", words: `asked by ${people.service}` }];
  const words = "asked at the terminal only, and listed by mix agent permit ls";
  return [{ subject, state: "none", words, remedy: "run notifyd to be asked on the desktop as well" }];
}
