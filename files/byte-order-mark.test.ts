// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { byteOrderMarkBytes, isMarkedUtf16, withoutByteOrderMark } from "./byte-order-mark.ts";

test("one byte order mark is removed, and only at the beginning", () => {
  expect(withoutByteOrderMark(Buffer.from("\ufeff\ufefftext")).toString()).toBe("\ufefftext");
  expect(withoutByteOrderMark(Buffer.from("text\ufeff")).toString()).toBe("text\ufeff");
  expect(withoutByteOrderMark(Buffer.alloc(0))).toHaveLength(0);
});

test("a mark that reaches beyond the given end does not count", () => {
  const bytes = Buffer.from("x\ufefftext");
  expect(byteOrderMarkBytes(bytes, 1)).toBe(3);
  expect(byteOrderMarkBytes(bytes, 1, 4)).toBe(3);
  expect(byteOrderMarkBytes(bytes, 1, 3)).toBe(0);
});

test("UTF-16 is recognized by its mark in either byte order", () => {
  expect(isMarkedUtf16(Buffer.from([0xff, 0xfe, 0x41, 0]))).toBe(true);
  expect(isMarkedUtf16(Buffer.from([0xfe, 0xff, 0, 0x41]))).toBe(true);
  expect(isMarkedUtf16(Buffer.from([0xff]))).toBe(false);
  expect(isMarkedUtf16(Buffer.from("\ufefftext"))).toBe(false);
});
