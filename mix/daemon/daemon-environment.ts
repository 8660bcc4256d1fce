// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Context } from "../process/context.ts";

/** The variables that a daemon started by mix gets: the machine's and the user's, and none of a project or session. */
export function daemonEnvironment(env: Context["env"]): Record<string, string> {
  const inherited = Object.entries(env).filter(
    ([name, value]) =>
      value !== undefined && (inheritedNames.has(name) || inheritedPrefixes.some((prefix) => name.startsWith(prefix))),
  );
  return Object.fromEntries(inherited) as Record<string, string>;
}

// AGENTD_SESSION is left out: a daemon that is started from inside a session is not part of it.
const inheritedNames = new Set(
  [
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR",
    "DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY SSH_AUTH_SOCK",
    "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy",
    "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR",
    "AGENTD_CONFIG AGENTD_STATE_DIR",
  ].flatMap((names) => names.split(" ")),
);
const inheritedPrefixes = ["LC_", "XDG_", "MIXOS_"];
