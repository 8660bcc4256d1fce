// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parseRegistry } from "./parse-registry.ts";
import { readRegistry, registryBytesMax } from "./read-registry.ts";

const agent = (more: object = {}) => ({
  id: "one",
  name: "One",
  version: "1.2.3",
  description: "An agent",
  distribution: { npx: { package: "@x/one@1.2.3" } },
  ...more,
});
const list = (...agents: unknown[]): string => JSON.stringify({ version: "1.0.0", agents, extensions: [] });
const commandOf = (distribution: object) =>
  parseRegistry(list(agent({ distribution })))?.agents.map(({ command }) => command);

test.each([
  [{ npx: { package: "@x/one@1.2.3", args: ["--acp"] } }, ["npx", "--yes", "@x/one@1.2.3", "--acp"]],
  [
    { npx: { package: "@x/one@1.2.3", cmd: "one", args: ["acp"] } },
    ["npx", "--yes", "--package=@x/one@1.2.3", "one", "acp"],
  ],
  [{ uvx: { package: "one==1.2.3", args: ["acp"] } }, ["uvx", "one==1.2.3", "acp"]],
  [{ uvx: { package: "one==1.2.3", cmd: "one-acp" } }, ["uvx", "--from", "one==1.2.3", "one-acp"]],
  [{ binary: {}, npx: { package: "one@1.2.3" } }, ["npx", "--yes", "one@1.2.3"]],
  [{ binary: { "linux-x86_64": { archive: "https://x.invalid/a.tgz", cmd: "./one" } } }, undefined],
])("the distribution %j is started by %j", (distribution, command) => {
  expect(commandOf(distribution)).toEqual([command]);
});

test("further keys are ignored, and an entry that is not in the format does not spoil the others", () => {
  const parsed = parseRegistry(
    list(
      agent({ icon: "icon.svg", website: "https://x.invalid", later: 1 }),
      agent({ id: "Bad Id" }),
      agent({ id: "two", distribution: { npx: { package: "--registry=https://x.invalid" } } }),
      agent({ id: "three", distribution: { npx: { package: "x@1", env: { AGENTD_SESSION: "x" } } } }),
      agent({ id: "four", distribution: { npx: { package: "x@1", env: { MODE: "acp" } } } }),
      agent({ name: "the second of that id" }),
      null,
    ),
  );
  expect(parsed?.agents).toEqual([
    {
      id: "one",
      name: "One",
      version: "1.2.3",
      description: "An agent",
      command: ["npx", "--yes", "@x/one@1.2.3"],
      env: {},
    },
    expect.objectContaining({ id: "four", env: { MODE: "acp" } }),
  ]);
  expect(parsed?.skipped).toBe(5);
});

test.each(["", "[]", "{", `{"agents":{}}`, "null"])("%j is no registry", (text) => {
  expect(parseRegistry(text)).toBeUndefined();
});

let directory: string;
let server: Server;
let origin: string;
const never = new AbortController().signal;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "agentd-registry-"));
  server = createServer(({ url }, response) => {
    if (url === "/list") response.end(list(agent()));
    else if (url === "/large") response.end(" ".repeat(registryBytesMax + 1));
    else if (url === "/near") response.writeHead(302, { location: "/list" }).end();
    else if (url === "/far") response.writeHead(302, { location: "http://registry.invalid/list" }).end();
    else if (url === "/file") response.writeHead(302, { location: "file:///etc/passwd" }).end();
    else if (url === "/round") response.writeHead(302, { location: "/round" }).end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

test("a registry is read from a file and from this machine, by redirects within the rules", async () => {
  const file = join(directory, "registry.json");
  writeFileSync(file, `\uFEFF${list(agent())}`);
  for (const source of [file, `${origin}/list`, `${origin}/near`]) {
    expect((await readRegistry(source, never)).agents.map(({ id }) => id)).toEqual(["one"]);
  }
});

test.each([
  ["/large", "REGISTRY_REFUSED", "larger than"],
  ["/far", "REGISTRY_REFUSED", "not allowed"],
  ["/file", "REGISTRY_REFUSED", "not allowed"],
  ["/round", "REGISTRY_REFUSED", "without an end"],
  ["/none", "INSTALL_NETWORK", "status 404"],
])("%s is refused: %s", async (path, code, words) => {
  await expect(readRegistry(origin + path, never)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(words),
  });
});

test.each(["http://registry.invalid/list", "ftp://127.0.0.1/list", "file:///etc/passwd", "https://"])(
  "%s is refused before anything is sent",
  async (source) => {
    await expect(readRegistry(source, never)).rejects.toMatchObject({ code: "REGISTRY_REFUSED" });
  },
);

test("a file that is missing, too large, or no file is refused", async () => {
  const large = join(directory, "large");
  writeFileSync(large, "");
  truncateSync(large, registryBytesMax + 1);
  for (const file of [join(directory, "none"), large, directory]) {
    await expect(readRegistry(file, never)).rejects.toMatchObject({ code: "REGISTRY_REFUSED" });
  }
});

test("a URL with a password is refused, and the message does not repeat it", async () => {
  const refused = readRegistry("https://me:canary@x.invalid/list.json", AbortSignal.timeout(5_000));
  await expect(refused).rejects.toThrow("https://x.invalid/list.json must not contain a password");
});

test("a long password is not shown either, and a proxy that is not used is named", async () => {
  const long = `https://me:${"canary".repeat(100)}@x.invalid/list.json`;
  await expect(readRegistry(long, never)).rejects.toThrow("https://x.invalid/list.json must not contain a password");
  vi.stubEnv("HTTPS_PROXY", "http://me:canary@proxy.invalid");
  await expect(readRegistry("https://127.0.0.1:1/list.json", never)).rejects.toThrow(
    /could not be downloaded: .*; HTTPS_PROXY is used only by Node 24 with NODE_USE_ENV_PROXY=1: or download it yourself/u,
  );
});
