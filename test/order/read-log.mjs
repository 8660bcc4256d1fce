// SPDX-License-Identifier: MIT OR Apache-2.0
// Another process that reads the log while agentd writes it: node read-log.mjs <log.db>
// Each line on stdin is a session; the answer is one line: a JSON list of that session's entries, as they are on disk.
// Or it is an order, whose answer is an empty list. "hold", "release": in between nobody else can write to the log.
// "look", "leave": in between everything is seen as it was, in one read transaction.
import { createInterface } from "node:readline";
import Database from "better-sqlite3";

const database = new Database(process.argv[2], { readonly: true, fileMustExist: true });
const entries = database.prepare(
  "SELECT body FROM entry WHERE id >= (SELECT sid << 30 FROM session WHERE id = :id) AND id < (SELECT (sid + 1) << 30 FROM session WHERE id = :id) ORDER BY id",
);

const writer = new Database(process.argv[2], { fileMustExist: true });
const orders = {
  hold: () => writer.exec("BEGIN EXCLUSIVE"),
  release: () => writer.exec("ROLLBACK"),
  look: () => {
    writer.exec("BEGIN");
    writer.prepare("SELECT count(*) FROM session").get();
  },
  leave: () => writer.exec("COMMIT"),
};

createInterface({ input: process.stdin }).on("line", (id) => {
  if (Object.hasOwn(orders, id)) orders[id]();
  const bodies = entries.all({ id }).map(({ body }) => body);
  process.stdout.write(`[${bodies.join(",")}]\n`);
});
process.stdin.on("end", () => {
  writer.close();
  database.close();
});
