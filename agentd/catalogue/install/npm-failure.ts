// SPDX-License-Identifier: MIT OR Apache-2.0
// Explains why npm failed, by its error code and its own words.
import { CatalogueError } from "../catalogue-error.ts";
import type { CatalogueErrorCode } from "../../vocabulary/catalogue-change.ts";

const codes: readonly (readonly [pattern: RegExp, code: CatalogueErrorCode, message: string])[] = [
  [/^(?:ENOSPC|EDQUOT)$/u, "INSTALL_NO_SPACE", "the disk is full"],
  [/^(?:EACCES|EPERM|EROFS)$/u, "INSTALL_REFUSED", "a file could not be written"],
  [/^(?:E401|E403|ENEEDAUTH)$/u, "INSTALL_REFUSED", "the registry of your npm configuration refused the download"],
  [/^(?:E404|ETARGET|ENOVERSIONS)$/u, "INSTALL_FAILED", "the registry of your npm configuration does not have it"],
  [/^EINTEGRITY$/u, "INSTALL_FAILED", "what was downloaded is not what the registry lists"],
  [
    /^(?:E5\d\d|E429|EAI_AGAIN|ENOTFOUND|ECONN\w+|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ETIMEDOUT|EPIPE|EPROTO|ERR_SOCKET_TIMEOUT|FETCH_ERROR|CERT_\w+|UNABLE_TO_\w+|SELF_SIGNED\w*|DEPTH_ZERO\w*|ENOTCACHED)$/u,
    "INSTALL_NETWORK",
    "package download failed; `npm config get registry` and your proxy variables say where npm looks",
  ],
];

/** `output` is the end of what npm wrote to stderr. */
export function npmFailure(what: string, output: string, exit: string): CatalogueError {
  const written = /^npm (?:error|ERR!) code (\S+)/mu.exec(output)?.[1];
  const known = codes.find(([pattern]) => pattern.test(written ?? ""));
  const [, code, message] = known ?? ["", "INSTALL_FAILED" as const, `npm failed (${exit})`];
  const words = ownWords(output);
  return new CatalogueError(code, `${what}: ${message}${words === "" ? "" : `\nnpm says: ${words}`}`);
}

const wordsMax = 400;

/** npm's own error lines, without credentials, stacks and the name of its log file. */
function ownWords(output: string): string {
  const lines = [...output.matchAll(/^npm (?:error|ERR!) (.*)$/gmu)].map(([, line = ""]) => line.trim());
  const told = lines.filter((line) => line !== "" && !/^(?:A complete log of|at |errno |syscall |code )/u.test(line));
  return told
    .join(" ")
    .replace(/\/\/[^\s/@]*@/gu, "//")
    .replace(/(_auth\w*|_password)\s*=\s*\S+/gu, "$1=[redacted]")
    .slice(0, wordsMax);
}
