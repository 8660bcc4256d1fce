// SPDX-License-Identifier: MIT OR Apache-2.0
import type { LoginEnvironment } from "../../agentd/vocabulary/login-environment.ts";
import { MixError, ownError } from "../process/mix-error.ts";
import { type AgentdPrograms, runAgentd } from "./run-agentd.ts";

/** It may run the user's login shell, which it gives 3 s. */
const withinMs = 20_000;

type Environment = Readonly<Record<string, string>>;

/** The environment of an agent's own login program: that of its sessions, with the variables of this terminal. */
export async function readLoginEnvironment(programs: AgentdPrograms, agent: string): Promise<Environment> {
  const found = await runAgentd<LoginEnvironment>(programs, ["--login-environment", agent], withinMs);
  if ("failed" in found) throw ownError("UNREACHABLE", `agentd's own program failed: ${found.failed}`);
  if ("problem" in found) throw new MixError("AGENT_UNAVAILABLE", `${agent} cannot be logged in to: ${found.problem}`);
  return { ...terminalVariables(programs.env), ...found.environment };
}

function terminalVariables(env: AgentdPrograms["env"]): Environment {
  const set = terminalNames.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(set);
}

const terminalNames = [
  "TERM TERMINFO TERMINFO_DIRS COLORTERM COLUMNS LINES TERM_PROGRAM TERM_PROGRAM_VERSION TERM_SESSION_ID",
  "TMUX TMUX_PANE STY WINDOW WINDOWID SSH_TTY SSH_CONNECTION GPG_TTY",
].flatMap((names) => names.split(" "));
