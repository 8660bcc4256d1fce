// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { redactor } from "../catalogue/secret-values.ts";
import { type ProcessLog, openProcessLog } from "./process-log.ts";

let directory: string;
let file: string;
let log: ProcessLog | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-process-log-"));
  file = join(directory, "agentd.log");
});

afterEach(() => {
  log?.close();
  log = undefined;
  rmSync(directory, { recursive: true, force: true });
});

test("a line is in the private file when the call returns, with its time, level and cause", () => {
  const { logger } = open();
  logger.error(new Error("could not start", { cause: new Error("no such file") }));
  const [line] = lines();
  expect(line).toMatchObject({ level: 50, pid: process.pid, msg: "could not start" });
  expect(line?.["time"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u);
  expect(JSON.stringify(line?.["err"])).toContain("no such file");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("an existing log is appended to and made private", () => {
  writeFileSync(file, `{"msg":"before"}\n`);
  chmodSync(file, 0o644);
  open().logger.info("after");
  expect(lines().map(({ msg }) => msg)).toEqual(["before", "after"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("secrets are redacted in messages, members and errors", () => {
  const { logger } = open({ redact: redactor([`sk-"quoted"`]) });
  logger.info({ env: { KEY: `sk-"quoted"` } }, `started with sk-"quoted"`);
  logger.error(new Error(`refused sk-"quoted"`));
  expect(readFileSync(file, "utf8")).not.toContain("quoted");
  expect(lines()[0]).toMatchObject({ env: { KEY: "[redacted]" }, msg: "started with [redacted]" });
});

test("the file never grows beyond its size, and one older file is kept", () => {
  const { logger } = open({ bytesMax: 2_000 });
  for (let count = 0; count < 100; count += 1) logger.info({ count }, "x".repeat(100));
  expect(readdirSync(directory).sort()).toEqual(["agentd.log", "agentd.log.1"]);
  expect(Math.max(statSync(file).size, statSync(`${file}.1`).size)).toBeLessThanOrEqual(2_000);
  const kept = [...lines(`${file}.1`), ...lines()].map(({ count }) => count);
  expect(kept.at(-1)).toBe(99);
  expect(kept).toEqual(kept.map((_, index) => 100 - kept.length + index));
});

test("a file that was full before the start is rotated by the first line", () => {
  writeFileSync(file, "x".repeat(3_000));
  open({ bytesMax: 2_000 }).logger.info("first");
  expect(statSync(`${file}.1`).size).toBe(3_000);
  expect(lines().map(({ msg }) => msg)).toEqual(["first"]);
});

test("a rotation that fails loses lines only, and is retried", () => {
  const { logger } = open({ bytesMax: 200 });
  logger.info("x".repeat(150));
  mkdirSync(join(`${file}.1`, "in the way"), { recursive: true });
  logger.info("lost");
  rmSync(`${file}.1`, { recursive: true });
  rmSync(file);
  logger.info("there again");
  expect(lines().map(({ msg }) => msg)).toEqual(["there again"]);
});

test("lines written after close are dropped", () => {
  const closed = open();
  closed.close();
  closed.close();
  closed.logger.info("late");
  expect(readFileSync(file, "utf8")).toBe("");
});

test("in the foreground lines go to the given stream, redacted as well", () => {
  let text = "";
  log = openProcessLog({
    destination: { stream: { write: (line) => (text += line) } },
    redact: redactor(["secret-value"]),
    level: "debug",
  });
  log.logger.debug("with secret-value");
  expect(JSON.parse(text)).toMatchObject({ level: 20, msg: "with [redacted]" });
});

test("a link, a directory and a FIFO in the log's place are refused", () => {
  writeFileSync(join(directory, "other"), "");
  symlinkSync(join(directory, "other"), file);
  expect(() => open()).toThrow("ELOOP");
  rmSync(file);
  mkdirSync(file);
  expect(() => open()).toThrow("EISDIR");
  rmSync(file, { recursive: true });
  execFileSync("mkfifo", [file]);
  expect(() => open()).toThrow("ENXIO");
});

test("nothing goes to stdout", () => {
  const program = `
    import { openProcessLog } from ${JSON.stringify(join(import.meta.dirname, "process-log.ts"))};
    const { logger } = openProcessLog({ destination: { stream: process.stderr }, redact: (text) => text });
    logger.info("words");
  `;
  const stdout = execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(stdout.toString()).toBe("");
});

function open(more: { redact?: (text: string) => string; bytesMax?: number } = {}): ProcessLog {
  const { redact = (text: string) => text, bytesMax = 1_000_000 } = more;
  log = openProcessLog({ destination: { file, bytesMax }, redact });
  return log;
}

function lines(of = file): Record<string, unknown>[] {
  return readFileSync(of, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
