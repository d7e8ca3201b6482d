import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RejectionDelay } from "./reject.ts";

const limit = 1024;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function respond(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()));
}

test("of 5,000 concurrent rejections, at most the maximum are delayed; the others are sent immediately and their connections closed", () => {
  const delay = new RejectionDelay(limit);
  const answers: { closing: boolean; at: number }[] = [];
  const started = Date.now();
  for (let count = 0; count < 5000; count += 1) {
    delay.later(respond(), (closing) => answers.push({ closing, at: Date.now() - started }));
  }
  expect(delay.waiting).toBe(limit);
  expect(answers.length).toBe(5000 - limit);
  expect(answers.every(({ closing, at }) => closing && at === 0)).toBe(true);
  vi.advanceTimersByTime(300);
  expect(delay.waiting).toBe(0);
  const later = answers.slice(5000 - limit);
  expect(later.length).toBe(limit);
  expect(later.every(({ closing, at }) => !closing && at === 300)).toBe(true);
});

test("a client that disconnects frees its place, and no response is sent", () => {
  const delay = new RejectionDelay(1);
  const answer = vi.fn<(closing: boolean) => void>();
  const response = respond();
  delay.later(response, answer);
  response.emit("close");
  expect(delay.waiting).toBe(0);
  vi.advanceTimersByTime(1000);
  expect(answer).not.toHaveBeenCalled();
  delay.later(respond(), answer);
  vi.advanceTimersByTime(300);
  expect(answer).toHaveBeenCalledExactlyOnceWith(false);
});
