import { join } from "node:path";
import { cruiseTree } from "./cruise.ts";

const root = join(import.meta.dirname, "../..");
const { modules, violations } = await cruiseTree(root, join(root, ".dependency-cruiser.mjs"));
for (const { rule, from, to } of violations) console.log(`${rule}: ${from} -> ${to}`);
console.log(`${modules} modules read, ${violations.length} violations`);
process.exitCode = violations.length === 0 && modules > 20 ? 0 : 1;
