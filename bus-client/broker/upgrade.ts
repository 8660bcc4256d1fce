// SPDX-License-Identifier: MIT OR Apache-2.0

import type { IncomingMessage } from "node:http";

export interface UpgradeRefusal {
  readonly status: string;
  readonly reason: string;
}

/**
 * Why a WebSocket upgrade is refused, or undefined. Over TCP a web page that the user has open could reach the broker:
 * a browser always sends `Origin`, and sends the page's own name as `Host` after a DNS rebinding, so any `Origin`
 * and any `Host` but one loopback name are refused. Node keeps the first of two `Host` headers, so they are counted.
 */
export function upgradeRefusal(request: IncomingMessage, kind: "unix" | "tcp"): UpgradeRefusal | undefined {
  const target = request.url ?? "";
  if (kind === "tcp") {
    const hosts = headerValues(request, "host");
    if (headerValues(request, "origin").length > 0) return forbidden("a browser's page may not speak on the Bus");
    if (hosts.length !== 1 || !isLoopback(hosts[0]!)) return forbidden("Host is not a loopback name");
  }
  if (!target.startsWith("/") || target.includes("://"))
    return { status: "400 Bad Request", reason: "not a plain path" };
  if (target.split("?", 1)[0] !== "/ws") return { status: "404 Not Found", reason: "the Bus is at /ws" };
  return undefined;
}

function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name);
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

function isLoopback(host: string): boolean {
  return loopback.test(host);
}

function forbidden(reason: string): UpgradeRefusal {
  return { status: "403 Forbidden", reason };
}
