import { join } from "node:path";
import { expect, test } from "vitest";
import { readLock, runtimePackages } from "./runtime-packages.ts";

const lock = readLock(join(import.meta.dirname, "../.."));

test("every package that stays outside bundles and that a service depends on is included, without other platforms' parts", () => {
  const packages = runtimePackages(lock, "x64").map((path) => path.slice("node_modules/".length));
  for (const name of ["@node-rs/bcrypt", "wasmoon", "piscina", "@grpc/grpc-js", "@grpc/reflection", "pg", "mysql2"])
    expect(packages).toContain(name);
  expect(packages).toContain("@node-rs/argon2-linux-x64-gnu");
  expect(packages.filter((name) => /darwin|win32|android|musl|arm/u.test(name))).toEqual([]);
  expect(packages).not.toContain("fastify");
});

test("a package is found where Node finds it, in the nearest folder", () => {
  const tree = {
    "services/one": { version: "1.0.0", dependencies: { pg: "1.0.0", fastify: "1.0.0" } },
    "node_modules/split2": { version: "2.0.0" },
    "node_modules/pg": { version: "1.0.0", dependencies: { split2: "1" } },
    "node_modules/pg/node_modules/split2": { version: "1.0.0" },
  };
  expect(runtimePackages(tree, "x64")).toEqual(["node_modules/pg", "node_modules/pg/node_modules/split2"]);
});

test("a processor for which a compiled part is not locked is rejected", () => {
  const tree = {
    "services/one": { version: "1.0.0", dependencies: { "@node-rs/bcrypt": "1.0.0" } },
    "node_modules/@node-rs/bcrypt": {
      version: "1.0.0",
      optionalDependencies: { "@node-rs/bcrypt-linux-x64-gnu": "1.0.0", "@node-rs/bcrypt-linux-arm64-gnu": "1.0.0" },
    },
    "node_modules/@node-rs/bcrypt-linux-x64-gnu": { version: "1.0.0", cpu: ["x64"] },
  };
  expect(runtimePackages(tree, "x64")).toHaveLength(2);
  expect(() => runtimePackages(tree, "arm64")).toThrow("@node-rs/bcrypt-linux-arm64-gnu");
});
