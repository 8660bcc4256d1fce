// SPDX-License-Identifier: MIT OR Apache-2.0
// What the log may show of a command's arguments: not a prompt's text and a form's content, which have entries of their own, and no value that
// may be a secret.

const elsewhere: ReadonlySet<string> = new Set(["command_id", "session", "prompt", "content", "mcp_servers"]);

interface ServerShape {
  readonly name: string;
  readonly type?: string;
  readonly url?: string;
  readonly env?: readonly { readonly name: string }[];
  readonly headers?: readonly { readonly name: string }[];
}

export function redactArguments(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args))
    if (!elsewhere.has(name) && value !== undefined) shown[name] = value;
  const servers = args["mcp_servers"] as readonly ServerShape[] | undefined;
  if (servers !== undefined && servers.length > 0) shown["mcp_servers"] = servers.map(shownServer);
  return shown;
}

/** Names alone: arguments, addresses and values may carry a token. */
function shownServer(server: ServerShape): Record<string, unknown> {
  const { name, type, env, headers } = server;
  return {
    name,
    ...(type === undefined ? {} : { type }),
    ...(env === undefined ? {} : { env: env.map((variable) => variable.name) }),
    ...(headers === undefined ? {} : { headers: headers.map((header) => header.name) }),
  };
}
