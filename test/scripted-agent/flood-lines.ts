// SPDX-License-Identifier: MIT OR Apache-2.0
import type { FloodLines } from "./output.ts";
import type { FloodStep, Json } from "./scenario.ts";
import { textOfBytes } from "./values.ts";

/** Repeats a line made once, so that the reader is the bottleneck. Numbered lines are made as they are sent. */
export function floodLines(step: FloodStep, sessionId: Json): FloodLines {
  const line = lineMaker(step, sessionId);
  if (step.numbered === true) return numberedLines(line);
  const bytes = Buffer.from(line(""));
  let repeated = Buffer.alloc(0);
  return {
    lineBytes: bytes.length,
    take: (_from, count) => {
      if (repeated.length < bytes.length * count) repeated = Buffer.concat(Array.from({ length: count }, () => bytes));
      return repeated.subarray(0, bytes.length * count);
    },
  };
}

function numberedLines(line: (prefix: string) => string): FloodLines {
  const [before = "", after = ""] = line(numberPlace).split(numberPlace);
  const [head, tail] = [Buffer.from(before), Buffer.from(after)];
  return {
    lineBytes: head.length + "1 ".length + tail.length,
    take: (from, count) =>
      Buffer.concat(Array.from({ length: count }, (_, at) => [head, Buffer.from(`${from + at + 1} `), tail]).flat()),
  };
}

/** Placeholder of the number, which no flood's text contains. */
const numberPlace = "<number>";

function lineMaker(step: FloodStep, sessionId: Json): (prefix: string) => string {
  const update = (fields: object): string =>
    `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update: fields } })}\n`;
  switch (step.flood) {
    case "chunks": {
      const text = step.text ?? textOfBytes(step.bytes ?? 100);
      return (prefix) =>
        update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${prefix}${text}` } });
    }
    case "tool_calls": {
      const newText = textOfBytes(step.bytes ?? 8192);
      return (prefix) =>
        update({
          sessionUpdate: "tool_call_update",
          toolCallId: "flood",
          status: "in_progress",
          content: [{ type: "diff", path: "/flood.txt", oldText: null, newText: `${prefix}${newText}` }],
        });
    }
    case "stderr": {
      const text = textOfBytes(step.bytes ?? 100);
      return (prefix) => `${prefix}${text}\n`;
    }
  }
}
