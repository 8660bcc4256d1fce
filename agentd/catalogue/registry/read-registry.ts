// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads a registry from a file or by https. Bounded in size and time; plain http only from this machine.
import { readRegularFile } from "../../../files/read-regular-file.ts";
import { CatalogueError } from "../catalogue-error.ts";
import { parseRegistry, type Registry } from "./parse-registry.ts";

export const registryBytesMax = 8 * 1024 * 1024;
const withinMs = 20_000;
const redirectsMax = 5;

/** `source` is an absolute path or a URL. Throws CatalogueError. */
export async function readRegistry(source: string, signal: AbortSignal): Promise<Registry> {
  const text = /^[a-z][a-z0-9+.-]*:\/\//iu.test(source) ? await download(source, signal) : readFile(source);
  const registry = parseRegistry(text);
  if (registry === undefined) throw unusable(source, "is not a list of agents in the format of the ACP registry");
  return registry;
}

function unusable(source: string, reason: string): CatalogueError {
  return new CatalogueError("REGISTRY_REFUSED", `${shown(source)} ${reason}`);
}

/** Without a password that stands in a URL. */
function shown(source: string): string {
  return source.replace(/\/\/[^/]*@/u, "//").slice(0, 300);
}

function readFile(file: string): string {
  try {
    return readRegularFile(file, registryBytesMax).toString("utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw unusable(file, `cannot be read (${code ?? message})`);
  }
}

function tooLarge(source: string): CatalogueError {
  return unusable(source, `is larger than ${registryBytesMax} bytes`);
}

/** Follows redirects itself, as each target must be allowed, too. */
async function download(source: string, aborted: AbortSignal): Promise<string> {
  const signal = AbortSignal.any([aborted, AbortSignal.timeout(withinMs)]);
  let url = allowedUrl(source, undefined);
  try {
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(url, { redirect: "manual", signal, headers: { accept: "application/json" } });
      const target = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || target === null) return await bodyOf(response, source);
      await response.body?.cancel();
      if (redirects === redirectsMax) throw unusable(source, "leads from one place to the next without an end");
      url = allowedUrl(target, url);
    }
  } catch (error) {
    if (error instanceof CatalogueError) throw error;
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new CatalogueError(
      "INSTALL_NETWORK",
      `${shown(source)} could not be downloaded: ${reason}${proxyHint(process.env)}`,
    );
  }
}

function proxyHint(environment: Readonly<Record<string, string | undefined>>): string {
  const name = ["HTTPS_PROXY", "https_proxy"].find((one) => (environment[one] ?? "") !== "");
  if (name === undefined || environment["NODE_USE_ENV_PROXY"] === "1") return "";
  return `; ${name} is used only by Node 24 with NODE_USE_ENV_PROXY=1: or download it yourself, and give the file`;
}

/** From https nothing leads to http, not even to this machine. */
function allowedUrl(text: string, from: URL | undefined): URL {
  const url = URL.canParse(text, from?.href) ? new URL(text, from?.href) : undefined;
  if (url !== undefined && `${url.username}${url.password}` !== "") throw unusable(text, "must not contain a password");
  if (url?.protocol === "https:") return url;
  const isLocal = url?.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  if (url !== undefined && isLocal && from?.protocol !== "https:") return url;
  const where = from === undefined ? "" : `, to which ${from.origin} leads,`;
  throw unusable(text, `${where} is not allowed: a registry is a file or an https URL`.trimStart());
}

async function bodyOf(response: Response, source: string): Promise<string> {
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new CatalogueError("INSTALL_NETWORK", `${shown(source)} could not be downloaded: status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > registryBytesMax) throw tooLarge(source);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
