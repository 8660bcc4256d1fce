// SPDX-License-Identifier: MIT OR Apache-2.0
// `npm run test:editors` configures the real programs by these blocks.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findOnPath } from "../../files/find-on-path.ts";
import { Bench } from "../testing/command-line-under-test.ts";
import { configurableEditors, editorConfig, faceCommand, type FaceCommand } from "./acp-config.ts";

const command: FaceCommand = ["/opt/my node/bin/node", '/home/ü/a"b\\c/mix.cjs', "agent", "acp", "--agent", "it's"];
const [program, ...args] = command;

test("the blocks in JSON have the members that each program reads", () => {
  expect(JSON.parse(editorConfig("zed", command))).toEqual({
    agent_servers: { agentd: { type: "custom", command: program, args, env: {} } },
  });
  expect(JSON.parse(editorConfig("jetbrains", command))).toEqual({
    agent_servers: { agentd: { command: program, args, env: {} } },
  });
  expect(JSON.parse(editorConfig("acpx", command))).toEqual({ agents: { agentd: { argv: command } } });
});

test("Qt Creator gets one line for each field of its dialog, with the arguments as a shell splits them", () => {
  const [, executable, argumentLine = ""] = editorConfig("qtcreator", command).split("\n");
  expect(executable).toBe(`Executable: ${program}`);
  const words = argumentLine.replace("Arguments:  ", "");
  const split = spawnSync("sh", ["-c", `printf '%s\\n' ${words}`], { encoding: "utf8" });
  expect(split.stdout.split("\n").slice(0, -1)).toEqual(args);
});

const lua = ["luajit", "lua", "lua5.4", "lua5.1"].find((name) => findOnPath(name, process.env["PATH"]) !== undefined);
test.skipIf(lua === undefined).each(["codecompanion", "avante"] as const)(
  "Lua reads the words of %s's block",
  (editor) => {
    const caught = `
    local got
    local module = { setup = function(options) got = options end, extend = function(_, options) return options end }
    require = function() return module end
    ${editorConfig(editor, command)}
    local adapter = got.adapters and got.adapters.acp.agentd()
    local provider = got.acp_providers and got.acp_providers.agentd
    local words = adapter and adapter.commands.default or { provider.command, unpack(provider.args) }
    for _, word in ipairs(words) do io.write(word, "\\n") end`;
    const { stdout, stderr } = spawnSync(lua ?? "", ["-e", `unpack = unpack or table.unpack\n${caught}`], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(stdout.split("\n").slice(0, -1)).toEqual(command);
  },
);

const emacs = findOnPath("emacs", process.env["PATH"]);
test.skipIf(emacs === undefined)("Emacs reads the words of agent-shell's block", () => {
  const caught = `(progn
    (defvar agent-shell-agent-configs nil)
    (defun agent-shell-make-agent-config (&rest all) (plist-get all :client-maker))
    (defun agent-shell--make-acp-client (&rest all)
      (dolist (word (cons (plist-get all :command) (plist-get all :command-params))) (princ word) (terpri)))
    (provide 'agent-shell)
    ${editorConfig("agent-shell", command)}
    (funcall (funcall (car agent-shell-agent-configs)) nil))`;
  const env = { ...process.env, LANG: "C.UTF-8" };
  const { stdout } = spawnSync(emacs ?? "", ["-Q", "--batch", "--eval", caught], { encoding: "utf8", env });
  expect(stdout.split("\n").slice(0, -1)).toEqual(command);
});

test("the command prints the block alone, for the agent that is named, and needs no agentd", async () => {
  const bench = await Bench.create();
  try {
    const asked = ["agent", "acp", "--print-config", "zed", "--agent", "claude", "--keep-running"];
    const { code, stdout, stderr } = await bench.run(asked);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { agentd } = JSON.parse(stdout).agent_servers;
    expect(agentd.args.slice(-5)).toEqual(["agent", "acp", "--agent", "claude", "--keep-running"]);
    const logged = await bench.run(["agent", "acp", "--print-config", "acpx", "--log", "face.log"]);
    const { argv } = JSON.parse(logged.stdout).agents.agentd;
    expect(argv.slice(-2)).toEqual(["--log", join(bench.directory, "face.log")]);
    expect(await bench.run(["agent", "acp", "--print-config", "vi"])).toMatchObject({ code: 2, stdout: "" });
  } finally {
    await bench.close();
  }
});

test("typed in a terminal it says who starts it, instead of waiting for ACP", async () => {
  const bench = await Bench.create();
  try {
    const { code, stdout, stderr } = await bench.run(["agent", "acp"], { tty: true });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("is started by an editor");
    expect(await bench.run(["agent", "acp", "--print-config", "zed"], { tty: true })).toMatchObject({ code: 0 });
  } finally {
    await bench.close();
  }
});

test("every editor has a block, and none ends with a line feed", () => {
  for (const editor of configurableEditors) {
    expect(editorConfig(editor, command)).toContain("agentd");
    expect(editorConfig(editor, command)).not.toMatch(/\n$/);
  }
});

test.each([
  ["both are found by a desktop's programs", { mix: "/own/mix.cjs", node: "/usr/bin/node" }, ["mix"]],
  ["mix is not found", { node: "/usr/bin/node" }, ["/n/node", "/own/mix.cjs"]],
  ["Elixir's mix is found", { mix: "/usr/lib/elixir/bin/mix", node: "/usr/bin/node" }, ["/n/node", "/own/mix.cjs"]],
  ["node is not found", { mix: "/own/mix.cjs" }, ["/n/node", "/own/mix.cjs"]],
])("the command if %s", (_, found: Readonly<Record<string, string>>, words) => {
  const own = { mixProgram: "/own/mix.cjs", nodeProgram: "/n/node" };
  expect(faceCommand(own, [], (name) => found[name])).toEqual([...words, "agent", "acp"]);
  expect(faceCommand(own, ["--agent", "claude"], (name) => found[name])).toEqual([
    ...words,
    "agent",
    "acp",
    "--agent",
    "claude",
  ]);
});
