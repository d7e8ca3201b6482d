import { expect, test } from "vitest";
import { wireNames } from "./naming.ts";

test("runtime.naming.identifier names the headers (ADR 0021)", () => {
  expect(wireNames("service")).toEqual({
    prefix: "X-Service-",
    session: "X-Service-Session",
    memoryCache: "X-Service-Memory-Cache",
    hops: "x-service-hops",
  });
  expect(wireNames("mail-gate").session).toBe("X-Mail-Gate-Session");
});
