// SPDX-License-Identifier: MIT OR Apache-2.0

export type Target =
  | { readonly kind: "noded" }
  | { readonly kind: "service"; readonly name: string }
  | { readonly kind: "other-node"; readonly node: string }
  | { readonly kind: "other-mesh" }
  | { readonly kind: "invalid" };

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const addressCharactersMax = 253;

/**
 * Parses an address: a single label is a local service; `<service>.<node>` and `<sub>.<service>.<node>`, optionally with
 * the suffix `.bus`, name a node; `<node>.bus` is the broker of that node; `local@mesh.domain` is another mesh.
 */
export function targetOf(address: string, ownNode: string): Target {
  if (address === "" || address === "noded") return { kind: "noded" };
  if (address.includes("@")) return { kind: "other-mesh" };
  const labels = address.split(".");
  if (address.length > addressCharactersMax || !labels.every((part) => label.test(part))) return { kind: "invalid" };
  if (labels.length === 1) return { kind: "service", name: address };
  const hasSuffix = labels.at(-1) === "bus";
  if (hasSuffix) labels.pop();
  if (labels.length > 3) return { kind: "invalid" };
  const node = labels.pop()!;
  if (node !== ownNode) return { kind: "other-node", node };
  const service = labels.pop() ?? "noded";
  return service === "noded" ? { kind: "noded" } : { kind: "service", name: service };
}
