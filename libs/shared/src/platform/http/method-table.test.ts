import { expect, test } from "vitest";
import { createMethodTable } from "./method-table.ts";

function table() {
  const methodTable = createMethodTable();
  methodTable.add("GET", "/login");
  methodTable.add(["POST", "HEAD"], "/login");
  methodTable.add("DELETE", "/sessions/:user");
  methodTable.add("GET", "/sessions/:user");
  methodTable.add("GET", "/sessions/:user");
  methodTable.add("TRACE", "/traced");
  methodTable.add(["GET", "POST"], "/pages/:language");
  methodTable.add("GET", "/pages/exact");
  return methodTable;
}

test.each([
  ["/login", ["GET", "HEAD", "POST"]],
  ["/login?flow=x", ["GET", "HEAD", "POST"]],
  ["/pages/de", ["GET", "POST"]],
  ["/pages/exact", ["GET"]],
  ["/sessions/alice", ["GET", "DELETE"]],
  [`/sessions/${"x".repeat(5000)}`, ["GET", "DELETE"]],
] as const)("%s has its methods", (path, methods) => {
  expect(table().find(path)?.methods).toEqual(methods);
});

test.each(["/", "/logins", "/sessions", "/sessions/a/b", "/traced", "/sessions/%zz"])(
  "%s is an unknown path",
  (path) => {
    expect(table().find(path)).toBeUndefined();
  },
);
