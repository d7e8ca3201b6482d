// Records the messages of this tree's version, with which `make test` compares later trees. Run it for a release only.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordBus } from "./bus-messages.ts";

const root = join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { schemas, messages } = recordBus(version);
const lines = (of: object): string =>
  Object.entries(of)
    .map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(",\n");
const text = `{\n"version": ${JSON.stringify(version)},\n"schemas": {\n${lines(schemas)}\n},\n"messages": {\n${lines(messages)}\n}\n}\n`;
writeFileSync(join(import.meta.dirname, "last-release-bus.json"), text);
