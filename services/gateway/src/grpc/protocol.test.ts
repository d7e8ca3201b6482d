import fc from "fast-check";
import { expect, test } from "vitest";
import { loadProtocol } from "./protocol.ts";

test("the package follows runtime.naming.identifier (ADR 0021)", () => {
  const { authServiceName, authService } = loadProtocol("mailgate");
  expect(authServiceName).toBe("mailgate.auth.v1.AuthService");
  expect(Object.values(authService).map(({ path }) => path)).toEqual([
    "/mailgate.auth.v1.AuthService/Authenticate",
    "/mailgate.auth.v1.AuthService/LookupIdentity",
    "/mailgate.auth.v1.AuthService/ListAccounts",
  ]);
});

test("the proto files are used unchanged with the default identifier", () => {
  expect(loadProtocol("service").authServiceName).toBe("service.auth.v1.AuthService");
});

test("reading a message never throws, whatever the bytes", () => {
  const method = loadProtocol("service").authService["Authenticate"];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const read: object | undefined = method?.requestDeserialize(Buffer.from(bytes));
      expect(read).toHaveProperty("message");
    }),
  );
});
