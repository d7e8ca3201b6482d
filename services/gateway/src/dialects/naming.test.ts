import { expect, test } from "vitest";
import { wireNames } from "./naming.ts";

test("runtime.naming.identifier names the headers (design decision 1)", () => {
  expect(wireNames("service")).toEqual({
    prefix: "X-Service-",
    session: "X-Service-Session",
    memoryCache: "X-Service-Memory-Cache",
  });
  expect(wireNames("mail-gate").session).toBe("X-Mail-Gate-Session");
});
