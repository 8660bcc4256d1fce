// SPDX-License-Identifier: MIT OR Apache-2.0
// A daemon for tests of autostart: an embedded broker, a lock and the scripted `agent`. It records in its state
// directory how it was started, and exits at once if there is a file `broken` in it.
import { existsSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBroker } from "../../bus-client/broker/index.ts";
import { embeddedSocketPath } from "../../bus-client/index.ts";
import { currentBootId, startTimeOf } from "../daemon/process-alive.ts";
import { ScriptedAgentd } from "./scripted-agentd.ts";

const state = process.env["AGENTD_STATE_DIR"] ?? "";
/** The lock, with the process that holds it. */
const lock = join(state, "agentd.pid");
void main();

async function main(): Promise<void> {
  if (existsSync(join(state, "broken"))) {
    process.stderr.write("agentd: line one\nagentd: \u001b[31mthe configuration is wrong\n");
    process.exit(2);
  }
  if (!locked()) process.exit(75);
  const broker = createBroker();
  await broker.listenUnix(embeddedSocketPath({ env: process.env, uid: process.getuid?.() ?? -1 }));
  const agentd = new ScriptedAgentd(
    { url: () => broker.connectLocal() },
    {
      onPrompt: (session, turn, prompt) => {
        if (prompt.startsWith("for ever")) return;
        if (prompt === "go on") {
          session.text(1, "rd** and `more`, wrapped at the edge.\n\n- an item\n");
          session.endTurn(1);
        }
        if (prompt === "pause") return session.text(turn, "# Two\n\nIt says **the last wo");
        if (prompt === "two questions") {
          session.ask(turn, 1, { tool_call: { tool_call_id: "t1", title: "npm run build", tool_kind: "execute" } });
          session.ask(turn, 2, { tool_call: { tool_call_id: "t2", title: "rm -rf ~", tool_kind: "execute" } });
          return;
        }
        if (prompt === "commands") {
          const commands = ["write", "wrap", "help"].map((name) => ({ name, description: `${name} a file` }));
          session.append({ kind: "commands", turn, commands });
        }
        if (prompt.startsWith("tell")) {
          session.text(turn, `got ${prompt.split("\n").length} lines, ${prompt.length} characters\n`);
        }
        if (prompt === "output") {
          const output = Array.from({ length: 30 }, (_, index) => `\u001b[35mline ${index + 1}\u001b[0m`).join("\n");
          const content = [{ type: "content", content: { type: "text", text: output } }];
          const call = { kind: "tool_call", turn, tool_call_id: "t1" } as const;
          session.append({ ...call, title: "npm test", tool_kind: "execute", status: "in_progress" });
          session.append({ ...call, status: "completed", content });
        }
        if (prompt === "break") {
          const error = { error_code: "AGENT_EXITED", message: "the agent ended with exit code 1" } as const;
          session.append({ kind: "turn", turn, phase: "ended", stop_reason: "interrupted", sent: true, error });
          session.append({ kind: "state", state: "failed", error });
          return;
        }
        if (prompt === "cost") {
          const cost = { amount: 0.25, currency: "EUR" };
          session.shown = {
            usage: { used: 1200, size: 100_000, cost },
            usage_total: { turns: 1, total_tokens: 1200, input_tokens: 1000, output_tokens: 200, cost },
          };
        }
        if (prompt === "much") for (let count = 0; count < 200; count += 1) session.text(turn, "x".repeat(10_000));
        session.endTurn(turn);
      },
      onCancel: (session) => {
        if (session.running !== undefined) session.endTurn(session.running, "cancelled");
      },
      onAnswer: (session, request) => {
        if (request.endsWith("-1")) session.text(1, "meanwhile I went on\n");
        else session.endTurn(1);
      },
    },
  );
  agentd.citizen.client.onState(({ kind }) => {
    if (kind !== "shutting-down") return;
    unlinkSync(lock);
    setImmediate(() => void broker.close().then(() => process.exit(0)));
  });
  const stat = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  const record = { pid: process.pid, session: Number(stat[3]), cwd: process.cwd(), env: process.env };
  writeFileSync(join(state, `started-${process.pid}`), JSON.stringify(record));
  await agentd.citizen.connect();
}

function locked(): boolean {
  try {
    const record = {
      pid: process.pid,
      version: "0.1.0",
      start_time: startTimeOf(process.pid),
      boot_id: currentBootId(),
    };
    writeFileSync(lock, JSON.stringify(record), { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}
