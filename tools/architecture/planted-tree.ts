import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const packages = ["fastify", "ioredis", "typebox", "pino", "@nats-io/transport-node", "left-pad"];

function put(root: string, path: string, text: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function manifest(name: string, rest: object = {}): string {
  return JSON.stringify({ name, version: "1.0.0", type: "module", ...rest });
}

/** Creates a small tree with the layout of the real one, in which every import is allowed. */
export function plantHouse(root: string): void {
  const dependencies = { "@postern/shared": "1.0.0", fastify: "1.0.0", pino: "1.0.0" };
  const exportsMap = { "./*": "./src/*/index.ts" };
  const shared = { ioredis: "1.0.0", typebox: "1.0.0", "@nats-io/transport-node": "1.0.0" };
  put(
    root,
    "package.json",
    manifest("house", { workspaces: ["libs/*", "services/*"], devDependencies: { "left-pad": "1.0.0" } }),
  );
  put(root, "libs/shared/package.json", manifest("@postern/shared", { exports: exportsMap, dependencies: shared }));
  for (const name of packages) {
    put(root, `node_modules/${name}/package.json`, manifest(name, { exports: "./index.js" }));
    put(root, `node_modules/${name}/index.js`, "export default 1;\n");
  }
  mkdirSync(join(root, "node_modules/@postern"), { recursive: true });
  symlinkSync("../../libs/shared", join(root, "node_modules/@postern/shared"));
  for (const service of ["gateway", "admin"]) {
    put(root, `services/${service}/package.json`, manifest(`@postern/${service}`, { dependencies }));
    symlinkSync(`../../services/${service}`, join(root, `node_modules/@postern/${service}`));
    plant(root, `services/${service}/src/main.ts`, "./context.ts");
    plant(
      root,
      `services/${service}/src/context.ts`,
      "./limits/store-redis.ts",
      "fastify",
      "@postern/shared/platform/bus",
    );
    plant(root, `services/${service}/src/limits/store-redis.ts`, "./store.ts", "@postern/shared/contracts");
    plant(root, `services/${service}/src/limits/store.ts`, "@postern/shared/platform/errors");
  }
  plant(root, "libs/shared/src/platform/bus/index.ts", "@nats-io/transport-node");
  plant(root, "libs/shared/src/platform/redis/index.ts", "ioredis");
  plant(root, "libs/shared/src/contracts/index.ts", "typebox");
  plant(root, "libs/shared/src/platform/errors/index.ts", "./codes.ts");
  plant(root, "libs/shared/src/platform/errors/codes.ts");
  plant(root, "libs/shared/src/domain/audit/index.ts", "../../platform/errors/index.ts");
  plant(root, "libs/shared/src/assembly/index.ts", "../domain/audit/index.ts");
  plant(root, "libs/shared/src/testing/index.ts");
  put(root, "libs/shared/src/testing/using.ts", "export async function f(g) { await using h = await g(); }\n");
  plant(root, "test/a.test.ts", "@postern/shared/testing");
}

/** Writes a file that imports `targets`: values, or only types if the target starts with "type ". */
export function plant(root: string, path: string, ...targets: readonly string[]): void {
  const lines = targets.map((target, index) =>
    target.startsWith("type ")
      ? `export type { T${index} } from "${target.slice("type ".length)}";`
      : `import * as m${index} from "${target}";\nexport const v${index} = m${index};`,
  );
  put(root, path, `${lines.join("\n")}\nexport const here = 1;\n`);
}
