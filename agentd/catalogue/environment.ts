// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent's process gets to see: what agentd was started with, less what belongs to somebody else.

/** Its value, unique to a session, marks every process of that session's tree. */
export const sessionMarker = "AGENTD_SESSION";

export interface AgentEnvironment {
  /** agentd's own. */
  readonly parent: Readonly<Record<string, string | undefined>>;
  /** The agent's, from the catalogue. */
  readonly agent: Readonly<Record<string, string>>;
  /** Names that it does not get, also of what is set here; what this start passes on it gets all the same. */
  readonly unset?: readonly string[];
  /** Looked up for the names that this start passes on. */
  readonly passed: Readonly<Record<string, string>>;
  /** Names that a start may pass on, and that reach an agent in no other way. */
  readonly onlyWhenPassed: readonly string[];
  readonly marker: { readonly name: string; readonly value: string };
}

/**
 * In this order, of which the last wins: agentd's environment without what `isOthers` says; fixed values for a process
 * without a terminal; from both, the names in `unset` are left out; the agent's own; what the start passes; the marker. An
 * agent's own `env` can so bring back what is left out.
 */
export function agentEnvironment(from: AgentEnvironment): Record<string, string> {
  const withheld = new Set(from.onlyWhenPassed);
  const environment: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(from.parent)) {
    if (value !== undefined && !isExcluded(name) && !withheld.has(name)) environment[name] = value;
  }
  Object.assign(environment, withoutTerminal);
  for (const name of from.unset ?? []) delete environment[name];
  return Object.assign(environment, from.agent, from.passed, { [from.marker.name]: from.marker.value });
}

/** There is nobody at a terminal: git must fail at once where it would ask for a password, and nothing should be painted. */
const withoutTerminal = { GIT_TERMINAL_PROMPT: "0", TERM: "dumb" };

/** Whether a variable was meant for agentd itself, or for whatever started it, and would mislead an agent. An empty one misleads too. */
function isExcluded(name: string): boolean {
  return excludedNames.has(name) || excludedPrefixes.some((prefix) => name.startsWith(prefix)) || name === "";
}

const excludedPrefixes = [
  // agentd's own configuration and markers.
  "AGENTD_",
  // A package script's: they make npx pick another package than it would by itself. (Upper case NPM_ is the user's.)
  "npm_",
  // A test runner's.
  "VITEST_",
  // An editor's terminal: sockets and helpers that go when its window goes, git's password dialogue among them.
  "VSCODE_",
  "TERM_PROGRAM",
  "KONSOLE_",
];

const excludedNames: ReadonlySet<string> = new Set([
  // A package script's, as above.
  "INIT_CWD",
  "NODE",
  "PROJECT_CWD",
  "BERRY_BIN_FOLDER",
  "PNPM_PACKAGE_NAME",
  "PNPM_SCRIPT_SRC_DIR",

  // "You run inside me", as agents tell the commands they run: an agent that finds its own refuses to start.
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_CHILD_SESSION",
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

  // Meant for the one Node process that was started with them: a debugger's port, a coverage folder, a channel to a
  // parent that an agent does not have. One who means an agent puts NODE_OPTIONS into that agent's own env.
  "NODE_OPTIONS",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
  "NODE_UNIQUE_ID",
  "NODE_V8_COVERAGE",
  "NODE_TEST_CONTEXT",
  "NODE_REPL_EXTERNAL_MODULE",
  "VITEST",
  "JEST_WORKER_ID",

  // A service manager's, for the service's own process.
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

  // Of the terminal and the shell that agentd was started from; an agent has neither, and another directory.
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
