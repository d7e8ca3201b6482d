import fc from "fast-check";
import { expect, test } from "vitest";
import { loadProtocol } from "./protocol.ts";

test("the package follows runtime.naming.identifier (design decision 1)", () => {
  const { authServiceName, authService } = loadProtocol("mailgate");
  expect(authServiceName).toBe("mailgate.auth.v1.AuthService");
  expect(Object.values(authService).map(({ path }) => path)).toEqual([
    "/mailgate.auth.v1.AuthService/Authenticate",
    "/mailgate.auth.v1.AuthService/LookupIdentity",
    "/mailgate.auth.v1.AuthService/ListAccounts",
  ]);
});

test("the proto files are spoken as they stand with the default word", () => {
  expect(loadProtocol("service").authServiceName).toBe("service.auth.v1.AuthService");
});

test("no bytes make reading a message throw", () => {
  const method = loadProtocol("service").authService["Authenticate"];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const read: object | undefined = method?.requestDeserialize(Buffer.from(bytes));
      expect(read).toHaveProperty("message");
    }),
  );
});
