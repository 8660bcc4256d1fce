// SPDX-License-Identifier: MIT OR Apache-2.0
// The environment of an agent's process: agentd's own without the variables meant for other programs.

/** Set in every process of a session's tree, with a value unique to the session. */
export const sessionMarker = "AGENTD_SESSION";

export interface AgentEnvironment {
  /** agentd's own environment. */
  readonly parent: Readonly<Record<string, string | undefined>>;
  /** The agent's `env` from the catalogue. */
  readonly agent: Readonly<Record<string, string>>;
  /** Names to leave out, also of the fixed values; `agent` and `passed` can bring them back. */
  readonly unset?: readonly string[];
  /** The values of the names that this start passes on. */
  readonly passed: Readonly<Record<string, string>>;
  /** Names from `allow_env`: an agent gets them only if a start passes them on. */
  readonly onlyWhenPassed: readonly string[];
  /** Absent for a process that agentd does not have to find again. */
  readonly marker?: { readonly name: string; readonly value: string };
  /** Whoever starts the process adds the variables of its terminal. */
  readonly isInTerminal?: boolean;
}

/**
 * In order of precedence, lowest first: agentd's environment without the excluded names, fixed values for a process
 * without a terminal (both without the names in `unset`), the agent's `env`, the values that the start passes on, the
 * marker. So an agent's `env` can bring back an excluded name.
 */
export function agentEnvironment(from: AgentEnvironment): Record<string, string> {
  const withheld = new Set(from.onlyWhenPassed);
  const environment: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(from.parent)) {
    if (value !== undefined && !isExcluded(name) && !withheld.has(name)) environment[name] = value;
  }
  for (const name of Object.keys(withoutTerminal)) delete environment[name];
  if (from.isInTerminal !== true) Object.assign(environment, withoutTerminal);
  for (const name of from.unset ?? []) delete environment[name];
  const { marker } = from;
  return Object.assign(environment, from.agent, from.passed, marker && { [marker.name]: marker.value });
}

/** Nobody can answer: git must fail at once instead of asking for a password, and no program should use colours. */
const withoutTerminal = { GIT_TERMINAL_PROMPT: "0", TERM: "dumb" };

/** Whether the variable is meant for agentd or for what started it, and would mislead an agent even if it is empty. */
function isExcluded(name: string): boolean {
  return excludedNames.has(name) || excludedPrefixes.some((prefix) => name.startsWith(prefix)) || name === "";
}

const excludedPrefixes = [
  // agentd's own configuration and markers.
  "AGENTD_",
  // Set by package scripts; they make npx pick another package. (NPM_ in upper case is the user's.)
  "npm_",
  // Set by a test runner.
  "VITEST_",
  // Set by an editor's terminal: sockets and helpers that end with its window, git's password dialogue among them.
  "VSCODE_",
  "TERM_PROGRAM",
  "KONSOLE_",
];

const excludedNames: ReadonlySet<string> = new Set([
  // Set by package scripts, as above.
  "INIT_CWD",
  "NODE",
  "PROJECT_CWD",
  "BERRY_BIN_FOLDER",
  "PNPM_PACKAGE_NAME",
  "PNPM_SCRIPT_SRC_DIR",

  // Set by agents for the commands they run; an agent that finds its own refuses to start.
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_SESSION_ATTENDED",
  "CLAUDE_PID",
  "CLAUDE_EFFORT",
  "CLAUDE_AGENT_SDK_VERSION",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "CODEX_THREAD_ID",
  "CODEX_CI",
  "GEMINI_CLI",
  "OPENCODE",
  "OPENCODE_PID",
  "OPENCODE_CLIENT",
  "CURSOR_AGENT",
  "AI_AGENT",

  // Meant for the one Node process started with them: a debugger's port, a coverage directory, a channel to its parent.
  // To set NODE_OPTIONS for an agent, put it into that agent's env.
  "NODE_OPTIONS",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
  "NODE_UNIQUE_ID",
  "NODE_V8_COVERAGE",
  "NODE_TEST_CONTEXT",
  "NODE_REPL_EXTERNAL_MODULE",
  "VITEST",
  "JEST_WORKER_ID",

  // Set by a service manager for the service's own process.
  "NOTIFY_SOCKET",
  "LISTEN_FDS",
  "LISTEN_PID",
  "LISTEN_FDNAMES",
  "WATCHDOG_PID",
  "WATCHDOG_USEC",
  "INVOCATION_ID",
  "JOURNAL_STREAM",
  "MAINPID",
  "MANAGERPID",
  "SYSTEMD_EXEC_PID",

  // Describe the terminal, shell and directory that agentd was started from, which are not the agent's.
  "COLORTERM",
  "COLUMNS",
  "LINES",
  "FORCE_COLOR",
  "TERM_SESSION_ID",
  "TERMCAP",
  "TMUX",
  "TMUX_PANE",
  "STY",
  "WINDOW",
  "WINDOWID",
  "GPG_TTY",
  "SSH_TTY",
  "GIT_ASKPASS",
  "PWD",
  "OLDPWD",
  "SHLVL",
  "_",
]);
