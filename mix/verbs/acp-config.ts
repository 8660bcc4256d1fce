// SPDX-License-Identifier: MIT OR Apache-2.0
// What to put into an editor's own settings, so that it starts `mix agent acp`. Set-up for each: docs/editors.md.

export const configurableEditors = [
  "zed",
  "jetbrains",
  "codecompanion",
  "agent-shell",
  "acpx",
  "avante",
  "qtcreator",
] as const;
export type ConfigurableEditor = (typeof configurableEditors)[number];

/** The program and its arguments. */
export type FaceCommand = readonly [program: string, ...args: string[]];

/** Under which the editor lists it. */
const name = "agentd";

/** The block in the format of the editor's settings, without a line feed at its end. */
export function editorConfig(editor: ConfigurableEditor, [program, ...args]: FaceCommand): string {
  switch (editor) {
    case "zed":
      return json({ agent_servers: { [name]: { type: "custom", command: program, args, env: {} } } });
    case "jetbrains":
      return json({ agent_servers: { [name]: { command: program, args, env: {} } } });
    case "acpx":
      return json({ agents: { [name]: { argv: [program, ...args] } } });
    case "codecompanion":
      return codeCompanion([program, ...args]);
    case "avante":
      return avante(program, args);
    case "agent-shell":
      return agentShell(program, args);
    case "qtcreator":
      return [`Name:       ${name}`, `Executable: ${program}`, `Arguments:  ${args.map(shellWord).join(" ")}`].join(
        "\n",
      );
  }
}

function json(settings: object): string {
  return JSON.stringify(settings, null, 2);
}

/** OpenCode's adapter is the one of CodeCompanion's that adds nothing to what ACP says. */
function codeCompanion(command: readonly string[]): string {
  return `require("codecompanion").setup({
  adapters = {
    acp = {
      ${name} = function()
        return require("codecompanion.adapters").extend("opencode", {
          name = "${name}",
          formatted_name = "${name}",
          commands = { default = { ${command.map(quoted).join(", ")} } },
        })
      end,
    },
  },
  interactions = { chat = { adapter = "${name}" } },
})`;
}

/** avante starts an agent with PATH alone, so the variables that lead to the Bus are named. */
function avante(program: string, args: readonly string[]): string {
  const variables = ["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];
  return `require("avante").setup({
  provider = "${name}",
  acp_providers = {
    ${name} = {
      command = ${quoted(program)},
      args = { ${args.map(quoted).join(", ")} },
      env = {
${variables.map((variable) => `        ${variable} = os.getenv("${variable}"),`).join("\n")}
      },
    },
  },
})`;
}

function agentShell(program: string, args: readonly string[]): string {
  return `(with-eval-after-load 'agent-shell
  (defun agent-shell-make-${name}-config ()
    (agent-shell-make-agent-config
     :identifier '${name}
     :mode-line-name "${name}"
     :buffer-name "${name}"
     :shell-prompt "${name}> "
     :shell-prompt-regexp "${name}> "
     :client-maker (lambda (buffer)
                     (agent-shell--make-acp-client
                      :command ${quoted(program)}
                      :command-params '(${args.map(quoted).join(" ")})
                      :context-buffer buffer))))
  (add-to-list 'agent-shell-agent-configs #'agent-shell-make-${name}-config))`;
}

/** A string of Lua and of Emacs Lisp alike: both read these two escapes so. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * How an editor starts this mix: by its name if a program that was started from a desktop's menu finds it and Node by
 * that name, else by absolute paths. `find` looks for a program in such a PATH and returns the real path of its file.
 */
export function faceCommand(
  own: { readonly mixProgram: string; readonly nodeProgram: string },
  flags: readonly string[],
  find: (program: string) => string | undefined,
): FaceCommand {
  const args = ["agent", "acp", ...flags];
  // A mix that is found may be another program: Elixir has one.
  const isFound = find("mix") === own.mixProgram && find("node") !== undefined;
  return isFound ? ["mix", ...args] : [own.nodeProgram, own.mixProgram, ...args];
}

/** What a program has for a PATH that was started from a desktop's menu. */
export const desktopPath = "/usr/local/bin:/usr/bin:/bin";
